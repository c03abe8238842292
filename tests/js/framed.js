const read = async (path) => (await fetch(new URL(path, import.meta.url))).text();
const IMPORT = /^import \{[^}]*\} from "\.\.\/(.*)";\n/gmu;

// A script of assets/page/ as the app sends it: with what it imports, in one scope.
async function joined(script) {
  const source = await read(`../../assets/page/${script}`);
  const needed = await Promise.all([...source.matchAll(IMPORT)].map(([, path]) => read(`../../assets/${path}`)));
  return `(() => {\n${needed.join("").replaceAll(/^export /gmu, "")}${source.replaceAll(IMPORT, "")}\n})();`;
}

/** A page of its own at an address, with a body, in which a script of assets/page/ runs; change: what is done to its text and window before. */
export async function framed(script, address, { body = "", text = (source) => source, before = () => {} } = {}) {
  const frame = document.body.appendChild(document.createElement("iframe"));
  await new Promise((resolve) => {
    frame.addEventListener("load", resolve);
    frame.src = "./";
  });
  const { contentWindow: page, contentDocument: within } = frame;
  page.history.replaceState(null, "", address);
  const parts = new DOMParser().parseFromString(body, "text/html").body.children;
  within.body.replaceChildren(...parts);
  before(page);
  const source = await joined(script);
  const run = () => within.body.append(Object.assign(within.createElement("script"), { textContent: text(source) }));
  run();
  return { page, find: (selector) => within.querySelector(selector), run };
}
