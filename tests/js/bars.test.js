import { columnsOf, isStacked, paintStacked } from "../../assets/chart/bars.js";
import { number } from "../../assets/board/numbers.js";
import { assert, test } from "./testing.js";

const BOARD = { floatsOf: () => [0.5, -1], number };
const COLOURS = ["red", "green", "blue"];
const [first, second, third] = [[1, -2], [-3, -1], [2, 4]].map((y, i) => ({
  type: "bar", name: `head ${i}`, x: ["a", "b"], y, marker: { color: COLOURS[i] },
}));
const output = { type: "scatter", name: "output", x: ["a", "b"], y: [0, 1], marker: { size: 10, line: { color: "black", width: 2 } } };

test("a column reaches from the sum of what is negative to the sum of what is positive", () => {
  const { x, base, y } = columnsOf([first, second, third, output], BOARD);
  assert.deepEqual([x, base, y], [["a", "b"], [-3, -3], [6, 7]]);
  assert.equal(columnsOf([first], BOARD).opacity, 0);
});

test("who points at a column reads all of its parts, in their colours, and what they sum to", () => {
  const { text } = columnsOf([first, second, output], BOARD);
  assert.deepEqual(text[1].replaceAll(/<.*?>/g, "").split("■ ").slice(1), ["head 0: −2.0000", "head 1: −1.0000", "output: 1.0000"]);
  assert.deepEqual([...text[1].matchAll(/color:(\w+)/g)].map(([, colour]) => colour), ["red", "green", "black"]);
});

test("what is hidden has no part in a column", () => {
  const { base, y, text } = columnsOf([first, { ...second, visible: "legendonly" }, third, output], BOARD);
  assert.deepEqual([base, y], [[0, -2], [3, 6]]);
  assert.deepEqual(text[0].includes("head 1"), false);
});

test("numbers that came packed are read", () => {
  assert.deepEqual(columnsOf([{ ...first, y: { bdata: "packed" } }], BOARD).base, [0, -1]);
});

test("bars are drawn one on the other, away from zero, and ticks over them", () => {
  // A plane of two columns of 100 px, 50 px from the left, in which one is 10 px and zero lies 200 px below its top.
  const xaxis = { _offset: 50, _length: 200, l2p: (i) => 50 + 100 * i };
  const yaxis = { _offset: 0, _length: 400, l2p: (value) => 200 - 10 * value };
  const drawn = [];
  const context = { save() {}, beginPath() {}, rect() {}, clip() {}, restore() {} };
  context.fillRect = (...box) => drawn.push([context.fillStyle, ...box]);
  const host = { _fullLayout: { _plots: { xy: { xaxis, yaxis } } } };
  paintStacked(context, host, [first, second, third, output], { bargap: 0.5 }, BOARD);
  assert.deepEqual(drawn, [
    ["red", 75, 200, 50, -10], ["red", 175, 200, 50, 20],
    ["green", 75, 200, 50, 30], ["green", 175, 220, 50, 10],
    ["blue", 75, 190, 50, -20], ["blue", 175, 200, 50, -40],
    ["black", 95, 199, 10, 2], ["black", 195, 189, 10, 2],
  ]);
});

test("bars beside each other are left to plotly.js", () => {
  assert.deepEqual([isStacked({ barmode: "relative" }), isStacked({ barmode: "group" }), isStacked({})], [true, false, false]);
});
