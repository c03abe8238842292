// The engine: Python with NumPy in this worker. It answers one request after the other, and tells how much has been loaded.
const PYODIDE = "pyodide/";
const ENGINE = "engine.zip";
const HOME = "/lab";
const MODELS = { model: "minilm", "language-model": "stories260k" }; // where the packages look for the files of a folder
let loaded = 0;

// Count what arrives, since Pyodide fetches its parts itself.
const fetchPart = self.fetch.bind(self);
self.fetch = async (...asked) => {
  const answer = await fetchPart(...asked);
  if (!answer.body || !answer.ok) return answer;
  const counter = new TransformStream({
    transform(chunk, line) {
      loaded += chunk.byteLength;
      self.postMessage({ loaded });
      line.enqueue(chunk);
    },
  });
  return new Response(answer.body.pipeThrough(counter), { status: answer.status, headers: answer.headers });
};

async function start() {
  importScripts(`${PYODIDE}pyodide.js`);
  const [python, engine] = await Promise.all([loadPyodide({ indexURL: PYODIDE }), self.fetch(ENGINE).then((answer) => answer.arrayBuffer())]);
  await python.loadPackage("numpy", { messageCallback: () => {} });
  python.unpackArchive(engine, "zip", { extractDir: HOME });
  return python;
}

const starting = start();
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
  const list = await (await self.fetch(`${folder}/checksums.json`)).text();
  python.FS.mkdirTree(home);
  for (const name of Object.keys(JSON.parse(list))) {
    const answer = await self.fetch(`${folder}/${name}`);
    if (!answer.ok) throw new Error(`${folder}/${name} is not there; build the site again`);
    python.FS.writeFile(`${home}/${name}`, new Uint8Array(await answer.arrayBuffer()));
  }
  python.FS.writeFile(`${home}/checksums.json`, list);
}

self.onmessage = async ({ data: { id, request, load } }) => {
  try {
    if (load) await loadModel(load);
    const answer = load ? "{}" : (await answering)(JSON.stringify(request));
    self.postMessage({ id, answer });
  } catch (error) {
    self.postMessage({ id, broken: sentenceOf(error) });
  }
};
