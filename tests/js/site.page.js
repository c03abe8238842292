import { fillMoment } from "../../assets/board/words/moment.js";
import { array } from "./scenes.js";
import { BOARD_STYLE, dressedScene } from "./stand.js";
import { assert, test, wait } from "./testing.js";

const MAP = { imports: { "/assets/site/board/": "/assets/board/", "/assets/site/chart/": "/assets/chart/" } };

/** A module of the site, in a page of its own in which the board lies beside it, and that page's body. */
async function ofSite(name) {
  const frame = document.body.appendChild(Object.assign(document.createElement("iframe"), { width: 1200, height: 800 }));
  await new Promise((resolve) => {
    frame.addEventListener("load", resolve);
    frame.srcdoc = `<style>${BOARD_STYLE}</style><script type="importmap">${JSON.stringify(MAP)}</script><body>`;
  });
  const page = frame.contentWindow;
  return { page, body: page.document.body, module: await page.eval(`import("/assets/site/${name}.js")`) };
}

/** A board block of two rows and five columns alone, and what its acts did after the keys of a visitor. */
async function pressed(keys, more) {
  const { page, body, module } = await ofSite("blocks");
  const scene = dressedScene((one) => {
    one.panels = [{ id: "worth", array: "worth", rows: 0, columns: 1, place: [0, 0], title: "worth", role: "result", size: "full" }];
    one.arrays = { worth: array([2, 5], "TS", Array.from({ length: 10 }, (_, i) => i)) };
    Object.assign(one, { rules: {}, player: false, arithmetic: false, cell: { array: "worth", index: [0, 0] } });
  });
  const acts = [];
  const box = body.appendChild(page.document.createElement("div"));
  const blocks = new module.Blocks(box, { do: (act) => acts.push(act) });
  blocks.update([{ kind: "board", board: scene, clicks: {}, sets: {}, opens: "", press: "", ...more }]);
  await wait(50);
  const panel = box.querySelector('[data-panel="worth"]');
  for (const key of keys) panel.dispatchEvent(new page.KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  return acts;
}

const TO_1_3 = ["ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight", "Enter"];

test("a click on cell (1, 3) of two rows of five sets what stands for it, row by row", async () => {
  const clicks = { worth: Array.from({ length: 10 }, (_, i) => ({ cell: `${Math.floor(i / 5)}-${i % 5}` })) };
  const act = (await pressed(TO_1_3, { clicks })).at(-1);
  assert.deepEqual(act.changes, { cell: "1-3" });
  assert.deepEqual(act.pin, { array: "worth", index: [1, 3] });
  assert.deepEqual(act.axes, [["T", null], ["S", null]]);
});

test("a click fills the places of its cell into what it sets, and opens the page that it opens", async () => {
  const act = (await pressed(TO_1_3, { sets: { worth: { query: "{0}", key: "{1}", both: "{1}-{0}-0" } }, opens: "one-head" })).at(-1);
  assert.deepEqual(act, { changes: { query: "1", key: "3", both: "3-1-0" }, to: "one-head" });
});

test("a board that Python answers sends its name and the cell", async () => {
  const act = (await pressed(TO_1_3, { press: "batch" })).at(-1);
  assert.deepEqual(act, { press: "batch", cell: { array: "worth", index: [1, 3] } });
});

/** The form of some controls, and what was changed there. */
async function form(controls) {
  const { page, body, module } = await ofSite("controls");
  const made = body.appendChild(page.document.createElement("form"));
  const changes = [];
  const draw = (now) => module.drawControls(made, now.map((one) => ({ group: "Sizes", label: one.name, help: "", on: true, ...one })), (...change) => changes.push(change));
  draw(controls);
  const moved = (name, act) => {
    act(made.elements[name]);
    for (const type of ["input", "change"]) made.elements[name].dispatchEvent(new page.Event(type));
    return changes.at(-1);
  };
  return { made, draw, moved };
}

test("a scale goes from its first option to its last, and says the one it holds", async () => {
  const { made, draw, moved } = await form([{ name: "so_far", kind: "scale", options: [["1", "one"], ["2", "two"], ["3", "three"], ["4", "all"]], value: "4" }]);
  const field = made.elements.so_far;
  const said = () => [field.value, field.closest("label").querySelector("output").textContent];
  assert.deepEqual([field.min, field.max, ...said()], ["0", "3", "3", "all"]);
  assert.deepEqual(moved("so_far", (one) => (one.value = 0)), ["so_far", "1"]);
  draw([{ name: "so_far", kind: "scale", options: [["1", "one"], ["2", "two"], ["3", "three"], ["4", "all"]], value: 2 }]);
  assert.deepEqual(said(), ["1", "two"]);
});

test("a scale of numbers goes from its lowest to its highest", async () => {
  const { made, moved } = await form([{ name: "window", kind: "scale", options: [], low: 2, high: 8, step: 3, value: 5 }]);
  const field = made.elements.window;
  const said = () => [field.value, field.closest("label").querySelector("output").textContent];
  assert.deepEqual([field.min, field.max, field.step, ...said()], ["2", "8", "3", "5", "5"]);
  assert.deepEqual(moved("window", (one) => (one.value = 8)), ["window", "8"]);
  assert.deepEqual(said(), ["8", "8"]);
});

test("of buttons one is pressed, also where its key has a point, and they keep the keyboard", async () => {
  const decay = { name: "decay", kind: "buttons", options: [["1", "1"], ["0.9", "0.9"], ["0", "none"]], value: "0.9" };
  const { made, draw, moved } = await form([decay]);
  const buttons = () => [...made.elements.decay.querySelectorAll("input")];
  const pressed = () => buttons().map((one) => one.checked);
  assert.deepEqual([made.elements.decay.textContent, buttons()[0].type, pressed()], ["10.9none", "radio", [false, true, false]]);
  buttons()[2].focus();
  assert.deepEqual(moved("decay", () => (buttons()[2].checked = true)), ["decay", "0"]);
  draw([{ ...decay, value: "1" }]);
  assert.deepEqual([pressed(), buttons().indexOf(made.ownerDocument.activeElement)], [[true, false, false], 2]);
});

test("each kind of field tells what it holds: a key, several keys, a switch, a number", async () => {
  const { made, moved } = await form([
    { name: "kind", kind: "menu", options: [["gqa", "GQA"], ["mqa", "MQA"]], value: "mqa" },
    { name: "heads", kind: "several", options: [["0", "0"], ["1", "1"], ["2", "2"]], value: "0.2" },
    { name: "query", kind: "menu", options: [["0", "0 · a"], ["1", "1 · b"], ["2", "2 · c"]], value: 2 },
    { name: "causal", kind: "switch", value: true },
    { name: "d_model", kind: "number", low: 4, high: 512, step: 4, value: 16 },
    { name: "idle", kind: "switch", value: false, on: false },
  ]);
  const { elements } = made;
  assert.deepEqual([elements.kind.value, elements.query.value, elements.causal.checked, elements.d_model.value], ["mqa", "2", true, "16"]);
  const ticked = () => [...elements.heads.querySelectorAll(":checked")].map((one) => one.value);
  assert.deepEqual(ticked(), ["0", "2"]);
  assert.deepEqual([elements.d_model.min, elements.d_model.step, elements.idle.disabled, elements.kind.disabled], ["4", "4", true, false]);
  assert.deepEqual(moved("kind", (one) => (one.selectedIndex = 0)), ["kind", "gqa"]);
  assert.deepEqual(moved("heads", (one) => (one.querySelectorAll("input")[1].checked = true)), ["heads", "0.1.2"]);
  assert.deepEqual(moved("query", (one) => (one.selectedIndex = 1)), ["query", "1"]);
  assert.deepEqual(moved("causal", (one) => (one.checked = false)), ["causal", false]);
});

/** The bar of a lesson after an answer: each option with its marks. */
function answered(place, right, options = ["a", "b", "c"]) {
  const bar = document.body.appendChild(document.createElement("div"));
  const told = [];
  fillMoment(bar, { title: "t", text: "", question: { ask: "?", options, right, why: "so" } }, { place: 1, count: 3, lesson: "l" }, (...answer) => told.push(answer));
  const buttons = [...bar.querySelectorAll(".lesson-question button:not(.lesson-reveal)")];
  buttons[place].click();
  return { marks: buttons.map((one) => one.className), told, isHidden: bar.querySelector("output").hidden, hrefs: [...bar.querySelectorAll("a")].map((one) => one.getAttribute("href")), count: bar.querySelector(".lesson-count").textContent };
}

test("of a question the right answer is marked, and the chosen one if it is another", () => {
  assert.deepEqual(answered(2, 1).marks, ["", "right", "wrong"]);
  assert.deepEqual(answered(1, 1).marks, ["", "right", ""]);
  assert.deepEqual([answered(2, 1).told, answered(1, 1).told], [[[2, false]], [[1, true]]]);
  const { isHidden, hrefs, count } = answered(0, 0);
  assert.deepEqual([isHidden, hrefs, count], [false, ["#1", "#3"], "2/3"]);
});

// What the builder writes into the page.
const ABOUT = { total: 2e6, model: 3e6, languageModel: 1e6, lessons: [], stored: ["overview", "all-heads", "cache"], old: {}, away: [], layer: [], repository: "" };

/** The whole page of the site at an address, with a worker that only notes what it is asked. */
async function siteAt(address) {
  const frame = document.body.appendChild(Object.assign(document.createElement("iframe"), { width: 1200, height: 800 }));
  await new Promise((resolve) => {
    frame.addEventListener("load", resolve);
    frame.src = "./";
  });
  const page = frame.contentWindow;
  const source = await (await fetch(new URL("../../assets/site/index.html", import.meta.url))).text();
  page.document.body.replaceChildren(...new DOMParser().parseFromString(source, "text/html").body.children);
  for (const one of page.document.querySelectorAll("body script, noscript")) one.remove();
  page.document.body.append(Object.assign(page.document.createElement("script"), { type: "application/json", id: "about", textContent: JSON.stringify(ABOUT) }));
  page.history.replaceState(null, "", address);
  const real = page.fetch.bind(page);
  page.fetch = (name) => (/json$/.test(name) ? Promise.resolve(new Response("", { status: 404 })) : real(name));
  const made = { page, asked: [], part: (id) => page.document.getElementById(id) };
  page.Worker = class {
    constructor() {
      made.worker = this;
    }
    postMessage(message) {
      made.asked.push(message);
    }
    terminate() {}
  };
  page.document.head.append(Object.assign(page.document.createElement("script"), { type: "importmap", textContent: JSON.stringify(MAP) }));
  await page.eval('import("/assets/site/site.js")');
  await wait(50);
  made.hear = async (data) => {
    made.worker.onmessage({ data });
    await wait(20);
  };
  made.answer = (answer) => made.hear({ id: made.asked.at(-1).id, answer: JSON.stringify({ controls: [], refused: [], row: STRIP, blocks: [], title: "t", ...answer }) });
  made.here = () => page.location.search + page.location.hash;
  return made;
}

const STRIP = dressedScene((scene) => Object.assign(scene, { stage: { steps: [], chapter: "" }, panels: [], arrays: {}, rules: {}, player: false, arithmetic: false, cell: null }));

test("what a visitor does before the engine is there waits for it; then one is asked after the other", async () => {
  const site = await siteAt("/?head=2#all-heads");
  site.part("undo").click();
  assert.equal(site.asked.length, 0);
  await site.hear({ loaded: 1.5e6 });
  assert.ok(site.part("engine").textContent.includes("1.5 of 2.0 MB"));
  await site.hear({ ready: true });
  const [{ request }] = site.asked;
  assert.deepEqual([request.path, request.query, request.act, request.model], ["all-heads", "head=2", { undo: true }, true]);
});

test("an answer to an act is one entry of the history; one without an act is none", async () => {
  const site = await siteAt("/?head=2#all-heads");
  await site.hear({ ready: true });
  const before = site.page.history.length;
  await site.answer({ path: "all-heads", query: "head=2&seed=1" });
  assert.deepEqual([site.here(), site.page.history.length - before], ["?head=2#all-heads", 0]);
  site.part("undo").click();
  await wait(20);
  await site.answer({ path: "all-heads", query: "head=3" });
  assert.deepEqual([site.here(), site.page.history.length - before], ["?head=3#all-heads", 1]);
});

test("an answer that needs a model loads it, says how much has come, and asks the same again", async () => {
  const site = await siteAt("/?weights=x#cache");
  await site.hear({ loaded: 2e6 });
  await site.hear({ ready: true });
  const [{ request }] = site.asked;
  await site.hear({ id: site.asked[0].id, answer: JSON.stringify({ needs: "language-model" }) });
  assert.equal(site.asked.at(-1).load, "language-model");
  await site.hear({ loaded: 2.25e6 });
  assert.ok(site.part("engine").textContent.includes("language model is loading: 0.3 of 1.0 MB"));
  await site.hear({ id: site.asked.at(-1).id, answer: "{}" });
  assert.deepEqual(site.asked.at(-1).request, request);
});

test("an engine that does not start is named, and what is stored is shown", async () => {
  const site = await siteAt("/#cache");
  await site.hear({ failed: "no memory" });
  assert.ok(site.part("engine").textContent.includes("no memory"));
  await site.hear({ ready: true }); // too late
  assert.equal(site.asked.length, 0);
});

// The modules of the engine as the builder packs them: the length of a list, the list with the sizes, all contents.
function modulesOf(files) {
  const list = new TextEncoder().encode(JSON.stringify(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, text.length]))));
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, list.length, true);
  return new Blob([length, list, ...Object.values(files)]);
}

const MODULES = modulesOf({ "attention_viz/site.py": "abc", "json.py": "de" });
const ENGINE = { "pyodide/pyodide.js": "//1", "pyodide/pyodide.asm.js": "//34", "pyodide/modules": MODULES };

/** The worker with a Python that notes what is written to its files; models: what is fetched besides the engine; sizes: what the builder says of them. */
async function workerWith(models = {}, sizes = {}) {
  const files = { ...ENGINE, ...models };
  const parts = { "pyodide.js": 3, "pyodide.asm.js": 4, modules: MODULES.size, "language-model": sizes };
  const source = (await (await fetch(new URL("../../assets/site/worker.js", import.meta.url))).text()).replace("= SIZES", `= ${JSON.stringify(parts)}`);
  const made = { told: [], written: [], folders: [], asked: [] };
  const get = async (name) => (name in files ? new Response(files[name]) : new Response("", { status: 404 }));
  const self = { fetch: get, postMessage: (message) => made.told.push(message), location: window.location };
  const FS = { mkdirTree: (path) => made.folders.push(path), writeFile: (path, data) => made.written.push([path, data.length]) };
  const answer = (request) => (made.asked.push(request), request.includes("bad") ? (() => { throw new Error("Traceback\nValueError: it is bad"); })() : "{\"a\": 1}");
  new Function("self", "importScripts", "loadPyodide", source)(self, () => {}, async () => ({ FS, runPython: () => answer }));
  await wait(60);
  made.ask = async (data) => {
    await self.onmessage({ data });
    return made.told.at(-1);
  };
  return made;
}

test("the worker counts what arrives, writes the modules and says that it is ready", async () => {
  const worker = await workerWith();
  assert.deepEqual(worker.folders, ["/lab/attention_viz", "/lab"]);
  assert.deepEqual(worker.written, [["/lab/attention_viz/site.py", 3], ["/lab/json.py", 2]]);
  assert.deepEqual(worker.told.slice(-2), [{ loaded: 3 + 4 + MODULES.size }, { ready: true }]);
  assert.deepEqual(await worker.ask({ id: 7, request: { path: "cache" } }), { id: 7, answer: '{"a": 1}' });
  assert.deepEqual(worker.asked, ['{"path":"cache"}']);
  assert.equal((await worker.ask({ id: 8, request: { path: "bad" } })).broken, "ValueError: it is bad");
});

test("a model is written file by file into its folder, its list last; a part that is missing or cut is named", async () => {
  const sizes = { "checksums.json": 4, "weights.npz": 7, "tokens.json": 3 };
  const files = { "language-model/checksums.json": "list", "language-model/weights.npz": "1234567", "language-model/tokens.json": "123" };
  const worker = await workerWith(files, sizes);
  assert.deepEqual(await worker.ask({ id: 1, load: "language-model" }), { id: 1, answer: "{}" });
  const home = "/lab/assets/stories260k";
  assert.equal(worker.folders.at(-1), home);
  assert.deepEqual(worker.written.slice(2), [["weights.npz", 7], ["tokens.json", 3], ["checksums.json", 4]].map(([name, size]) => [`${home}/${name}`, size]));
  const { "language-model/tokens.json": _, ...fewer } = files;
  for (const [given, why] of [[fewer, "tokens.json is not on the server"], [{ ...files, "language-model/tokens.json": "12" }, "tokens.json is not whole: 2 of 3 bytes came"]]) {
    const broken = await workerWith(given, sizes);
    const told = await broken.ask({ id: 2, load: "language-model" });
    assert.ok(told.lost && told.broken.includes(why), told.broken);
    assert.ok(!broken.written.some(([path]) => path.endsWith("checksums.json")));
  }
});
