import { openPalette } from "../../assets/board/draw/colours.js";
import { layOut } from "../../assets/board/place/layout.js";
import { highlightsOf, pageOf, paintHighlights, paintTileFrames } from "../../assets/board/draw/overlay.js";
import { firstSlices, openScene } from "../../assets/board/scene/scene.js";
import { noting } from "./noting.js";
import { along, array, linear, opened, productScene, running, words } from "./scenes.js";
import { assert, test } from "./testing.js";

const palette = { background: "#000000", text: "#111111", muted: "#222222", focus: "#333333", primary: "#444444", query: "#555555", key: "#666666" };
const slices = { left: [1, 0, 0], right: [0, 0], result: [1, 0, 0] };

// A panel of a product at a place, in cells of 20 by 10 px; tiles: where the matrices of its stack stand.
function box(model, id, x, y, tiles = [{ place: null, dx: 0, dy: 0 }], more = {}) {
  const panel = model.panels.find((one) => one.id === id);
  const array = model.arrays[panel.array];
  const seen = (axis) => ({ start: 0, count: axis === null ? 1 : array.shape[axis] });
  const [rows, columns] = [seen(panel.rows), seen(panel.columns)];
  const size = { tileWidth: 20 * columns.count, tileHeight: 10 * rows.count };
  const placed = tiles.map((tile) => ({ ...tile, x: x + tile.dx, y: y + tile.dy }));
  const body = { x, y, bodyWidth: size.tileWidth, bodyHeight: size.tileHeight, cell: { width: 20, height: 10 }, labelled: [], labelTop: 0 };
  return { panel, array, rows, columns, ...size, ...body, tiles: placed, tileColumns: tiles.length, ...more };
}

// What frames cells when one is current: [colour, where] of each.
function frames(cell, change = () => {}) {
  const model = opened();
  const boxes = [box(model, "left", 0, 100), box(model, "right", 100, 0), box(model, "result", 100, 100)];
  change(model, boxes);
  const { context, drawn } = noting();
  const look = { model, boxes, palette, zoom: 1, font: "", slices: { ...slices, row: [0, 0] } };
  paintHighlights(context, look, cell, highlightsOf(model, cell));
  return drawn.filter((one) => one[1] !== "fill" && one.at(-1).startsWith("R")).map((one) => one.join(" "));
}

test("a cell is framed on a ground of its own, what it reads in its colour; other slices than those shown are not", () => {
  assert.deepEqual(frames({ array: "result", index: [1, 1, 3] }), [
    "#555555 R-0.5,109.5,61,11", "#666666 R159.5,-0.5,21,31", "#000000 R159.5,109.5,21,11", "#333333 R159.5,109.5,21,11",
  ]);
  assert.deepEqual(frames({ array: "result", index: [0, 1, 3] }), ["#666666 R159.5,-0.5,21,31"]);
});

test("what reads a cell is framed by dashes", () => [frames({ array: "right", index: [2, 1] })[0], "#111111 dashed R140.5,100.5,19,19"]);

test("dashes remain a frame where cells are smaller than their lines", () => {
  const small = (_, boxes) => Object.assign(boxes[2], { cell: { width: 0.5, height: 0.5 } });
  assert.deepEqual(frames({ array: "left", index: [1, 0, 0] }, small)[0], "#111111 dashed R100.5,100.5,1.5,1");
});

test("in a row opened below a matrix, the place of the current cell is framed, too", () => {
  const unfolded = (axes, whole) => (model, boxes) => {
    model.arrays.row = { ...model.arrays.right, name: "row", axes, shape: whole, whole, start: [0, 0] };
    model.panels.push({ id: "row", array: "row", rows: 0, columns: 1, tiles: null, role: "row" });
    boxes.push(box(model, "row", 100, 300, undefined, { rows: { start: 0, count: 1 } }));
  };
  const cell = { array: "result", index: [1, 1, 3] };
  const found = frames(cell, unfolded(["T", "S"], [2, 5])).filter((one) => one.includes(",299.5,"));
  assert.deepEqual(found, ["#000000 R159.5,299.5,21,11", "#333333 R159.5,299.5,21,11"]);
  assert.equal(frames(cell, unfolded(["T", "K"], [2, 3])).length, 4, "it runs along another axis");
  assert.equal(frames(cell, unfolded(["T", "S"], [2, 4])).length, 4, "it is of another length");
});

// The frames around the tiles of stacks, each of two tiles: [left, top, width, height].
function tileFrames(changes, current = null) {
  const model = opened();
  const tiles = [{ place: 0, dx: 0, dy: 0 }, { place: 1, dx: 200, dy: 0 }];
  const boxes = changes.map((more, i) => box(model, "all", 0, 100 * i, tiles, { small: true, ...more }));
  boxes.forEach((one) => (one.panel = { ...one.panel, arrange: "across", ...one.own }));
  const { context, drawn } = noting();
  paintTileFrames(context, { boxes: [box(model, "left", 500, 0), ...boxes], slices, palette }, current);
  assert.ok(drawn.every(([colour]) => colour === palette.primary));
  return drawn.map((one) => one.at(-1));
}

test("the matrix of a stack that the board shows is framed, closely where matrices are large", () => {
  assert.deepEqual(tileFrames([{ small: false }]), ["R199,-1,102,22"]);
  assert.deepEqual(tileFrames([{}]), ["R197.5,-2.5,105,25"]);
  assert.deepEqual(tileFrames([{ tiles: [{ place: 0, x: 0, y: 0 }] }]), [], "it is not among those in sight");
});

test("of several lines of small matrices, only that of the current cell has its frame; other stacks keep theirs", () => {
  const other = { own: { array: "left", tiles: 0 } };
  assert.deepEqual(tileFrames([{}, other], { array: "left", index: [1, 0, 0] }), ["R197.5,97.5,105,25"]);
  assert.deepEqual(tileFrames([{}, other]), []);
  assert.equal(tileFrames([{}, { ...other, small: false }]).length, 2);
});

const { result: product } = productScene().rules;
const biased = {
  arrays: { bias: array([5], "S", [0, 0, 0, 0, 0]) },
  rules: { result: { ...product, adds: [{ array: "bias", at: [along(2)] }] } },
};
const [turned, copied] = [array([3, 2, 2], "KHT", null), { operation: "copy", length: 1, reads: [{ array: "left", at: [along(1), along(2), along(0)] }] }];
const picked = { operation: "sum", length: 2, reads: [{ array: "left", at: [running, running, along(0)] }] };
const beyond = [product.reads[0], { array: "right", at: [linear([[2, 1]]), linear([])] }];

// Of each fact: what the product has besides, a cell, and what is lit with it.
const LIT = {
  "a result cell lights its row on the left and its column above": [{}, "result", [1, 0, 4], ["read left 1,0,0 1,0,2", "read right 4,0 4,2"]],
  "an operand's cell hints at all cells that read it": [{}, "right", [4, 1], ["reader result 0,0,4 1,1,4"]],
  "cells read that do not follow one another are lit one by one":
    [{ arrays: { picked: array([3], "K", null) }, rules: { picked } }, "picked", [2], ["read left 0,0,2 0,0,2", "read left 1,1,2 1,1,2"]],
  "what is added once is lit once": [biased, "result", [0, 0, 3], ["read left 0,0,0 0,0,2", "read right 3,0 3,2", "read bias 3 3"]],
  "it hints at the cells to which it is added": [biased, "bias", [3], ["reader result 0,0,3 1,1,3"]],
  "cells outside the whole light nothing": [{ rules: { result: { ...product, reads: beyond } } }, "right", [2, 1], []],
  "where a number was copied to, its other copies are lit as its twins":
    [{ arrays: { copy: turned, other: turned }, rules: { copy: copied, other: copied } }, "copy", [2, 0, 1], ["read left 0,1,2 0,1,2", "twin other 2,0,1 2,0,1"]],
};
for (const [fact, [more, name, index, expected]] of Object.entries(LIT)) {
  test(fact, () => {
    const [cell, ...lights] = highlightsOf(opened(more), { array: name, index }).map(({ kind, array: of, low, high }) => `${kind} ${of} ${low} ${high}`);
    return [[cell, ...lights], [`cell ${name} ${index} ${index}`, ...expected]];
  });
}

// Where rounded rectangles are drawn, and what is written.
function patching() {
  const notes = { patches: [], texts: [] };
  const { context } = noting();
  let [x, y] = [0, 0];
  Object.assign(context, {
    translate: (dx, dy) => ([x, y] = [dx, dy]),
    restore: () => ([x, y] = [0, 0]),
    roundRect: (left, top, width, height) => notes.patches.push({ x: x + left, y: y + top, width, height }),
    fillText: (text) => notes.texts.push(text),
  });
  return [context, notes];
}

// What is drawn over a scene for a cell of it; change: what is done to the boxes before.
function highlighted(scene, cell, change = () => {}) {
  const model = openScene(scene);
  const { boxes } = layOut(model, { width: 1200, zoom: 1, measure: (text) => 6 * text.length, starts: new Map() });
  boxes.forEach(change);
  const [context, notes] = patching();
  const grey = [[0, "#888888"], [1, "#888888"]];
  const inks = openPalette({ ...palette, logit: grey, probability: grey });
  paintHighlights(context, { model, boxes, palette: inks, zoom: 1, font: "", slices: firstSlices(model) }, cell, highlightsOf(model, cell));
  return { box: boxes[0], notes };
}

// What is drawn to mark a cell of a square of words, with cells of so many px.
function marked(size, height, width, index) {
  const scene = productScene();
  for (const letter of "TS") scene.axes[letter].labels = words(size, "word ");
  Object.assign(scene, { arrays: { result: array([2, size, size], "HTS", Array(2 * size * size).fill(0)) }, rules: {} });
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

test("beside a matrix without numbers its lit row is opened in pages, which turn at their end", () => {
  const seen = (place) => pageOf({ start: 4, count: 10 }, place, 90, 30).places.join();
  assert.deepEqual([4, 6, 7, 13].map(seen), ["4,5,6", "4,5,6", "7,8,9", "11,12,13"]);
  assert.equal(pageOf({ start: 0, count: 2 }, 1, 90, 30).places.join(), "0,1");
  assert.deepEqual([3, 4].map((count) => pageOf({ start: 0, count }, 0, 90, 30, 25).places.length), [3, 2], "room is left for words where not all fit");
});
