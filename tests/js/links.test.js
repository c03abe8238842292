import { flightsOf, paintFlights } from "../../assets/board/draw/flights.js";
import { paintArrows, paintBeams } from "../../assets/board/draw/links.js";
import { openScene } from "../../assets/board/scene/scene.js";
import { noting } from "./noting.js";
import { productScene } from "./scenes.js";
import { assert, test } from "./testing.js";

// A panel with a matrix of 40 by 20 px, its title 10 px higher and 6 px further left.
const box = (id, x, y) => ({ panel: { id }, x, y, titleX: x - 6, titleY: y - 10, bodyWidth: 40, bodyHeight: 20 });

/** The lines and the heads of the arrows from a to b among panels. */
function arrows(...boxes) {
  const { context, drawn } = noting();
  paintArrows(context, { model: { arrows: [["a", "b"]] }, boxes, palette: { muted: "grey" } });
  return drawn.map((one) => one.at(-1));
}

test("an arrow leads from side to side, and below the columns between", () => {
  assert.deepEqual(arrows(box("a", 0, 20), box("b", 100, 20)), ["M44,30 C65,30 65,30 86,30", "M88,30 L80,34 L80,26"]);
  const [line] = arrows(box("a", 0, 20), box("c", 100, 80), box("b", 200, 20));
  assert.deepEqual(line, "M44,30 C69,30 69,107 94,107 L140,107 C163,107 163,37 186,37");
});

test("an arrow back, or to a panel that is not drawn, is none", () => {
  assert.deepEqual(arrows(box("a", 0, 20)), []);
  assert.deepEqual(arrows(box("a", 0, 20), box("b", 0, 120)), []);
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
  const lines = [
    [[matrix(0, 0), 0, 3], [matrix(100, 0), 2, 2], "M40,0 L50,0 C75,0 75,20 100,20 L120,20", "M120,20 L112,24 L112,16"],
    [[matrix(100, 0), 2, 2], [matrix(0, 0), 0, 3], "M120,20 L100,20 C75,20 75,0 50,0 L40,0", "M40,0 L48,4 L48,-4"],
    [[matrix(0, 0), 0, 3], [matrix(0, 100), 2, 1], "M30,10 L30,40 C30,70 10,70 10,100 L10,120", "M10,120 L14,112 L6,112"],
    [[matrix(0, 100), 2, 1], [matrix(0, 0), 0, 3], "M10,120 L10,100 C10,70 30,70 30,40 L30,10", "M30,10 L34,18 L26,18"],
  ];
  for (const [from, to, route, head] of lines) assert.deepEqual(beams([area(...from)], area(...to)), [`${back} ${route}`, `#000000 ${route}`, `#000000 fill ${head}`]);
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

const roles = { background: "ground", text: "ink", focus: "focus", query: "query", key: "key" };

// A look at a product in cells of 20 by 10 px, and the cell of its second row and third column.
function lookAt(change = () => {}) {
  const scene = productScene();
  change(scene);
  const model = openScene(scene);
  const box = (id, x, y) => {
    const panel = model.panels.find((one) => one.id === id);
    const seen = (axis) => ({ start: 0, count: model.arrays[panel.array].shape[axis] });
    return { panel, rows: seen(panel.rows), columns: seen(panel.columns), cell: { width: 20, height: 10 }, tiles: [{ place: null, x, y }] };
  };
  const boxes = [box("left", 0, 100), box("right", 100, 0), box("result", 100, 100)];
  return { model, boxes, palette: roles, zoom: 1, font: "", slices: { left: [0, 1, 0], right: [0, 0], result: [0, 1, 2] } };
}
const cell = { array: "result", index: [0, 1, 2] };

/** What is drawn of a moment: the frames of what is lit, and the words with their places. */
function drawn(look, [from, to], share) {
  const { context, drawn: notes } = noting();
  paintFlights(context, look, flightsOf(look, cell, [from, to]), share);
  const frames = notes.filter((one) => one.length === 2 && one[0] !== "ground").map((one) => one.join(" "));
  return [frames.slice(0, 2), notes.filter(([, kind]) => kind === "text").map(([colour, , text]) => `${colour} ${text}`)];
}

test("the two numbers of a term fly from their cells to that of the result, apart from each other", () => {
  const look = lookAt();
  const lit = ["query R19,109,22,12", "key R139,9,22,12"];
  assert.deepEqual(drawn(look, [1, 2], 0), [lit, ["query 5.00 30,115.5", "key 3.00 150,15.5"]]);
  assert.deepEqual(drawn(look, [1, 2], 0.5), [lit, ["query 5.00 90,125.5", "key 3.00 150,55.5"]]);
  assert.deepEqual(drawn(look, [0, 1], 1)[1], ["focus 8.00 150,115.5"], "then the sum so far stands there");
  assert.deepEqual(drawn(look, [1, 2], 1)[1], ["focus 23.00 150,115.5"], "not only of the terms that are lit");
});

test("terms taken together light up and do not fly; a sum of one term and what is no sum has none so far", () => {
  assert.deepEqual(flightsOf(lookAt(), cell, [0, 2]).numbers, []);
  assert.equal(flightsOf(lookAt(), cell, [0, 2]).lit.length, 4);
  const single = lookAt(({ rules }) => (rules.result.length = 1));
  const product = lookAt(({ rules }) => (rules.result = { ...rules.result, operation: "product", length: 1 }));
  assert.deepEqual([single, product].map((look) => flightsOf(look, cell, [0, 1]).running), [null, null]);
});

test("a number that is out of sight stays, and without the result in sight nothing moves", () => {
  const look = lookAt();
  look.boxes[0].columns = { start: 2, count: 1 };
  assert.deepEqual(flightsOf(look, cell, [1, 2]).numbers.map(({ text }) => text), ["3.00"]);
  look.boxes[2].columns = { start: 3, count: 2 };
  assert.equal(flightsOf(look, cell, [1, 2]), null);
});

