import { openPalette } from "../../assets/board/draw/colours.js";
import { paintPanel } from "../../assets/board/draw/paint.js";
import { firstSlices, openScene } from "../../assets/board/scene/scene.js";
import { array, flagged } from "./scenes.js";
import { assert, test } from "./testing.js";

const SCALE = [[0, "#ff0000"], [0.5, "#808080"], [1, "#0000ff"]];
const GROUNDS = { background: "#ffffff", hidden: "#ffff00", hatch: "#ffff00" };
const LINES = { text: "#000000", muted: "#00ff00", line: "#00ffff", primary: "#ff00ff", output: "#000000" };
const palette = openPalette({ ...GROUNDS, ...LINES, logit: SCALE, probability: [[0, "#ffffff"], [1, "#000000"]] });

/** What is painted of a matrix of 2 rows and 3 columns from 10, 20 on: at(row, column) is the colour of a cell near a corner. */
function painted(numbers, { size = [20, 16], own = {}, more = {}, blank, axes = {}, tiles } = {}) {
  const shape = tiles ? [2, 2, 3] : [2, 3];
  const letters = tiles ? "HTK" : "TK";
  const model = openScene({ axes, arrays: { one: array(shape, letters, numbers, { limit: 1, ...own }) }, panels: [] });
  const first = tiles ? 1 : 0;
  const panel = { array: "one", tiles: tiles ? 0 : null, rows: first, columns: first + 1, ...more };
  const [width, height] = size;
  const seen = (count) => ({ start: 0, count });
  const places = (tiles ? [0, 1] : [null]).map((place) => ({ place, x: 10 + 100 * place, y: 20, dx: 100 * place, dy: 0 }));
  const unlabelled = { labelled: [], labelTop: 0, tileWidth: 60, tileColumns: places.length };
  const cell = { width, height, digits: -1 };
  const box = { panel, array: model.arrays.one, rows: seen(2), columns: seen(3), cell, tiles: places, ...unlabelled };
  const canvas = Object.assign(document.createElement("canvas"), { width: 300, height: 100 });
  const context = canvas.getContext("2d");
  paintPanel(context, box, { model, palette, zoom: 1, font: "sans-serif", slices: firstSlices(model), blank: blank && ((_, index) => blank(index)) });
  const colour = (x, y) => {
    const [red, green, blue, alpha] = context.getImageData(x, y, 1, 1).data;
    return alpha ? `#${[red, green, blue].map((part) => part.toString(16).padStart(2, "0")).join("")}` : null;
  };
  const at = (row, column, tile = 0) => colour(10 + 100 * tile + column * width + Math.floor(width / 2), 20 + row * height + Math.floor(height / 2));
  return { at, colour };
}

const cells = ({ at }) => [0, 1].flatMap((row) => [0, 1, 2].map((column) => at(row, column)));
const SHADES = ["#ff0000", "#808080", "#0000ff", "#0000ff", "#ff0000", "#808080"];
const close = (one, other) => [1, 3, 5].every((i) => Math.abs(parseInt(one.slice(i, i + 2), 16) - parseInt(other.slice(i, i + 2), 16)) <= 2);

test("large and small cells have the colours of their numbers, row by row", () => {
  for (const size of [[20, 16], [8, 7], [3, 3]]) {
    const found = cells(painted([-1, 0, 1, 2, -5, 0.001], { size }));
    assert.ok(found.every((colour, i) => colour && close(colour, SHADES[i])), `${size}: ${found}`);
  }
});

test("each matrix of a stack has its own numbers", () => {
  for (const size of [[20, 16], [3, 3]]) {
    const { at } = painted([-1, -1, -1, -1, -1, -1, 1, 1, 1, 1, 1, -1], { size, tiles: true });
    assert.deepEqual([at(0, 0), at(1, 2), at(0, 0, 1), at(1, 2, 1)], ["#ff0000", "#ff0000", "#0000ff", "#ff0000"]);
  }
});

test("shares have the scale of shares, and numbers the limit of their own head", () => {
  const { at } = painted([0, 0.5, 1, 0, 0, 0], { own: { kind: "probability" } });
  assert.ok(close(at(0, 1), "#808080") && close(at(0, 2), "#000000"));
  const limit = { axis: 0, values: [1, 100] };
  const own = painted([1, 1, 1, 1, 1, 1], { own: { limit } });
  assert.deepEqual([own.at(0, 0), close(own.at(1, 0), "#7e7e81")], ["#0000ff", true]);
});

test("hidden cells are hatched, and nothing is painted of cells that are not computed", () => {
  for (const size of [[20, 16], [8, 7]]) {
    const numbers = [1, 1, 1, 1, 1, 1];
    const masked = painted(numbers, { size, own: { masked: flagged([false, true, false, false, true, false]) } });
    assert.deepEqual(cells(masked).map((colour) => colour === "#0000ff"), [true, false, true, true, false, true]);
    const hatched = painted(numbers, { size, own: { hatched: flagged([false, false, true]) } });
    assert.deepEqual([hatched.at(0, 1), hatched.at(0, 2) === "#0000ff"], ["#0000ff", false]);
    const blank = painted(numbers, { size, blank: ([row, column]) => row === 1 && column > 0 });
    assert.deepEqual(cells(blank), ["#0000ff", "#0000ff", "#0000ff", "#0000ff", null, null]);
  }
});

test("changed cells have a frame and a filled corner, upper right", () => {
  const { colour } = painted([0, 0, 0, 0, 0, 0], { own: { changed: flagged([false, false, false, false, true, false]) } });
  assert.deepEqual([colour(47, 38), colour(27, 22)].map((one) => close(one, "#ff00ff")), [true, false]);
  assert.ok(!close(colour(34, 48), "#ff00ff") && colour(31, 44) !== colour(11, 44), "the frame at the left of the changed one");
});

test("cells that are small, but not very small, have lines between them in the ground's colour", () => {
  const edge = (size) => painted([1, 1, 1, 1, 1, 1], { size }).colour(10 + size[0], 20 + Math.floor(size[1] / 2));
  assert.ok(edge([8, 7]) !== "#0000ff");
  assert.equal(edge([5, 5]), "#0000ff");
  assert.equal(painted([1, 1, 1, 1, 1, 1], { size: [8, 7] }).colour(13, 23), "#0000ff");
});

test("blocks of columns and of rows are told apart by lines across the whole matrix, and a little beyond", () => {
  const block = (letter) => painted([1, 1, 1, 1, 1, 1], { axes: { [letter]: { word: "axis", labels: null, block: letter === "K" ? 2 : 1 } } }).colour;
  const columns = block("K");
  assert.deepEqual([columns(50, 19), columns(50, 35), columns(50, 53), columns(30, 35)].map((one) => one === "#00ff00"), [true, true, true, false]);
  const rows = block("T");
  assert.deepEqual([rows(9, 36), rows(71, 36), rows(40, 36), rows(40, 28)].map((one) => one === "#00ff00"), [true, true, true, false]);
});
