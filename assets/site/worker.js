// The engine: Python with NumPy in this worker. It answers one request after the other, and tells how much has been loaded.
const PYODIDE = "pyodide/";
const ENGINE = "engine.zip";
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
  python.unpackArchive(engine, "zip", { extractDir: "/lab" });
  return python.runPython("import sys; sys.path.insert(0, '/lab'); from attention_viz.site import answer; answer");
}

const answering = start();
answering.then(
  () => self.postMessage({ ready: true }),
  (error) => self.postMessage({ failed: sentenceOf(error) }),
);

// Of Python's error the last line, which says what is wrong.
function sentenceOf(error) {
  return String(error.message ?? error).trim().split("\n").pop();
}

self.onmessage = async ({ data: { id, request } }) => {
  try {
    const answer = await answering;
    self.postMessage({ id, answer: answer(JSON.stringify(request)) });
  } catch (error) {
    self.postMessage({ id, broken: sentenceOf(error) });
  }
};
