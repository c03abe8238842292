import { highlightsOf, paintHighlights, paintTileFrames } from "../../assets/board/draw/overlay.js";
import { openScene } from "../../assets/board/scene/scene.js";
import { noting } from "./noting.js";
import { productScene } from "./scenes.js";
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
  const model = openScene(productScene());
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

test("what reads a cell is framed by dashes", () => {
  assert.deepEqual(frames({ array: "right", index: [2, 1] })[0], "#111111 dashed R140.5,100.5,19,19");
});

test("dashes remain a frame where cells are smaller than their lines", () => {
  const small = (_, boxes) => Object.assign(boxes[2], { cell: { width: 0.5, height: 0.5 } });
  assert.deepEqual(frames({ array: "left", index: [1, 0, 0] }, small)[0], "#111111 dashed R100.5,100.5,1.5,1");
});

test("in a row opened below a matrix, the place of the current cell is framed, too", () => {
  const opened = (axes, whole) => (model, boxes) => {
    model.arrays.row = { ...model.arrays.right, name: "row", axes, shape: whole, whole, start: [0, 0] };
    model.panels.push({ id: "row", array: "row", rows: 0, columns: 1, tiles: null, role: "row" });
    boxes.push(box(model, "row", 100, 300, undefined, { rows: { start: 0, count: 1 } }));
  };
  const cell = { array: "result", index: [1, 1, 3] };
  const found = frames(cell, opened(["T", "S"], [2, 5])).filter((one) => one.includes(",299.5,"));
  assert.deepEqual(found, ["#000000 R159.5,299.5,21,11", "#333333 R159.5,299.5,21,11"]);
  assert.equal(frames(cell, opened(["T", "K"], [2, 3])).length, 4, "it runs along another axis");
  assert.equal(frames(cell, opened(["T", "S"], [2, 4])).length, 4, "it is of another length");
});

// The frames around the tiles of stacks, each of two tiles: [left, top, width, height].
function tileFrames(changes, current = null) {
  const model = openScene(productScene());
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
