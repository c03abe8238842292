import { labelStep } from "../../assets/board/place/geometry.js";
import { layOut } from "../../assets/board/place/layout.js";
import { openScene } from "../../assets/board/scene/scene.js";
import { anyOverlap, array, productScene, words } from "./scenes.js";
import { assert, test } from "./testing.js";

const measure = (text, size) => 0.6 * size * text.length;
const plan = (scene, width, zoom = 1) => layOut(openScene(scene), { width, zoom, measure, starts: new Map() });
const box = ({ boxes }, id) => boxes.find(({ panel }) => panel.id === id);

// Panels of one array, each at its place: [column, row].
const panelsOf = (array, places, more = {}) =>
  places.map((place, i) => ({ id: `${i}`, array, rows: 1, columns: 2, place, title: `${i}`, role: "operand", size: "full", ...more }));
const across = (count) => Array.from({ length: count }, (_, i) => [i, 0]);
const down = (count) => Array.from({ length: count }, (_, i) => [0, i]);

// Whether all panels stand in one column, or with their matrices at one height.
const alike = (boxes, side) => new Set(boxes.map((one) => one[side])).size === 1;

function square(size) {
  const [left, right, result] = [[[2, size, 3], "HTK"], [[size, 3], "SK"], [[2, size, size], "HTS"]].map(([shape, axes]) => array(shape, axes, null));
  const labels = words(size);
  return productScene({ axes: { T: { word: "row", labels }, S: { word: "column", labels } }, arrays: { left, right, result } });
}

// Panels of the left operand of a product, which has this shape.
function only(shape, ...panels) {
  return productScene({ arrays: { left: array(shape, "HTK", null) }, panels: panelsOf("left", ...panels) });
}

test("the rows of the left operand and of the result stand at one height, columns above each other", () => {
  const [left, right, result] = ["left", "right", "result"].map((id) => box(plan(productScene(), 1200), id));
  assert.deepEqual([left.y, right.x], [result.y, result.x]);
  assert.ok(left.x + left.bodyWidth < result.x && right.y + right.bodyHeight < result.y);
});

test("all full panels have one cell size, at most 46 × 28, with two decimals", () => {
  const { cell, boxes } = plan(productScene(), 1200);
  assert.deepEqual(cell, { width: 46, height: 28, digits: 2 });
  assert.ok(boxes.filter(({ small }) => !small).every((one) => one.cell.width === 46));
});

test("the zoom enlarges cells and type", () => [plan(productScene(), 1200, 1.5).cell.width, 69]);

test("panels never overlap and never leave the width", () => {
  for (const width of [320, 390, 480, 700, 1100, 1440]) {
    for (const size of [2, 7, 13, 31, 64, 97]) {
      const { boxes, width: used } = plan(square(size), width);
      assert.ok(used <= width, `${used} of ${width} for ${size}`);
      const areas = boxes.map(({ x, y, titleY, bodyWidth, bodyHeight }) => ({ x, y: titleY, width: bodyWidth, height: y + bodyHeight - titleY }));
      assert.ok(!anyOverlap(areas), `overlap at ${width} with ${size}`);
    }
  }
});

test("64 × 64 cells are all drawn on a screen, a window of them on a phone", () => {
  assert.equal(box(plan(square(64), 1400), "result").columns.count, 64);
  const phone = box(plan(square(64), 360), "result");
  assert.ok(phone.columns.count < 64 && phone.cell.width >= 7);
});

test("a narrow container moves what stands beside the computation below it", () => {
  const narrow = plan(square(12), 400);
  assert.ok(box(narrow, "all").y > box(narrow, "result").y + box(narrow, "result").bodyHeight);
  assert.equal(box(narrow, "left").y, box(narrow, "result").y);
});

test("labels are thinned to 1, 2, 5, 10, … so that they keep apart", () =>
  [[labelStep(20, 15), labelStep(9, 12), labelStep(3, 12), labelStep(2, 12), labelStep(0.7, 12)], [1, 2, 5, 10, 20]]);

test("a line of thumbnails fits the width, however many they are; on a phone it goes on in further lines", () => {
  const scene = only([12, 15, 15], [[0, 0]], { tiles: 0, arrange: "across", role: "tiles", size: "small" });
  for (const width of [340, 700, 1060]) {
    const { width: used, boxes: [line] } = plan(scene, width);
    assert.ok(used <= width, `${used} of ${width}`);
    assert.equal(line.tileRows, width < 480 ? 3 : 1);
    assert.ok(line.tileWidth >= 45, `${line.tileWidth} of ${width}`);
  }
  assert.equal(plan(scene, 1060).boxes[0].tileWidth, 75);
});

test("of many heads side by side as many are shown as fit with cells of 10 px, in all panels the same", () => {
  const { boxes, width } = plan(only([16, 30, 32], down(2), { tiles: 0, arrange: "across" }), 1200);
  assert.ok(width <= 1200 && boxes.every(({ stack, cell }) => stack.count === 3 && cell.width >= 10));
});

test("matrices that would be much higher than the screen show a window of their rows", () => {
  assert.equal(box(plan(only([2, 60, 3], down(3)), 900), "0").rows.count, 36);
});

test("pictures without numbers become smaller until they fit", () => {
  const scene = only([2, 2, 3], across(4), { title: "A picture", badge: "T × K", role: "aside", size: "small" });
  for (const width of [340, 390, 550]) {
    const { width: used, boxes } = plan(scene, width);
    assert.ok(used <= width, `${used} of ${width}`);
    assert.ok(alike(boxes, "y"));
  }
});

test("thumbnails closer together than their titles are wide have these in two lines, all of a row at one height", () => {
  const scene = beside(["Short", "A title of many words", "B", "C"], [12, 12]);
  scene.panels.forEach((panel) => Object.assign(panel, { size: "small", role: "aside" }));
  const tops = (width) => plan(scene, width).boxes.map(({ y, titleY }) => y - titleY);
  assert.equal(new Set(tops(390)).size, 1);
  assert.deepEqual([tops(390)[0], tops(1100)[0]], [31, 22]);
});

test("numbers are written as long as the rows together do not get much higher than the screen", () => {
  const digits = (size) => plan(only([2, size, 3], down(3)), 900).cell.digits;
  assert.deepEqual([digits(12), digits(16), digits(17)], [2, 2, -1]);
});

test("on a phone six matrices that stand below each other use its width", () => {
  const { boxes } = plan({ ...square(12), panels: panelsOf("result", [...across(3), [0, 1], [1, 1], [2, 1]]) }, 300);
  assert.ok(alike(boxes, "x"));
  assert.ok(boxes.every(({ bodyWidth }) => bodyWidth > 0.7 * 300));
});

test("badges that leave no room for the cells are cut before any column is hidden", () => {
  const scene = productScene();
  scene.panels = ["left", "right"].map((id, i) => ({ ...scene.panels[i], place: [i, 0], title: id, badge: "much longer than its matrix".repeat(2) }));
  const { boxes, width } = plan(scene, 560);
  assert.ok(width <= 560);
  assert.deepEqual(boxes.map(({ columns }) => columns.count), [3, 5]);
  assert.ok(boxes[0].cell.width > 26, `${boxes[0].cell.width}`);
});

// Matrices that stand side by side, each with the title given.
function beside(titles, [rows, columns]) {
  const panels = panelsOf("left", across(titles.length), { rows: 0, columns: 1 }).map((panel, i) => ({ ...panel, title: titles[i] }));
  return productScene({ arrays: { left: array([rows, columns], "TK", null) }, axes: { T: { word: "row", labels: null } }, panels });
}

test("titles that leave no room for the cells are cut before the cells become specks or columns are hidden", () => {
  const titles = Array(4).fill("a title much wider than its matrix");
  for (const width of [500, 700, 1100]) {
    const { boxes, width: used } = plan(beside(titles, [14, 4]), width);
    assert.ok(used <= width, `${used} of ${width}`);
    assert.ok(boxes.every(({ columns, cell }) => columns.count === 4 && cell.width >= 12), `${boxes[0].cell.width} at ${width}`);
    assert.ok(alike(boxes, "y"));
  }
});

test("titles that leave room are not cut", () => {
  const [first] = plan(beside(["a title wider than its matrix", "B"], [14, 4]), 700).boxes;
  assert.ok(first.titleWidth >= measure("a title wider than its matrix", 14), `${first.titleWidth}`);
});

test("matrices too many for one line stand one below the other before columns are hidden", () => {
  const { boxes, width } = plan(beside(Array(9).fill("wide"), [5, 14]), 700);
  assert.ok(width <= 700, `${width}`);
  assert.ok(boxes.every(({ columns }) => columns.count === 14));
  assert.ok(alike(boxes, "x"));
});

test("no column is hidden where that does not make a board fit; where it does, as on a phone, matrices too high to stack whole show a window of rows, too", () => {
  const { boxes } = plan(beside(Array(9).fill("wide"), [40, 14]), 490);
  assert.ok(boxes.every(({ columns }) => columns.count === 14));
  const phone = plan(beside(Array(4).fill("a long title"), [64, 64]), 358);
  assert.ok(phone.width <= 358, `${phone.width}`);
  assert.ok(phone.boxes.every(({ rows, columns }) => rows.count >= 8 && columns.count >= 16));
});
