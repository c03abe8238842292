// The same tests run under `node --test` and in a page: there, the results are collected in window.boardTests.
const inNode = typeof process !== "undefined" && Boolean(process.versions?.node);
const runner = inNode ? (await import("node:test")).test : null;
const results = { passed: [], failed: [], done: Promise.resolve() };
const endings = [];
if (!inNode) {
  window.boardTests = results;
  window.addEventListener("error", ({ message }) => {
    if (!message.startsWith("ResizeObserver loop")) results.failed.push(`in a listener: ${message}`); // that goes on in the next frame
  });
}

/** A test: its name states a fact. Its body throws, or rejects, when the fact does not hold; or it gives what there is, and what there should be. */
export function test(name, body) {
  const check = async () => {
    const pair = await body();
    if (pair) assert.deepEqual(...pair);
  };
  if (runner) runner(name, check);
  else results.done = results.done.then(() => run(name, check)); // one after the other, also those that wait
}

/** Wait so many ms. */
export const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function run(name, body) {
  try {
    await body();
    results.passed.push(name);
  } catch (error) {
    results.failed.push(`${name}: ${error.message}`);
  }
  for (const end of endings.splice(0)) end();
  document.body.replaceChildren(); // the next one finds an empty page
}

/** What is done when the present test in a page has ended, however it ends. */
export const afterwards = (act) => endings.push(act);

function fail(message) {
  throw new Error(message);
}

const shown = (value) => JSON.stringify(value, (_, part) => (typeof part === "number" && !Number.isFinite(part) ? String(part) : part));

export const assert = {
  ok(value, message = "expected something true") {
    if (!value) fail(message);
  },
  equal(actual, expected) {
    if (!Object.is(actual, expected)) fail(`got ${shown(actual)}, expected ${shown(expected)}`);
  },
  deepEqual(actual, expected) {
    if (shown(actual) !== shown(expected)) fail(`got ${shown(actual)}, expected ${shown(expected)}`);
  },
  close(actual, expected, tolerance = 1e-9) {
    if (!(Math.abs(actual - expected) <= tolerance)) fail(`got ${actual}, expected about ${expected}`);
  },
  throws(body, part) {
    try {
      body();
    } catch (error) {
      if (!error.message.includes(part)) fail(`the error says "${error.message}", expected "${part}"`);
      return;
    }
    fail(`expected an error that says "${part}"`);
  },
};
