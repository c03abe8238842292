// The engine: Python with NumPy in this worker. It answers one request after the other, tells how much has been loaded, and of
// a part that does not arrive which one it is.
const PARTS = SIZES; // of each part the bytes, written in when the site is built
const FOLDER = "pyodide/";
const PACKED = ".packed"; // compressed by the builder, whatever the server does
const HOME = "/lab";
const MODELS = { model: "minilm", "language-model": "stories260k" }; // where the packages look for the files of a folder
const GZIP = 0x1f; // the first byte of what is packed
const PATIENCE = 20; // seconds without progress
const KINDS = { js: "text/javascript", json: "application/json", wasm: "application/wasm", zip: "application/zip" };
const fetchPart = self.fetch.bind(self);
let loaded = 0;
let giveUp;
const lost = new Promise((_, refuse) => { giveUp = refuse; }); // Pyodide would wait for ever for some of its parts
lost.catch(() => {});

/** A part as an answer whose content is counted, and refused if it is not whole. */
async function partOf(path, size) {
  const stop = new AbortController();
  let timer = 0;
  const fail = (why) => {
    const error = new Error(`${path} ${why}`);
    clearTimeout(timer);
    giveUp(error);
    return error;
  };
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(() => stop.abort(fail(`did not arrive: nothing came for ${PATIENCE} seconds`)), 1000 * PATIENCE);
  };
  wait();
  const answer = await fetchPart(path, { signal: stop.signal }).catch(() => { throw fail("did not arrive: the connection was lost"); });
  if (!answer.ok) throw fail(`is not on the server (answer ${answer.status})`);
  let arrived = 0;
  const counter = new TransformStream({
    transform(chunk, line) {
      if (arrived === 0 && path.endsWith(PACKED) && chunk[0] !== GZIP) return line.error(fail("is not what the builder wrote"));
      wait();
      arrived += chunk.byteLength;
      loaded += chunk.byteLength;
      self.postMessage({ loaded });
      line.enqueue(chunk);
    },
    flush(line) {
      clearTimeout(timer);
      if (arrived !== size) line.error(fail(`is not whole: ${arrived} of ${size} bytes came`));
    },
  });
  const body = answer.body.pipeThrough(counter);
  const name = path.replace(PACKED, "");
  const headers = { "content-type": KINDS[name.split(".").pop()] ?? "application/octet-stream" };
  if (name === path) return new Response(body, { headers });
  return new Response(body.pipeThrough(new DecompressionStream("gzip")), { headers });
}

// A part of the engine, by the name that it has for Pyodide.
const engine = (name) => [`${name}${PACKED}`, name].filter((one) => one in PARTS).map((one) => partOf(FOLDER + one, PARTS[one]))[0];
self.fetch = (asked, ...more) => engine(String(asked.url ?? asked).split("/").pop()) ?? fetchPart(asked, ...more);

async function runScript(name) {
  const url = URL.createObjectURL(await (await engine(name)).blob());
  importScripts(url);
  URL.revokeObjectURL(url);
}

async function start() {
  const modules = engine("modules").then((answer) => answer.arrayBuffer());
  modules.catch(() => {}); // who waits for it below hears of it
  await Promise.all([runScript("pyodide.js"), runScript("pyodide.asm.js")]);
  const python = await loadPyodide({ indexURL: new URL(FOLDER, self.location.href).href });
  write(python.FS, await modules);
  return python;
}

// Write the modules, which came as one file: the length of a list, the list with the sizes, all contents.
function write(files, content) {
  const length = new DataView(content).getUint32(0, true);
  const sizes = JSON.parse(new TextDecoder().decode(new Uint8Array(content, 4, length)));
  let place = 4 + length;
  for (const [name, size] of Object.entries(sizes)) {
    const path = `${HOME}/${name}`;
    files.mkdirTree(path.slice(0, path.lastIndexOf("/")));
    files.writeFile(path, new Uint8Array(content, place, size), { canOwn: true });
    place += size;
  }
}

const starting = Promise.race([start(), lost]);
const answering = starting.then((python) => python.runPython(`import sys; sys.path.insert(0, "${HOME}"); from attention_viz.site import answer; answer`));
answering.then(
  () => self.postMessage({ ready: true }),
  (error) => self.postMessage({ failed: sentenceOf(error) }),
);

// Of Python's error the last line, which says what is wrong.
function sentenceOf(error) {
  return String(error.message ?? error).trim().split("\n").pop();
}

// Fetch a model, whose list of files comes first, into the folder where the packages look for it.
async function loadModel(folder) {
  const python = await starting;
  const home = `${HOME}/assets/${MODELS[folder]}`;
  const sizes = PARTS[folder];
  python.FS.mkdirTree(home);
  const list = "checksums.json"; // comes last: with it the model is there
  for (const name of [...Object.keys(sizes).filter((one) => one !== list), list]) {
    const content = await (await partOf(`${folder}/${name}`, sizes[name])).arrayBuffer();
    python.FS.writeFile(`${home}/${name}`, new Uint8Array(content));
  }
}

self.onmessage = async ({ data: { id, request, load } }) => {
  try {
    if (load) await loadModel(load);
    const answer = load ? "{}" : (await answering)(JSON.stringify(request));
    self.postMessage({ id, answer });
  } catch (error) {
    self.postMessage({ id, broken: sentenceOf(error), lost: Boolean(load) });
  }
};
