import { openPalette } from "../../assets/board/draw/colours.js";
import { lettersFor, paintPanel, onDiagonal, paintMarks, strokesOf } from "../../assets/board/draw/paint.js";
import { firstSlices, openScene } from "../../assets/board/scene/scene.js";
import { noting } from "./noting.js";
import { array, flagged, array as given } from "./scenes.js";
import { assert, test } from "./testing.js";

const context = { font: "", measureText: (text) => ({ width: 0.49 * parseFloat(context.font) * text.length }) };
const lettered = (zoom, width) => {
  const sheet = { values: [-1.5, 2.5], width, height: 28 };
  return lettersFor(context, sheet, zoom, "font");
};

test("numbers keep apart in larger type as in usual type, and keep their decimal", () => {
  for (const zoom of [1, 1.35]) {
    const { size: chosen, texts } = lettered(zoom, 26);
    assert.deepEqual(texts, zoom === 1 ? ["−1.50", "2.50"] : ["−1.5", "2.5"]);
    assert.ok(0.49 * chosen * texts[0].length <= 26 - 3 * zoom + 1e-9, `${chosen} at ${zoom}`);
  }
});

test("whole numbers have no decimals, and where cells are narrow the zero before them goes first", () => {
  const texts = (width, values = [-0.87, 1, 0.5]) => {
    const sheet = { values, width, height: 28 };
    return lettersFor(context, sheet, 1, "font", true).texts;
  };
  assert.deepEqual(texts(40), ["−0.87", "1", "0.50"]);
  assert.deepEqual(texts(25), ["−.87", "1", ".50"]);
  assert.deepEqual(texts(20), [], "one decimal would tell 0.87 falsely");
  assert.deepEqual(texts(20, [-0.8, 1, 0.5]), ["−.8", "1", ".5"]);
  assert.deepEqual(texts(15, [-8, 10, 0]), ["−8", "10", "0"]);
  assert.deepEqual(texts(15, [2.6, 0.9, -0.367]), [], "3 + 1 is not 3");
});

test("what rounding left of a whole number is that number, but a small share is no 0", () => {
  const sheet = { values: [1 - 2 ** -24, 3 + 2 ** -22, 1e-9, 0, 1 - 1e-4], width: 60, height: 28 };
  assert.deepEqual(lettersFor(context, sheet, 1, "font", true).texts, ["1", "3", "0.00", "0", "1.00"]);
});

test("larger type is worth more than the zero before the point", () => {
  const sheet = { values: [-0.87, 0.5], width: 38, height: 44 };
  assert.deepEqual(lettersFor(context, sheet, 1, "font", true).texts, ["−.87", ".50"]);
});

test("numbers are written no larger than their type where cells are wide", () => {
  assert.close(lettered(1, 46).size, 11.5);
  assert.close(lettered(1.35, 60).size, 1.35 * 11.5);
});

const SCALE = [[0, "#000000"], [1, "#ffffff"]];
const INKS = { background: "#ffffff", text: "#111111", muted: "#222222", hidden: "#333333", hatch: "#444444", output: "#555555" };
const palette = openPalette({ ...INKS, logit: SCALE });

// What is written into a row of cells of 40 by 20 px, 100 px from the left and 50 from the top, and on what ground.
function written(numbers, { own = {}, more = {}, blank, start = 0 } = {}) {
  const model = openScene({ axes: {}, panels: [], arrays: { one: array([1, numbers.length], "TK", numbers, { limit: 2, ...own }) } });
  const panel = { array: "one", tiles: null, rows: 0, columns: 1, ...more };
  const seen = { rows: { start: 0, count: 1 }, columns: { start, count: numbers.length - start } };
  const cell = { width: 40, height: 20, digits: 2 };
  const tiles = [{ place: null, x: 100, y: 50, dx: 0, dy: 0 }];
  const { context, drawn } = noting();
  const look = { model, palette, zoom: 1, font: "F", slices: firstSlices(model), blank };
  paintPanel(context, { panel, array: model.arrays.one, ...seen, cell, tiles, tileColumns: 1, labelled: [] }, look);
  const first = drawn.findIndex(([, kind]) => kind === "text");
  return drawn.slice(first - (drawn[first - 1]?.[0] === palette.hidden ? 1 : 0)).map((one) => one.join(" "));
}

test("every number stands in the middle of its cell, in an ink that can be read on it", () => {
  assert.deepEqual(written([-2, 0.5, 2]), ["#ffffff text −2 120,60.5", "#000000 text 0.50 160,60.5", "#000000 text 2 200,60.5"]);
  assert.deepEqual(written([-2, 0.5, 2], { start: 1 }), ["#000000 text 0.50 120,60.5", "#000000 text 2 160,60.5"]);
  assert.deepEqual(written([NaN, 1]), ["#000000 text 1 160,60.5"]);
});

test("what is hidden stands on a ground of its own, over the hatching; what is not computed has no number", () => {
  const found = written([1, 1], { own: { masked: flagged([true]) } });
  assert.ok(found[0].startsWith("#333333 fill R"));
  assert.deepEqual(found.slice(1), ["#111111 text −∞ 120,60.5", "#000000 text 1 160,60.5"]);
  const [left, top, width, height] = found[0].split("R")[1].split(",").map(Number);
  assert.deepEqual([left + width / 2, top + height / 2].map(Math.round), [120, 60]);
  assert.deepEqual(written([1, 2], { blank: (_, [, column]) => column === 0 }), ["#000000 text 2 160,60.5"]);
});

test("beside the diagonal of a product, numbers are muted", () => {
  assert.deepEqual(written([1, 1], { more: { mark: "diagonal" } }), ["#000000 text 1 120,60.5", "#222222 text 1 160,60.5"]);
});

test("on paper a stroke in cells without a number tells negative from positive, on the screen none", () => {
  const strokes = (printed, own = {}) => {
    const model = openScene({ axes: {}, panels: [], arrays: { one: array([1, 4], "TK", [-2, 2, 0, -1.5], { limit: 2, ...own }) } });
    const tiles = [{ place: null, x: 0, y: 0, dx: 0, dy: 0 }];
    const row = { start: 0, count: 1 };
    const box = { panel: { array: "one", tiles: null, rows: 0, columns: 1 }, array: model.arrays.one, rows: row, columns: { start: 0, count: 4 }, cell: { width: 20, height: 16, digits: -1 }, tiles, tileColumns: 1, labelled: [] };
    const { context, drawn } = noting();
    paintPanel(context, box, { model, palette, zoom: 1, font: "F", slices: firstSlices(model), printed });
    return drawn.filter(([, path]) => path.startsWith("M")).map(([, path]) => path);
  };
  assert.deepEqual(strokes(true), ["M5,8 L15,8", "M65,8 L75,8"]);
  assert.deepEqual(strokes(false), []);
  assert.deepEqual(strokes(true, { kind: "probability" }), [], "shares have no sign");
});

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
