import { openPalette } from "../../assets/board/draw/colours.js";
import { blockEdges, lettersFor, paintPanel, onDiagonal, paintMarks, strokesOf } from "../../assets/board/draw/paint.js";
import { firstSlices, openScene } from "../../assets/board/scene/scene.js";
import { noting } from "./noting.js";
import { array, flagged } from "./scenes.js";
import { assert, test } from "./testing.js";

const context = { font: "", measureText: (text) => ({ width: 0.49 * parseFloat(context.font) * text.length }) };
const lettered = (values, width, { height = 28, zoom = 1, staged = null } = {}) => lettersFor(context, { values, width, height }, zoom, "font", staged);

test("numbers keep apart in larger type as in usual type, keep their decimal, and are no larger than their type where cells are wide", () => {
  for (const [zoom, written] of [[1, ["−1.50", "2.50"]], [1.35, ["−1.5", "2.5"]]]) {
    const { size, texts } = lettered([-1.5, 2.5], 26, { zoom });
    assert.deepEqual(texts, written);
    assert.ok(0.49 * size * texts[0].length <= 26 - 3 * zoom + 1e-9, `${size} at ${zoom}`);
    assert.close(lettered([-1.5, 2.5], 46 * zoom, { zoom }).size, zoom * 11.5);
  }
});

test("every number has room in a typeface whose minus sign is wider than a digit", () => {
  const wide = (text) => parseFloat(probe.font) * (0.49 * text.length + 0.3 * text.startsWith("−"));
  const probe = { font: "", measureText: (text) => ({ width: wide(text) }) };
  const { size, texts } = lettersFor(probe, { values: [10.9, -5.25], width: 46, height: 30 }, 1, "font", {});
  probe.font = `${size}px font`;
  assert.ok(size > 11 && texts.every((text) => wide(text) <= 46 - 1), `${size}`);
});

test("on a stage whole numbers have no decimals, and where cells are narrow or type is large the zero before them goes first", () => {
  const cases = [
    [40, [-0.87, 1, 0.5], ["−0.87", "1", "0.50"]],
    [25, [-0.87, 1, 0.5], ["−.87", "1", ".50"]],
    [20, [-0.87, 1, 0.5], []], // one decimal would tell 0.87 falsely
    [20, [-0.8, 1, 0.5], ["−.8", "1", ".5"]],
    [15, [-8, 10, 0], ["−8", "10", "0"]],
    [15, [2.6, 0.9, -0.367], []], // 3 + 1 is not 3
    [60, [1 - 2 ** -24, 3 + 2 ** -22, 1e-9, 0, 1 - 1e-4], ["1", "3", "0.00", "0", "1.00"]], // what rounding left
    [38, [-0.87, 0.5], ["−.87", ".50"], 44],
  ];
  for (const [width, values, texts, height] of cases) assert.deepEqual(lettered(values, width, { height, staged: true }).texts, texts);
});

const SCALE = [[0, "#000000"], [1, "#ffffff"]];
const INKS = { background: "#ffffff", text: "#111111", muted: "#222222", hidden: "#333333", hatch: "#444444", output: "#555555" };
const palette = openPalette({ ...INKS, logit: SCALE });

// What is drawn of a row of cells, 100 px from the left and 50 from the top. digits: of its numbers, −1 without; more: of its panel.
function rowOf(numbers, digits, { own = {}, more = {}, start = 0, width = 40, ...seen } = {}) {
  const model = openScene({ axes: {}, panels: [], arrays: { one: array([1, numbers.length], "TK", numbers, { limit: 2, ...own }) } });
  const panel = { array: "one", tiles: null, rows: 0, columns: 1, ...more };
  const part = { rows: { start: 0, count: 1 }, columns: { start, count: numbers.length - start } };
  const tiles = [{ place: null, x: 100, y: 50, dx: 0, dy: 0 }];
  const box = { panel, array: model.arrays.one, ...part, cell: { width, height: 20, digits }, tiles, tileColumns: 1, labelled: [] };
  const { context, drawn } = noting();
  paintPanel(context, box, { model, palette, zoom: 1, font: "F", slices: firstSlices(model), ...seen });
  return drawn;
}

// What is written into it, and on what ground.
function written(numbers, about) {
  const drawn = rowOf(numbers, 2, about);
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

test("beside the diagonal of a product, numbers are muted", () =>
  [written([1, 1], { more: { mark: "diagonal" } }), ["#000000 text 1 120,60.5", "#222222 text 1 160,60.5"]]);

test("on paper a stroke in cells without a number tells negative from positive, on the screen none", () => {
  const strokes = (printed, own) => rowOf([-2, 2, 0, -1.5], -1, { printed, own }).map(([, path]) => path).filter((path) => path.startsWith("M"));
  assert.deepEqual(strokes(true), ["M110,60 L130,60", "M230,60 L250,60"]);
  assert.deepEqual(strokes(false), []);
  assert.deepEqual(strokes(true, { kind: "probability" }), [], "shares have no sign");
});

const PALETTE = { line: "#111111", hidden: "#222222", hatch: "#333333", primary: "#444444", output: "#555555", background: "#666666" };

/** Paint the marks of a row of cells, 20 by 10; gives [colour, what was drawn with it, how many rectangles or lines] of each path. */
function painted(values, { mark = null, blank = () => false } = {}) {
  const { context, drawn } = noting();
  const box = { panel: { mark }, array: {}, rows: { start: 0 }, columns: { start: 0 } };
  const cells = values.map((value, column) => ({ value, row: 0, column, x: 20 * column, y: 0 }));
  paintMarks(context, { box, blank, hatched: ({ value }) => value === -Infinity, width: 20, height: 10 }, cells, PALETTE);
  return drawn.map((one) => [one[0], one.length > 2 ? "fill" : "stroke", one.at(-1).match(/[RL]/g).length]);
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
  assert.deepEqual(painted([1, -Infinity, -Infinity, 2, -Infinity]), [[PALETTE.hidden, "fill", 3], [PALETTE.hatch, "stroke", 3 * strokes]]);
  assert.deepEqual(painted([1, 2]), []);
});

test("cells that are not computed yet are outlined, hidden or not, and have no other mark", () =>
  [painted([1, -Infinity], { blank: () => true, mark: "diagonal" }), [[PALETTE.line, "stroke", 2]]]);

test("of a product the diagonal is framed and the rest marked as waste", () => {
  const strokes = strokesOf(19, 9, 20 / 3).length;
  assert.deepEqual(painted([1, 2, 3], { mark: "diagonal" }), [
    ["rgba(102, 102, 102, 0.5)", "fill", 2],
    ["rgba(51, 51, 51, 0.5)", "stroke", 2 * strokes],
    [PALETTE.output, "stroke", 1],
  ]);
});

test("marks lie within their cell: the ground of hatching, the frames of what is not computed or changed, and the corner of this", () => {
  const { arrays } = openScene({ panels: [], arrays: { one: array([1, 3], "TK", [0, 0, 0], { changed: flagged([false, false, true]) }) } });
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

test("blocks are parted by lines where a line leaves enough of them in sight", () => {
  const model = { axes: { V: { block: 2 } } };
  const edges = (size) => blockEdges(model, { axes: ["V"] }, 0, { start: 1, count: 6 }, size);
  assert.deepEqual([edges(3), edges(2.9), edges(1)], [[1, 3, 5], [], []]);
  assert.deepEqual(blockEdges(model, { axes: ["D"] }, null, { start: 0, count: 6 }, 20), []);
});

test("the shares of bars stand beside them in percent where all have room, else as numbers", () => {
  const texts = (width, values = [0.5, 0.25]) => rowOf(values, 2, { width, more: { bars: true } }).filter(([, kind]) => kind === "text").map(([, , text]) => text.split(" ").slice(0, -1).join(" "));
  assert.deepEqual([texts(400), texts(100)], [["50.0 %", "25.0 %"], ["0.50", "0.25"]]);
  const width = Array.from({ length: 400 }, (_, px) => px).find((px) => texts(px, [0.05, 0.05])[0] === "5.0 %");
  assert.deepEqual([texts(width, [0.05, 0.05]), texts(width, [0.05, 0.5])], [["5.0 %", "5.0 %"], ["0.05", "0.50"]]);
});
