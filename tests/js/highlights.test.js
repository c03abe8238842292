import { openPalette } from "../../assets/board/draw/colours.js";
import { layOut } from "../../assets/board/place/layout.js";
import { highlightsOf, paintHighlights } from "../../assets/board/draw/overlay.js";
import { firstSlices, openScene } from "../../assets/board/scene/scene.js";
import { along, array, linear, productScene, running } from "./scenes.js";
import { assert, test } from "./testing.js";

const brief = (lights) => lights.map(({ kind, array: name, low, high }) => [kind, name, low.join(), high.join()]);

test("a result cell lights itself, its row on the left and its column above", () => {
  const lights = highlightsOf(openScene(productScene()), { array: "result", index: [1, 0, 4] });
  assert.deepEqual(brief(lights), [
    ["cell", "result", "1,0,4", "1,0,4"],
    ["read", "left", "1,0,0", "1,0,2"],
    ["read", "right", "4,0", "4,2"],
  ]);
});

test("an operand's cell hints at all cells that read it", () => {
  const lights = highlightsOf(openScene(productScene()), { array: "right", index: [4, 1] });
  assert.deepEqual(brief(lights)[1], ["reader", "result", "0,0,4", "1,1,4"]);
});

test("cells read that do not follow one another are lit one by one", () => {
  const scene = productScene();
  scene.arrays.picked = array([3], "K", null);
  scene.rules.picked = { operation: "sum", length: 2, reads: [{ array: "left", at: [running, running, along(0)] }] };
  const lights = highlightsOf(openScene(scene), { array: "picked", index: [2] });
  assert.deepEqual(brief(lights).slice(1), [
    ["read", "left", "0,0,2", "0,0,2"],
    ["read", "left", "1,1,2", "1,1,2"],
  ]);
});

test("what is added once is lit once", () => {
  const scene = productScene();
  scene.arrays.bias = array([5], "S", [0, 0, 0, 0, 0]);
  scene.rules.result.adds = [{ array: "bias", at: [along(2)] }];
  const model = openScene(scene);
  assert.deepEqual(brief(highlightsOf(model, { array: "result", index: [0, 0, 3] })).at(-1), ["read", "bias", "3", "3"]);
  assert.deepEqual(brief(highlightsOf(model, { array: "bias", index: [3] }))[1], ["reader", "result", "0,0,3", "1,1,3"]);
});

test("cells outside the whole light nothing", () => {
  const scene = productScene();
  scene.rules.result.reads[1].at = [linear([[2, 1]]), linear([])];
  assert.equal(highlightsOf(openScene(scene), { array: "right", index: [2, 1] }).length, 1);
});

test("where a number was copied to, its other copies are lit as its twins", () => {
  const scene = productScene();
  for (const name of ["copy", "other"]) {
    scene.arrays[name] = array([3, 2, 2], "KHT", null);
    scene.rules[name] = { operation: "copy", length: 1, reads: [{ array: "left", at: [along(1), along(2), along(0)] }] };
  }
  const lights = highlightsOf(openScene(scene), { array: "copy", index: [2, 0, 1] });
  assert.deepEqual(brief(lights).slice(1), [
    ["read", "left", "0,1,2", "0,1,2"],
    ["twin", "other", "2,0,1", "2,0,1"],
  ]);
});

// A canvas that notes where rounded rectangles are drawn and what is written.
function noting() {
  const notes = { patches: [], texts: [] };
  let [x, y] = [0, 0];
  const acts = {
    measureText: (text) => ({ width: 6 * text.length }),
    createLinearGradient: () => ({ addColorStop() {} }),
    translate: (dx, dy) => ([x, y] = [dx, dy]),
    restore: () => ([x, y] = [0, 0]),
    roundRect: (left, top, width, height) => notes.patches.push({ x: x + left, y: y + top, width, height }),
    fillText: (text) => notes.texts.push(text),
  };
  return [new Proxy({}, { get: (_, name) => acts[name] ?? (() => {}), set: () => true }), notes];
}

// What is drawn over a scene for a cell of it; change: what is done to the boxes before.
function highlighted(scene, cell, change = () => {}) {
  const model = openScene(scene);
  const { boxes } = layOut(model, { width: 1200, zoom: 1, measure: (text) => 6 * text.length, starts: new Map() });
  boxes.forEach(change);
  const [context, notes] = noting();
  const grey = "#888888";
  const names = ["background", "text", "muted", "focus", "primary", "query", "key"];
  const scales = { logit: [[0, grey], [1, grey]], probability: [[0, grey], [1, grey]] };
  const palette = openPalette({ ...Object.fromEntries(names.map((name) => [name, grey])), ...scales });
  paintHighlights(context, { model, boxes, palette, zoom: 1, font: "", slices: firstSlices(model) }, cell, highlightsOf(model, cell));
  return { box: boxes[0], notes };
}

// What is drawn to mark a cell of a square of words, with cells of so many px.
function marked(size, height, width, index) {
  const scene = productScene();
  const labels = Array.from({ length: size }, (_, i) => `word ${i}`);
  for (const letter of "TS") scene.axes[letter].labels = labels;
  scene.arrays = { result: array([2, size, size], "HTS", Array(2 * size * size).fill(0)) };
  scene.rules = {};
  scene.panels = scene.panels.filter(({ id }) => id === "result");
  return highlighted(scene, { array: "result", index: [0, ...index] }, (box) => Object.assign(box, { cell: { width, height, digits: -1 } }));
}

test("what marks a label does not cover the labels above and below", () => {
  const { box, notes } = marked(9, 11, 40, [4, 4]);
  const row = notes.patches.find(({ x }) => x < box.x);
  assert.close(row.y + row.height / 2, box.y + 4.5 * 11);
  assert.close(row.height, 2 * (11 - 0.4 * 11)); // up to where half the height of the next line of type begins
});

test("a label that the marked one would be written into is hidden", () => {
  const spots = ({ box, notes }) => notes.patches.filter(({ x }) => x < box.x).map(({ y, height }) => (y + height / 2 - box.y) / 4);
  assert.deepEqual([...new Set(spots(marked(9, 4, 40, [5, 4])))], [5.5]);
  assert.deepEqual([...new Set(spots(marked(9, 4, 40, [6, 4])))], [5.5, 6.5]);
});

test("what tiles are called stands over the links that lead past", () => {
  const scene = productScene();
  const all = scene.panels.find(({ id }) => id === "all");
  Object.assign(all, { size: "full", role: "operand" });
  const { notes } = highlighted(scene, { array: "result", index: [0, 1, 2] });
  assert.deepEqual(notes.texts.slice(0, 2), ["head 0", "head 1"]);
});
