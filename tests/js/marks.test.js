import { onDiagonal, paintMarks, strokesOf } from "../../assets/board/draw/paint.js";
import { openScene } from "../../assets/board/scene/scene.js";
import { noting } from "./noting.js";
import { array as given, flagged } from "./scenes.js";
import { assert, test } from "./testing.js";

const PALETTE = { line: "#111111", hidden: "#222222", hatch: "#333333", primary: "#444444", output: "#555555", background: "#666666" };

/** Paint the marks of a row of cells, 20 by 10; gives [colour, what was drawn with it, how many rectangles or lines] of each path. */
function painted(values, { mark = null, blank = () => false } = {}) {
  const drawn = [];
  let [areas, lines] = [0, 0];
  const context = {
    beginPath: () => ([areas, lines] = [0, 0]),
    rect: () => (areas += 1),
    moveTo: () => {},
    lineTo: () => (lines += 1),
    fill: () => drawn.push([context.fillStyle, "fill", areas]),
    stroke: () => drawn.push([context.strokeStyle, "stroke", areas || lines]),
  };
  const box = { panel: { mark }, array: {}, rows: { start: 0 }, columns: { start: 0 } };
  const cells = values.map((value, column) => ({ value, row: 0, column, x: 20 * column, y: 0 }));
  paintMarks(context, { box, blank, hatched: ({ value }) => value === -Infinity, width: 20, height: 10 }, cells, PALETTE);
  return drawn;
}

test("the strokes that hatch a cell rise by 45 degrees, reach over all of it and nowhere beyond", () => {
  for (const [width, height] of [[20, 10], [7, 28], [11, 4]]) {
    const strokes = strokesOf(width, height, 4);
    for (const [left, low, right, high] of strokes) {
      assert.close(right - left, low - high);
      assert.ok(left >= 0 && right <= width && high >= 0 && low <= height && right > left);
    }
    const ends = (place) => strokes.map((stroke) => stroke[place]);
    assert.ok(Math.min(...ends(0)) === 0 && Math.max(...ends(2)) === width);
    assert.ok(Math.min(...ends(3)) === 0 && Math.max(...ends(1)) === height);
  }
});

test("hidden cells are hatched with one path of grounds and one of strokes, however many they are", () => {
  const strokes = strokesOf(19, 9, 20 / 3).length;
  assert.deepEqual(painted([1, -Infinity, -Infinity, 2, -Infinity]), [
    [PALETTE.hidden, "fill", 3],
    [PALETTE.hatch, "stroke", 3 * strokes],
  ]);
  assert.deepEqual(painted([1, 2]), []);
});

test("cells that are not computed yet are outlined, hidden or not, and have no other mark", () => {
  assert.deepEqual(painted([1, -Infinity], { blank: () => true, mark: "diagonal" }), [[PALETTE.line, "stroke", 2]]);
});

test("of a product the diagonal is framed and the rest marked as waste", () => {
  const strokes = strokesOf(19, 9, 20 / 3).length;
  assert.deepEqual(painted([1, 2, 3], { mark: "diagonal" }), [
    ["rgba(102, 102, 102, 0.5)", "fill", 2],
    ["rgba(51, 51, 51, 0.5)", "stroke", 2 * strokes],
    [PALETTE.output, "stroke", 1],
  ]);
});

test("marks lie within their cell: the ground of hatching, the frames of what is not computed or changed, and the corner of this", () => {
  const { arrays } = openScene({ panels: [], arrays: { one: given([1, 3], "TK", [0, 0, 0], { changed: flagged([false, false, true]) }) } });
  const { context, drawn } = noting();
  const box = { panel: { mark: null }, array: arrays.one, rows: { start: 0 }, columns: { start: 0 } };
  const blank = (_, column) => column === 1;
  const cells = [-Infinity, 0, 0].map((value, column) => ({ value, row: 0, column, x: 20 * column, y: 30 }));
  const sheet = { box, blank, hatched: ({ value }) => value === -Infinity, indexAt: (row, column) => [row, column], width: 20, height: 10 };
  paintMarks(context, sheet, cells, PALETTE);
  const [empty, ground, strokes, changed, corner] = drawn.map((one) => one.join(" "));
  assert.deepEqual([empty, ground], ["#111111 R21.5,31.5,17,7", "#222222 fill R0.5,30.5,19,9"]);
  assert.deepEqual([changed, corner], ["#444444 R41.3,31.3,17.5,7.5", "#444444 fill M54.5,30.5 L59.5,30.5 L59.5,35.5"]);
  const points = [...strokes.matchAll(/[ML]([\d.]+),([\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)]);
  assert.ok(points.every(([x, y]) => x >= 0.5 && x <= 19.5 && y >= 30.5 && y <= 39.5));
  assert.ok([0.5, 19.5].every((edge) => points.some(([x]) => x === edge)), "from edge to edge");
});

test("the diagonal is that of the whole matrix, also where only a part of it is seen", () => {
  const box = { rows: { start: 4 }, columns: { start: 2 } };
  assert.deepEqual([2, 0, 6].map((column) => onDiagonal({ box }, { row: 0, column })), [true, false, false]);
});
