// Keeps all files of one version of the site, so that a later visit needs no network. A new version waits until a visitor asks
// for it; what it has in common with the one before, by its sums, is not loaded again.
const { version, sums } = FILES; // written in when the site is built: a sum for each file
const PREFIX = "attention-lab ";
const NAME = `${PREFIX}${version}`;
const AT_A_TIME = 6;
const LIST = "sums.json";
const urlOf = (path) => new URL(path, self.registration.scope).href;

self.addEventListener("install", (event) => event.waitUntil(keepAll()));
self.addEventListener("activate", (event) => event.waitUntil(takeOver()));
self.addEventListener("message", ({ data }) => data === "take over" && self.skipWaiting());
self.addEventListener("fetch", (event) => {
  const { method, url } = event.request;
  if (method === "GET" && url.startsWith(self.registration.scope)) event.respondWith(answerTo(event.request));
});

async function keepAll() {
  const target = await caches.open(NAME);
  const before = await Promise.all((await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== NAME).map(listOf));
  const left = Object.keys(sums);
  const some = async () => {
    for (let path = left.pop(); path; path = left.pop()) await target.put(urlOf(path), await fileOf(path, before));
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, some));
  await target.put(urlOf(LIST), new Response(JSON.stringify(sums)));
}

async function listOf(name) {
  const cache = await caches.open(name);
  const list = await cache.match(urlOf(LIST));
  return { cache, sums: list ? await list.json() : {} };
}

async function fileOf(path, before) {
  for (const one of before) if (one.sums[path] === sums[path]) return one.cache.match(urlOf(path));
  const answer = await fetch(urlOf(path), { cache: "no-cache" });
  const content = await answer.clone().arrayBuffer();
  const sum = [...new Uint8Array(await crypto.subtle.digest("SHA-256", content))].map((one) => one.toString(16).padStart(2, "0")).join("");
  if (!answer.ok || !sum.startsWith(sums[path])) throw new Error(`${path} is not of version ${version}`);
  return answer;
}

async function takeOver() {
  for (const name of await caches.keys()) if (name.startsWith(PREFIX) && name !== NAME) await caches.delete(name);
  await self.clients.claim();
}

async function answerTo(request) {
  const { pathname, search } = new URL(request.url);
  const path = pathname.slice(new URL(self.registration.scope).pathname.length);
  if (`${path}/index.html` in sums) return Response.redirect(`${urlOf(path)}/${search}`);
  const file = path === "" || path.endsWith("/") ? `${path}index.html` : path;
  const kept = file in sums && (await (await caches.open(NAME)).match(urlOf(file)));
  return kept || fetch(request);
}
