import { areaOf, cellUnder, fixedAxes, indexIn, middleOf, rectanglesOf } from "../../assets/board/place/geometry.js";
import { assert, test } from "./testing.js";

// Two tiles of a stack, 3 rows from 4 on and 5 columns from 10 on, in cells of 20 by 10 px.
const tiled = (more = {}) => ({
  panel: { array: "scores", tiles: 0, rows: 1, columns: 2, role: "result", ...more },
  cell: { width: 20, height: 10 },
  rows: { start: 4, count: 3 },
  columns: { start: 10, count: 5 },
  tiles: [{ place: 6, x: 100, y: 50 }, { place: 7, x: 300, y: 50 }],
});
const slices = { scores: [6, 4, 10] };
const shown = (areas) => areas.map(({ x, y, width, height, tile }) => [x, y, width, height, tile.place]);

test("the cell under a point is that of its tile, its row and its column, up to its last edge", () => {
  const under = (x, y) => cellUnder([tiled()], slices, x, y)?.index.join() ?? null;
  assert.deepEqual([under(100, 50), under(199.9, 79.9), under(119.9, 60), under(320, 59.9)], ["6,4,10", "6,6,14", "6,5,10", "7,4,11"]);
  assert.deepEqual([under(99.9, 60), under(200, 60), under(150, 49.9), under(150, 80), under(250, 60)], Array(5).fill(null));
});

test("what a panel does not draw keeps the place of its slice", () => {
  assert.deepEqual(indexIn(tiled({ tiles: null }), [3, 0, 0], null, 1, 2), [3, 1, 2]);
  assert.deepEqual(indexIn(tiled({ rows: null, columns: 1 }), [3, 8, 9], 5, 1, 2), [5, 2, 9]);
  assert.deepEqual(fixedAxes(tiled({ rows: null }), 4), [1, 3]);
});

test("a range of cells fills a rectangle in every tile that it has, as far as the window shows it", () => {
  const filled = (low, high) => shown(rectanglesOf(tiled(), slices.scores, low, high));
  assert.deepEqual(filled([6, 5, 11], [6, 5, 11]), [[120, 60, 20, 10, 6]]);
  assert.deepEqual(filled([0, 5, 12], [9, 6, 13]), [[140, 60, 40, 20, 6], [340, 60, 40, 20, 7]]);
  assert.deepEqual(filled([7, 0, 0], [7, 99, 99]), [[300, 50, 100, 30, 7]]);
  assert.deepEqual([filled([6, 7, 11], [6, 9, 11]), filled([6, 4, 0], [6, 4, 9]), filled([8, 4, 10], [9, 4, 10])], [[], [], []]);
});

test("of another slice than the one shown nothing is in sight", () => {
  const one = { ...tiled({ tiles: null }), tiles: [{ place: null, x: 100, y: 50 }] };
  const seen = (head) => rectanglesOf(one, [head, 0, 0], [2, 4, 10], [3, 4, 10]).length;
  assert.deepEqual([1, 2, 3, 4].map(seen), [0, 1, 1, 0]);
});

test("an axis that is not drawn takes one row or column", () => {
  const row = { ...tiled({ tiles: null, rows: null, columns: 0 }), rows: { start: 0, count: 1 }, tiles: [{ place: null, x: 100, y: 50 }] };
  assert.deepEqual(shown(rectanglesOf(row, [12], [11], [12])), [[120, 50, 40, 10, null]]);
});

test("a cell is looked for in the first full panel that shows it, if wanted in one of a role", () => {
  const [small, operand, result] = [{ ...tiled(), small: true }, tiled({ role: "operand" }), tiled()];
  const found = (boxes, index, role) => boxes.indexOf(areaOf({ boxes, slices }, { array: "scores", index }, role)?.box);
  const boxes = [small, operand, result];
  assert.deepEqual([found(boxes, [6, 4, 10]), found(boxes, [6, 4, 10], "result"), found(boxes, [6, 9, 10])], [1, 2, -1]);
  assert.deepEqual(middleOf({ x: 10, y: 20, width: 30, height: 8 }), [25, 24]);
});
