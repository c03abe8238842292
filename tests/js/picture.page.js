import { openPalette } from "../../assets/board/draw/colours.js";
import { flightsOf } from "../../assets/board/draw/flights.js";
import { Picture } from "../../assets/board/draw/picture.js";
import { firstSlices, openScene } from "../../assets/board/scene/scene.js";
import { noting } from "./noting.js";
import { dressedScene } from "./stand.js";
import { assert, test } from "./testing.js";

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const cell = { array: "result", index: [0, 1, 2] };
const names = { primary: "#010203", focus: "#030201" };

/** A picture of a product that is laid out, and what it draws below and above; look: what is looked at. */
function standing(printed = false) {
  const model = openScene(dressedScene());
  const [stage, panels, base, overlay] = ["div", "div", "canvas", "canvas"].map((tag) => document.createElement(tag));
  const picture = new Picture({ stage, panels, base, overlay, help: { id: "help" } });
  picture.dress(model, openPalette({ ...model.palette, ...names }), "sans-serif", printed);
  picture.lay(1000, new Map(), () => {});
  const [below, above] = [noting(), noting()];
  Object.assign(picture, { base: below.context, overlay: above.context });
  const look = picture.look({ ...firstSlices(model), result: [0, 1, 2], left: [0, 1, 0] });
  return { picture, look, below: below.drawn, above: above.drawn, size: picture.size };
}

const drew = (notes, colour) => notes.some(([ink]) => ink === colour);
const clears = (notes) => notes.filter(([kind]) => kind === "clear").map(([, box]) => box);

test("what lights up is drawn above the cells, anew each time; on paper into the same canvas, which nothing clears", () => {
  const screen = standing();
  screen.picture.highlight(screen.look, cell);
  assert.deepEqual([screen.below, clears(screen.above)], [[], [`R0,0,${screen.size}`]]);
  assert.ok(drew(screen.above, names.focus) && drew(screen.above, names.primary), "the cell and the matrix of its stack");
  const paper = standing(true);
  paper.picture.highlight(paper.look, cell);
  assert.deepEqual([paper.above, clears(paper.below), drew(paper.below, names.focus)], [[], [], true]);
});

test("without a cell only the matrices that are shown of stacks are framed", () => {
  const { picture, look, above } = standing();
  picture.highlight(look, null);
  assert.deepEqual([drew(above, names.focus), drew(above, names.primary)], [false, true]);
});

const flying = (look, pace) => ({ moves: flightsOf(look, cell, [0, 1]), pace });
const places = (notes) => notes.filter(([, kind, text]) => kind === "text" && text.startsWith("4.00")).map(([, , text]) => text);

test("numbers fly for as long as they are told, then the sum stands there, and no more is drawn", async () => {
  const { picture, look, above } = standing();
  const isThere = () => above.at(-1)[2].startsWith("8.00 ");
  picture.highlight(look, cell, flying(look, 5000));
  for (let waited = 0; new Set(places(above)).size < 3 && waited < 100; waited += 1) await wait(20);
  assert.ok(new Set(places(above)).size >= 3 && !isThere(), "they are on their way");
  picture.highlight(look, cell, flying(look, 50));
  for (let waited = 0; !isThere() && waited < 100; waited += 1) await wait(20);
  assert.ok(isThere(), above.at(-1).join(" "));
  const count = above.length;
  await wait(60);
  assert.equal(above.length, count);
});

test("at no pace they have arrived at once; another cell, and the end of the board, stop what flies", async () => {
  const { picture, look, above } = standing();
  picture.highlight(look, cell, flying(look, 0));
  assert.ok(above.at(-1)[2].startsWith("8.00 "));
  for (const stop of [() => picture.highlight(look, null), () => picture.rest()]) {
    picture.highlight(look, cell, flying(look, 300));
    stop();
    const count = above.length;
    await wait(60);
    assert.equal(above.length, count);
  }
});

test("when the slice moves, only the panels that show another one are drawn anew, with all that belongs to them, and what is played", () => {
  const { picture, look, below } = standing();
  const moved = (last, played) => {
    below.length = 0;
    picture.paintMoved(look, { ...look.slices, ...last }, played);
    return clears(below).map((box) => box.slice(1).split(",").map(Number));
  };
  const boxes = (...ids) => ids.map((id) => picture.boxes.find(({ panel }) => panel.id === id));
  assert.deepEqual(moved({}), []);
  assert.deepEqual(moved({ result: [0, 0, 4], left: [0, 0, 2] }), [], "other rows and columns are no other slice");
  for (const [found, box] of [[moved({ left: [1, 1, 0] }), boxes("left")], [moved({ result: [1, 1, 2] }), boxes("result")]]) {
    assert.equal(found.length, 1);
    const [[x, y, width, height], [{ x: left, y: top, bodyWidth, bodyHeight, left: labels, labelTop, overhang }]] = [found[0], box];
    assert.ok(x < left - labels && y < top - labelTop && x + width > left + bodyWidth + overhang && y + height > top + bodyHeight);
  }
  assert.equal(moved({}, "result").length, 2);
});

test("words are measured in their typeface and weight, and anew when another has arrived", () => {
  const { picture } = standing();
  const plain = picture.measure("wide", 20);
  assert.ok(picture.measure("wide", 20, true) > plain && picture.measure("wide", 40) > 1.9 * plain);
  picture.dress(picture.model, picture.palette, "monospace", false);
  assert.ok(picture.measure("wide", 20) !== plain);
});
