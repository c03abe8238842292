import { flightsOf, paintFlights } from "../../assets/board/draw/flights.js";
import { openScene } from "../../assets/board/scene/scene.js";
import { noting } from "./noting.js";
import { productScene } from "./scenes.js";
import { assert, test } from "./testing.js";

const palette = { background: "ground", text: "ink", focus: "focus", query: "query", key: "key" };

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
  return { model, boxes, palette, zoom: 1, font: "", slices: { left: [0, 1, 0], right: [0, 0], result: [0, 1, 2] } };
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
});

test("they start and land gently", () => {
  const [early, late] = [0.25, 0.75].map((share) => drawn(lookAt(), [1, 2], share)[1][0]);
  assert.ok(early.startsWith("query 5.00 45,"), early);
  assert.ok(late.startsWith("query 5.00 135,"), late);
});

test("when they have landed, the result's cell shows the sum so far, not only of the terms that are lit", () => {
  assert.deepEqual(drawn(lookAt(), [1, 2], 1)[1], ["focus 23.00 150,115.5"]);
  assert.deepEqual(drawn(lookAt(), [0, 1], 1)[1], ["focus 8.00 150,115.5"]);
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

test("a number on its way has a ground around it, outlined in its colour", () => {
  const { context, drawn: notes } = noting();
  const look = { ...lookAt(), zoom: 2 };
  paintFlights(context, look, flightsOf(look, cell, [1, 2]), 0);
  assert.deepEqual(notes.slice(2, 5), [["ground", "fill", "R6,95,48,40"], ["query", "R6,95,48,40"], ["query", "text", "5.00 30,115.5"]]);
});
