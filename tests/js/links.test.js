import { paintArrows, paintBeams } from "../../assets/board/draw/links.js";
import { noting } from "./noting.js";
import { assert, test } from "./testing.js";

// A panel with a matrix of 40 by 20 px, its title 10 px higher.
const box = (id, x, y) => ({ panel: { id }, x, y, titleY: y - 10, bodyWidth: 40, bodyHeight: 20 });

/** The lines and the heads of the arrows from a to b among panels. */
function arrows(...boxes) {
  const { context, drawn } = noting();
  paintArrows(context, { model: { arrows: [["a", "b"]] }, boxes, palette: { muted: "grey" } });
  return drawn.map((one) => one.at(-1));
}

test("an arrow runs from below one matrix to above the title of the next, and upwards the other way", () => {
  assert.deepEqual(arrows(box("a", 0, 20), box("b", 100, 120)), ["M20,44 C20,74 120,74 120,104", "M120,106 L124,98 L116,98"]);
  assert.deepEqual(arrows(box("a", 100, 120), box("b", 0, 20)), ["M120,106 C120,76 20,76 20,46", "M20,44 L24,52 L16,52"]);
});

test("beside each other matrices are joined from side to side at a height that both have, to the right and to the left", () => {
  assert.deepEqual(arrows(box("a", 0, 20), box("b", 100, 30)), ["M44,35 C69,35 69,35 94,35", "M96,35 L88,39 L88,31"]);
  assert.deepEqual(arrows(box("a", 100, 30), box("b", 0, 20)), ["M96,35 C71,35 71,35 46,35", "M44,35 L52,39 L52,31"]);
});

test("where a matrix lies between, the arrow passes beside all of them, at the side to which it leads", () => {
  const between = (x) => ({ ...box("c", x, 80), bodyWidth: 90 });
  assert.deepEqual(arrows(box("a", 20, 20), between(20), box("b", 40, 140))[0], "M64,30 L117,30 L117,145 L83,145");
  assert.deepEqual(arrows(box("a", 20, 20), between(10), box("b", 0, 140)), ["M16,30 L-7,30 L-7,145 L-3,145", "M-1,145 L-9,149 L-9,141"]);
});

test("in the picture of a layer an arrow passes below the columns between", () => {
  const flowing = (id, x, y) => ({ ...box(id, x, y), titleX: x - 6, flowing: true });
  assert.deepEqual(arrows(flowing("a", 0, 20), flowing("b", 100, 20)), ["M44,30 C65,30 65,30 86,30", "M88,30 L80,34 L80,26"]);
  const [line] = arrows(flowing("a", 0, 20), flowing("c", 100, 80), flowing("b", 200, 20));
  assert.deepEqual(line, "M44,30 C69,30 69,107 94,107 L140,107 C163,107 163,37 186,37");
});

test("an arrow to a panel that is not drawn is none", () => {
  assert.deepEqual(arrows(box("a", 0, 20)), []);
});

// A matrix of 4 rows and 5 columns of cells of 10 by 10 px.
const matrix = (x, y) => ({ x, y, bodyWidth: 50, bodyHeight: 40, cell: { width: 10, height: 10 }, rows: { count: 4 }, columns: { count: 5 } });
const palette = { query: "#000000", background: "#ffffff", text: "#111111" };
const light = { role: "query", kind: "read" };

/** The cells of a matrix from a row and a column on, so many rows and columns. */
function area(of, row, column, rows = 1, columns = 1, lit = light) {
  const tile = { x: of.x, y: of.y };
  return { x: of.x + 10 * column, y: of.y + 10 * row, width: 10 * columns, height: 10 * rows, box: of, tile, light: lit };
}

function beams(areas, cell, { twins = [], boxes = [] } = {}) {
  const { context, drawn } = noting();
  paintBeams(context, areas, [cell], twins, { palette, boxes });
  return drawn.map(([colour, ...more]) => [String(colour), ...more].join(" "));
}

const shade = (ends, before, role = 0.28) => `from ${ends}: 0 rgba(0, 0, 0, ${before ? role : 0.06}); 1 rgba(0, 0, 0, ${before ? 0.06 : role})`;
const ink = "rgba(0, 0, 0, 0.75)";

test("the row that a cell reads leads to it as a band as high as the cell, darker where it begins", () => {
  const [left, right] = [matrix(0, 0), matrix(100, 0)];
  assert.deepEqual(beams([area(left, 2, 0, 1, 5)], area(right, 2, 3)), [
    `${shade("50,0,130,0", true)} fill R50,20,80,10`, `${ink} fill R50,20,80,1`, `${ink} fill R50,29,80,1`,
  ]);
  assert.deepEqual(beams([area(right, 1, 0, 1, 5)], area(left, 1, 2)), [
    `${shade("30,0,100,0", false)} fill R30,10,70,10`, `${ink} fill R30,10,70,1`, `${ink} fill R30,19,70,1`,
  ]);
});

test("so does a column, from above and from below", () => {
  const [upper, lower] = [matrix(0, 0), matrix(0, 100)];
  assert.deepEqual(beams([area(upper, 0, 2, 4, 1)], area(lower, 1, 2)), [
    `${shade("0,40,0,110", true)} fill R20,40,10,70`, `${ink} fill R20,40,1,70`, `${ink} fill R29,40,1,70`,
  ]);
  assert.deepEqual(beams([area(lower, 0, 2, 4, 1)], area(upper, 3, 2))[0], `${shade("0,40,0,100", false)} fill R20,40,10,60`);
});

test("what has no colour of its own has a fainter band", () => {
  const role = { role: "text", kind: "read" };
  const [first] = beams([area(matrix(0, 0), 2, 0, 1, 5, role)], area(matrix(100, 0), 2, 3));
  assert.equal(first.split(" fill")[0], "from 50,0,130,0: 0 rgba(17, 17, 17, 0.16); 1 rgba(17, 17, 17, 0.06)");
});

test("no band crosses cells that are not read, leaves its row, or is of what reads the cell", () => {
  const [left, right] = [matrix(0, 0), matrix(100, 0)];
  assert.deepEqual(beams([area(left, 2, 0, 1, 3)], area(right, 2, 3)), []);
  assert.deepEqual(beams([area(right, 2, 2, 1, 3)], area(left, 2, 3)), []);
  assert.deepEqual(beams([area(left, 1, 0, 1, 5)], area(right, 2, 3)), []);
  assert.deepEqual(beams([area(left, 2, 0, 1, 5, { role: "query", kind: "reader" })], area(right, 2, 3)), []);
  assert.deepEqual(beams([area(left, 2, 0, 1, 5)], area(left, 2, 3)), [], "in one matrix");
  const [upper, lower] = [matrix(0, 0), matrix(0, 100)];
  assert.deepEqual(beams([area(upper, 0, 2, 3, 1)], area(lower, 1, 2)), []);
  assert.deepEqual(beams([area(upper, 0, 1, 4, 1)], area(lower, 1, 2)), []);
});

const back = "rgba(255, 255, 255, 0.85)";

test("a single cell leads to the one that reads it by a line between the matrices, with a head; numbers are not crossed out", () => {
  const line = (from, to) => beams([area(...from)], area(...to));
  const right = "M40,0 L50,0 C75,0 75,20 100,20 L120,20";
  const head = "#000000 fill M120,20 L112,24 L112,16";
  assert.deepEqual(line([matrix(0, 0), 0, 3], [matrix(100, 0), 2, 2]), [`${back} ${right}`, `#000000 ${right}`, head]);
  const left = "M120,20 L100,20 C75,20 75,0 50,0 L40,0";
  assert.deepEqual(line([matrix(100, 0), 2, 2], [matrix(0, 0), 0, 3]), [`${back} ${left}`, `#000000 ${left}`, "#000000 fill M40,0 L48,4 L48,-4"]);
  const down = "M30,10 L30,40 C30,70 10,70 10,100 L10,120";
  assert.deepEqual(line([matrix(0, 0), 0, 3], [matrix(0, 100), 2, 1]), [`${back} ${down}`, `#000000 ${down}`, "#000000 fill M10,120 L14,112 L6,112"]);
  const up = "M10,120 L10,100 C10,70 30,70 30,40 L30,10";
  assert.deepEqual(line([matrix(0, 100), 2, 1], [matrix(0, 0), 0, 3])[1], `#000000 ${up}`);
});

test("to what reads a cell the line is dashed and leads the other way", () => {
  const reader = { role: "query", kind: "reader" };
  const found = beams([area(matrix(100, 0), 2, 2, 1, 1, reader)], area(matrix(0, 0), 0, 3));
  const route = "M40,0 L50,0 C75,0 75,20 100,20 L120,20";
  assert.deepEqual(found, [`${back} ${route}`, `#000000 dashed ${route}`, "#000000 fill M120,20 L112,24 L112,16"]);
});

test("of several panels with the cell the nearest one is joined, and none that is small", () => {
  const [near, far, small] = [matrix(100, 0), matrix(300, 0), { ...matrix(60, 0), small: true }];
  const cell = area(matrix(0, 0), 0, 3);
  assert.equal(beams([area(far, 1, 1), area(near, 1, 1)], cell)[1], "#000000 M110,10 L100,10 C75,10 75,0 50,0 L40,0");
  assert.deepEqual(beams([area(small, 1, 1)], cell), []);
  assert.deepEqual(beams([area(near, 1, 1, 2, 1)], cell), [], "two cells are no single one");
});

test("past another matrix the line runs through the same number there, or is left out", () => {
  const [first, middle, last] = [matrix(0, 0), matrix(0, 100), matrix(0, 200)];
  const [from, to, boxes] = [area(first, 0, 1), area(last, 3, 1), [first, middle, last]];
  assert.deepEqual(beams([from], to, { boxes }), []);
  const lines = beams([from], to, { boxes, twins: [area(middle, 1, 1)] }).filter((one) => one.startsWith("#000000 M"));
  assert.deepEqual(lines, ["#000000 M10,10 L10,40 C10,70 10,70 10,100 L10,110", "#000000 M10,120 L10,140 C10,170 10,170 10,200 L10,230"]);
  assert.equal(beams([from], to, { boxes: [first, matrix(200, 100), last] }).length, 3, "one that stands aside is not between");
  const reader = area(last, 3, 1, 1, 1, { role: "query", kind: "reader" });
  assert.deepEqual(beams([reader], from, { boxes, twins: [area(middle, 1, 1)] }), []);
});

test("a line upwards passes its stops from below to above, and matrices that are lower or higher than both ends do not count", () => {
  const [top, upper, lower, bottom] = [0, 100, 200, 300].map((y) => matrix(0, y));
  const boxes = [top, upper, lower, bottom];
  const twins = [area(upper, 1, 1), area(lower, 1, 1)];
  const ends = beams([area(bottom, 3, 1)], area(top, 0, 1), { boxes, twins }).filter((one) => one.startsWith("#000000 M"));
  assert.deepEqual(ends.map((one) => one.split(" L").at(-1)), ["10,220", "10,120", "10,10"]);
  const aside = [matrix(300, 0), matrix(350, 100), matrix(325, 230)];
  assert.equal(beams([area(aside[0], 0, 1)], area(aside[1], 3, 1), { boxes: aside }).length, 3, "this one is below both");
});

test("a band is as wide as the column it leads to", () => {
  const wide = (y) => ({ ...matrix(0, y), cell: { width: 30, height: 10 } });
  const [upper, lower] = [wide(0), wide(100)];
  const column = { x: 60, y: 0, width: 30, height: 40, box: upper, tile: { x: 0, y: 0 }, light };
  const cell = { x: 60, y: 110, width: 30, height: 10, box: lower, tile: { x: 0, y: 100 } };
  assert.deepEqual(beams([column], cell).map((one) => one.split("fill ")[1]), ["R60,40,30,70", "R60,40,1,70", "R89,40,1,70"]);
});
