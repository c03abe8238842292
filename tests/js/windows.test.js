import { areaOf, cellUnder, fixedAxes, indexIn, middleOf, rectanglesOf } from "../../assets/board/place/geometry.js";
import { briefWords, cellBeyond, revealed, startsToSee, usesOf, windowOf, windowWords } from "../../assets/board/place/windows.js";
import { array, opened, words } from "./scenes.js";
import { assert, test } from "./testing.js";

const wide = () => opened({
  axes: { W: { word: "token", labels: words(97) }, F: { word: "feature", labels: null } },
  arrays: { words: array([3, 97], "TW", null), features: array([3, 41], "TF", null, { start: [0, 128], whole: [3, 512] }) },
});

const shownAs = (model, array, count) => ({
  panel: { array, rows: 0, columns: 1, tiles: null }, array: model.arrays[array], rows: { count: 3 }, columns: { count }, stack: { count: 1 },
});
const window_ = (model, name, starts = new Map(), axis = 1) => windowOf(model, model.arrays[name], axis, starts);

test("of 97 words 64 are shown, of 512 nameless features 32", () => {
  const model = wide();
  assert.deepEqual([window_(model, "words").count, window_(model, "features").count], [64, 32]);
});

test("a window never leaves the part that was sent", () => {
  const model = wide();
  const at = (start) => window_(model, "features", new Map([["F·512", start]])).start;
  assert.deepEqual([at(0), at(130), at(500)], [128, 130, 137]);
});

test("panels of one axis and size share a window, whose part is what all of them have", () => {
  const other = array([40, 2], "FT", null, { start: [110, 0], whole: [512, 2] });
  const { low, high, count } = window_(opened({ arrays: { one: array([2, 40], "TF", null, { start: [0, 100], whole: [2, 512] }), other } }), "one");
  assert.deepEqual([low, high, count], [110, 140, 30]);
});

test("a window has at least one place, also where panels have none in common, and 64 without names are not too many", () => {
  const other = array([64, 10], "GF", null, { start: [0, 20], whole: [64, 512] });
  const model = opened({ arrays: { one: array([1, 10], "TF", null, { whole: [1, 512] }), other } });
  const { low, high, count } = window_(model, "one");
  assert.deepEqual([low, high, count], [20, 21, 1]);
  assert.deepEqual(["one", "other"].map((name) => window_(model, name, new Map(), 0).count), [1, 64]);
});

test("a place beyond an edge moves the window by just as much as needed", () => {
  const seen = { start: 20, count: 10, low: 0, high: 97 };
  assert.deepEqual([19, 20, 29, 30, 96].map((place) => revealed(seen, place)), [19, 20, 20, 21, 87]);
});

test("a window says in words what it shows; two axes of one name are told apart by their matrices", () => {
  const model = wide();
  model.axes.K = { word: "number", labels: null };
  assert.equal(windowWords(model, window_(model, "features")), "feature 128–159 of 512");
  assert.equal(briefWords(model, window_(model, "features")), "feature from 128");
  model.axes.F = { word: "column" };
  model.axes.other = { word: "column" };
  model.panels.push({ array: "features" });
  assert.equal(windowWords(model, window_(model, "features")), "column 128–159 of 512 (TF)");
  assert.equal(briefWords(model, window_(model, "features")), "TF from 128");
});

test("a cell outside its windows names the starts that reveal it", () => {
  const model = wide();
  const starts = (place) => startsToSee(model, [shownAs(model, "words", 64)], new Map(), { array: "words", index: [1, place] }, []);
  assert.deepEqual([starts(63), starts(70)], [[], [["W·97", 7]]]);
});

test("beyond the part sent, the next cell outside is named", () => {
  const beyond = (key, place) => cellBeyond([shownAs(wide(), "features", 32)], { features: [2, 130] }, key, place);
  assert.deepEqual([beyond("F·512", 127), beyond("T·3", 3)], [{ array: "features", index: [2, 127] }, null]);
});

test("an axis may run as rows in one panel and as columns in another", () => {
  const model = opened();
  assert.deepEqual([usesOf(model, "K·3"), usesOf(model, "S·5"), usesOf(model, "H·2")], [["rows", "columns"], ["columns"], []]);
});

test("with a cell its source is brought into sight, but never at the cell's own expense", () => {
  const model = wide();
  const boxes = ["words", "features"].map((name) => shownAs(model, name, 32));
  const lit = { words: [0, 90], features: [0, 165] };
  const lights = Object.entries(lit).map(([array, at]) => ({ kind: "read", array, low: at, high: at }));
  assert.deepEqual(startsToSee(model, boxes, new Map(), { array: "features", index: [0, 130] }, lights), [["W·97", 59]]);
});

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
