import { chosenNames, paintAround, withAround, withoutAround } from "../../assets/chart/around.js";
import { noting } from "./noting.js";
import { assert, test } from "./testing.js";

// An axis of so many names, so many px apart.
const axis = (pitch, range) => ({ range, l2p: (place) => pitch * place });
const names = (count, nticks) => ({ categoryarray: Array.from({ length: count }, String), nticks });

test("all names are written where there is room, and of many those that the axis is told", () => {
  assert.deepEqual(chosenNames(axis(20, [-0.5, 4.5]), names(5), 16), [0, 1, 2, 3, 4]);
  assert.deepEqual(chosenNames(axis(20, [-0.5, 8.5]), names(9, 3), 16), [0, 3, 6]);
});

test("names never touch, however narrow the screen makes their cells, and zooming in brings them back", () => {
  assert.deepEqual(chosenNames(axis(9, [-0.5, 15.5]), names(16), 17), [0, 2, 4, 6, 8, 10, 12, 14]);
  assert.deepEqual(chosenNames(axis(36, [4.5, 8.5]), names(16), 17), [5, 6, 7, 8]);
  assert.deepEqual(chosenNames(axis(-9, [15.5, -0.5]), names(16), 30), [0, 4, 8, 12], "rows count downwards");
});

// A heatmap of 2 rows and 3 columns of 20 by 10 px, 50 px from the left and 30 from the top, with all that stands around it.
const xaxis = { _offset: 50, _length: 60, l2p: (i) => 20 * i + 10, range: [-0.5, 2.5] };
const yaxis = { _offset: 30, _length: 20, l2p: (i) => 10 * i + 5, range: [1.5, -0.5] };
const plane = { xaxis, yaxis };
const host = { _fullLayout: { _plots: { xy: plane }, ...plane, _size: { l: 50, t: 30, w: 60 } } };
const scale = { cmin: -1, cmax: 1, colorscale: [], colorbar: { thickness: 8, len: 20, nticks: 3, tickfont: { size: 10 } } };
const layout = (angle = 0) => ({
  font: { family: "F", color: "ink" },
  height: 200,
  margin: { t: 40, l: 50 },
  showlegend: true,
  shapes: [{ type: "rect", xref: "x", yref: "y", x0: 0.5, x1: 1.5, y0: -0.5, y1: 0.5, line: { color: "focus", width: 3 } }, { type: "line" }],
  annotations: [{ text: "<b>head</b> 1", xref: "x domain", yref: "y domain", font: { size: 14, color: "title" } }, { text: "else", yref: "y" }],
  xaxis: { anchor: "y", categoryarray: ["a", "b", "c"], tickfont: { size: 10 }, tickangle: angle },
  yaxis: { anchor: "x", categoryarray: ["d", "e"], tickfont: { size: 10 } },
});

function painted(angle, more = {}) {
  const { context, drawn } = noting();
  paintAround(context, host, { ...layout(angle), ...more }, { shadesOf: () => [255, 0, 0, 0, 0, 255] });
  assert.equal(context.open, 0);
  return Object.assign(drawn.map((one) => one.join(" ")), { written: context.written });
}

test("the cell in focus has a frame within the plane, the heatmap a title above it and names beside and below it", () => {
  assert.deepEqual(painted(0), [
    "clip R50,30,60,20", "focus R70,30,20,10", "title text head 1 50,23",
    "ink text a 60,64", "ink text b 80,64", "ink text c 100,64", "ink text d 46,38.5", "ink text e 46,48.5",
  ]);
});

test("titles begin at their heatmap, names stand in the middle of their columns, at the right beside rows and where aslant", () => {
  const written = (angle) => painted(angle, { coloraxis: scale }).written;
  assert.deepEqual([0, 1, 4, 6].map((i) => written(0)[i]), ["left bold 14px F", "center 10px F", "right 10px F", "left 10px F"]);
  assert.equal(written(-45)[1], "right 10px F");
});

test("where one level name is long, fewer of them are written", () => {
  const long = { ...layout().xaxis, categoryarray: ["a", "b", "a long name"] };
  assert.deepEqual(painted(0, { xaxis: long }).filter((one) => one.endsWith(",64")), ["ink text a 60,64"]);
});

test("names that stand aslant end below their columns", () => {
  assert.deepEqual(painted(-45).slice(3, 6), ["from 63.5,54", "turned -45", "ink text a 0,3.5"]);
});

test("the scale beside the cells shows its colours from the least number below to the largest above, with round numbers", () => {
  assert.deepEqual(painted(0, { coloraxis: scale }).slice(8), [
    "from 0,50,0,30: 0 rgb(255,0,0); 1 rgb(0,0,255) fill R114,30,8,20",
    "ink text −1 126,53.5", "ink text 0 126,43.5", "ink text 1 126,37",
  ]);
});

test("what is drawn here plotly.js does not draw, except into a picture that is kept", () => {
  const given = { ...layout(), coloraxis: scale };
  const bare = withoutAround(given);
  assert.deepEqual([bare.shapes, bare.annotations.map(({ text }) => text)], [[{ type: "line" }], ["else"]]);
  assert.deepEqual([bare.showlegend, bare.coloraxis.showscale], [false, false]);
  assert.deepEqual([bare.xaxis.showticklabels, bare.yaxis.showticklabels, withoutAround({}).shapes], [false, false, []]);
  const kept = withAround({ ...bare, height: 230, margin: { t: 70, l: 50 } }, given);
  assert.deepEqual([kept.height, kept.margin.t, kept.showlegend, kept.shapes.length, kept.annotations.length], [200, 40, true, 2, 2]);
  assert.deepEqual([kept.xaxis.showticklabels, kept.yaxis.showticklabels, kept.coloraxis.showscale], [true, true, undefined]);
});
