import { fitStage } from "../../assets/board/place/fit.js";
import { openScene } from "../../assets/board/scene/scene.js";
import { anyOverlap, words } from "./scenes.js";
import { assert, test } from "./testing.js";

const axes = {
  T: { word: "query position", labels: words(64, "word") },
  S: { word: "key position", labels: words(64, "word") },
  K: { word: "feature", labels: null },
  D: { word: "feature", labels: null },
};
const numbers = (shape, letters) => ({ shape, axes: letters, kind: "feature", role: "text", limit: 1, data: new Uint8Array(4 * shape.reduce((a, b) => a * b, 1)) });
const panel = (array, role, place, more = {}) => ({ id: `${array} ${role}`, array, role, place, rows: 0, columns: 1, title: array, badge: "4 × 4, query × key", size: "full", ...more });

// A product of T × K and K × S, as the scores have it; of all heads a small picture.
function product(T, K, S) {
  const arrays = { one: numbers([T, K], ["T", "K"]), other: numbers([K, S], ["K", "S"]), result: numbers([T, S], ["T", "S"]) };
  const panels = [panel("one", "operand", [0, 1]), panel("other", "operand", [1, 0]), panel("result", "result", [1, 1])];
  return openScene({ axes, arrays, panels, stage: { signs: ["·", "="] } });
}

const space = (width, height, more = {}) => ({
  width, height, top: 42, bottom: 44, starts: new Map(), column: false,
  measure: (text, size) => 0.5 * size * text.length,
  words: 60,
  ...more,
});

const areas = (plan) => [
  ...plan.boxes.map((box) => ({ name: box.panel.id, x: box.titleX, y: box.titleY, width: box.x + box.bodyWidth + box.close.across - box.titleX, height: box.y + box.bodyHeight + box.close.down - box.titleY })),
  { name: "words", ...plan.words },
  { name: "arithmetic", ...plan.arithmetic },
];
const titles = ({ boxes }) => boxes.map((box) => ({ name: box.panel.id, x: box.titleX, y: box.titleY, width: box.titleWidth, height: 20 * box.zoom }));
const isWithin = (area, { width, height, top = -Infinity, bottom = 0 }) =>
  area.x >= -0.5 && area.x + area.width <= width + 0.5 && area.y >= top - 0.5 && area.y + area.height <= height - bottom + 0.5;

const WINDOWS = [[948, 580], [948, 660], [1034, 580], [1034, 708], [1588, 1020], [1248, 712], [700, 580]];
const SIZES = [[8, 4, 8], [12, 4, 12], [12, 16, 16], [16, 64, 8], [14, 32, 14], [64, 64, 64], [1, 1, 1]];

test("ribbons lie inside the window below everything else, piece above piece", () => {
  for (const [width, height] of WINDOWS) {
    const model = product(8, 4, 8);
    const ribbon = (name) => ({ id: name, array: name, role: "ribbon", size: "small", place: [0, 0], rows: null, columns: 1, tiles: 0, title: name });
    for (const name of ["before", "after"]) {
      model.arrays[name] = { ...openScene({ axes, arrays: { [name]: numbers([16, 4], ["P", "K"]) }, panels: [] }).arrays[name] };
      model.panels.push(ribbon(name));
    }
    const plan = fitStage(model, space(width, height));
    const [before, after] = plan.boxes.filter(({ panel }) => panel.role === "ribbon");
    const others = areas({ ...plan, boxes: plan.boxes.filter(({ panel }) => panel.role !== "ribbon") });
    assert.ok(Math.max(...others.map((area) => area.y + area.height)) <= before.y - 12);
    assert.ok(before.y + before.bodyHeight < after.y - 8 && after.y + after.bodyHeight <= height - 44);
    assert.deepEqual(before.tiles.map(({ x }) => x), after.tiles.map(({ x }) => x));
    assert.ok(after.tiles.at(-1).x + after.tileWidth <= width);
  }
});

test("in every window words, matrices and arithmetic lie between strip and player, and none on another", () => {
  for (const [width, height] of WINDOWS) {
    for (const sizes of SIZES) {
      for (const column of [false, true]) {
        const plan = fitStage(product(...sizes), space(width, height, { column }));
        const found = areas(plan);
        for (const title of titles(plan)) assert.ok(!anyOverlap([title, ...found.filter(({ name }) => name !== title.name)]), `${title.name} of ${sizes} in ${width} × ${height}`);
        assert.ok(found.every((area) => isWithin(area, { width, height, top: 42, bottom: 44 })), `${sizes} in ${width} × ${height}`);
      }
    }
  }
});

test("a title above a narrow matrix is whole where there is room beside it", () => {
  const model = product(2, 4, 2);
  model.panels[2].title = "K_h keys, transposed";
  for (const [width, height] of WINDOWS.slice(0, 6)) {
    const { boxes } = fitStage(model, space(width, height));
    const { titleWidth, zoom } = boxes.find(({ panel }) => panel.role === "result");
    assert.ok(titleWidth >= 0.5 * 14 * zoom * 20, `${titleWidth} in ${width} × ${height}`);
  }
});

test("small products have cells for numbers in a laptop's window", () => {
  for (const sizes of [[8, 4, 8], [12, 4, 12], [12, 16, 4]]) {
    const { cell } = fitStage(product(...sizes), space(948, 580));
    assert.equal(cell.digits, 2, `${sizes}`);
    assert.ok(cell.width >= 24 && cell.height >= 18, `${sizes}: ${cell.width} × ${cell.height}`);
  }
});

test("a larger window gives larger cells, and larger type with them", () => {
  const [small, large] = [[948, 580], [1588, 1020]].map(([width, height]) => fitStage(product(12, 4, 12), space(width, height)));
  assert.ok(large.cell.height > small.cell.height && large.zoom > small.zoom);
});

test("the arithmetic stands in a column where that is asked for", () =>
  [fitStage(product(8, 4, 8), space(948, 580, { column: true })).form, "column"]);

test("a board without words takes nothing for them, and its arithmetic two lines where it is narrow", () => {
  const plain = { top: 0, bottom: 4, words: 0, slack: 0, letters: 14, title: 130, number: 23 };
  for (const [width, height, line] of [[1002, 560, 46], [592, 430, 78]]) {
    const plan = fitStage(product(12, 4, 12), space(width, height, plain));
    const top = Math.min(...plan.boxes.map(({ titleY }) => titleY));
    assert.ok(top <= 4 && plan.words.height === 0, `${top} px above it`);
    assert.ok(plan.zoom <= 14 / 11 + 1e-9);
    if (plan.form === "line") assert.equal(plan.arithmetic.height, line);
    for (const area of areas(plan)) assert.ok(area.name === "words" || isWithin(area, { width, height }), `${area.name} in ${width} × ${height}`);
  }
});

test("the total of a matrix stands beside its rows, also where matrices stand one below another", () => {
  const arrays = { scores: numbers([10, 10], ["T", "S"]), shares: numbers([10, 10], ["T", "S"]), sums: numbers([10], ["T"]) };
  const panels = [panel("scores", "operand", [0, 0]), panel("shares", "result", [1, 0]), panel("sums", "total", [2, 0], { columns: null })];
  const model = openScene({ axes, arrays, panels, stage: { signs: ["→", "Σ"] } });
  const ways = [...WINDOWS, [1034, 1400]].map(([width, height]) => {
    const { boxes: [scores, shares, sums], signs } = fitStage(model, space(width, height));
    const isRow = scores.y === shares.y;
    assert.deepEqual(signs.map(({ text, x }) => [text, x > scores.x + scores.bodyWidth]), isRow ? [["→", true], ["Σ", true]] : []);
    assert.equal(sums.y, shares.y);
    assert.ok(sums.x >= shares.x + shares.bodyWidth);
    return shares.y > scores.y;
  });
  assert.ok(ways.at(-1), "the tall window has them one below another");
});
