import { openPalette } from "../../assets/board/draw/colours.js";
import { flightsOf } from "../../assets/board/draw/flights.js";
import { paintPanel } from "../../assets/board/draw/paint.js";
import { Picture } from "../../assets/board/draw/picture.js";
import { firstSlices, openScene } from "../../assets/board/scene/scene.js";
import { buildStage, placePanels } from "../../assets/board/draw/stage.js";
import { noting } from "./noting.js";
import { array, flagged } from "./scenes.js";
import { dressedScene } from "./stand.js";
import { assert, test, wait } from "./testing.js";

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

const axes = { T: { word: "row" }, K: { word: "feature" } };
const box = (id, more = {}, panel = {}) => ({
  panel: { id, title: `title ${id}`, badge: "2 × 3", role: "operand", rows: 0, columns: 1, ...panel },
  array: { axes: ["T", "K"] }, worded: true, small: false,
  titleX: 10, titleY: 20, titleWidth: 80, x: 30, y: 50, bodyWidth: 100, bodyHeight: 40, ...more,
});

/** The panels of boxes on a stage; place(boxes) puts others there and gives their panels. */
function placed(...boxes) {
  const parts = buildStage(document.createElement("div"), () => {});
  const place = (all) => {
    placePanels(parts, { axes }, all, 1, (link) => (parts.opened = link));
    return [...parts.panels.children];
  };
  return { parts, place, panels: place(boxes) };
}

test("a panel reaches from its title over its matrix, whichever is wider", () => {
  const extent = ({ panels: [{ style }] }) => [style.left, style.top, style.width, style.height].join(" ");
  return [[placed(box("a")), placed(box("a", { titleWidth: 300 }))].map(extent), ["10px 20px 120px 70px", "10px 20px 300px 70px"]];
});

test("it has its title, its badge and the axes along which it runs; where titles stand close together no badge", () => {
  const words = (...about) => ["title", "badge", "axes"].map((name) => placed(box("a", ...about)).panels[0].querySelector(`.${name}`)?.textContent ?? null);
  assert.deepEqual(words(), ["title a", "2 × 3", "↓ row\u2002→ feature"]);
  assert.deepEqual(words({ tight: true, worded: false }), ["title a", null, null]);
  assert.deepEqual(words({}, { badge: undefined, rows: null }), ["title a", null, "→ feature"]);
  assert.equal(words({}, { columns: null })[2], "↓ row");
  const [panel] = placed(box("a")).panels;
  assert.deepEqual([panel.querySelector(".title").title, panel.getAttribute("aria-label")], ["title a", "title a, 2 × 3, ↓ row\u2002→ feature"]);
});

test("keys reach results, operands and stacks; what stands aside and what leads elsewhere is a group", () => {
  const told = (panel) => ["role", "tabindex"].map((name) => placed(box("a", {}, panel)).panels[0].getAttribute(name)).join();
  assert.deepEqual(["result", "operand", "tiles"].map((role) => told({ role })), Array(3).fill("application,0"));
  assert.deepEqual(["aside", "row"].map((role) => told({ role })), ["group,", "group,"]);
  assert.equal(told({ link: "split" }), "group,");
  const { parts, panels } = placed(box("a"));
  assert.equal(panels[0].getAttribute("aria-describedby"), parts.help.id);
});

test("panels that stay are kept in the new order, and others go; a title that is the same is not written anew", () => {
  const { place, panels: [a, b] } = placed(box("a"), box("b"));
  const title = b.querySelector(".title");
  const [first, second] = place([box("b"), box("c")]);
  assert.ok(first === b && b.querySelector(".title") === title && second !== a && second.dataset.panel === "c");
  assert.equal(place([box("b", {}, { title: "other" })])[0].querySelector(".title").textContent, "other");
});

const SCALE = [[0, "#ff0000"], [0.5, "#808080"], [1, "#0000ff"]];
const GROUNDS = { background: "#ffffff", hidden: "#ffff00", hatch: "#ffff00" };
const LINES = { text: "#000000", muted: "#00ff00", line: "#00ffff", primary: "#ff00ff", output: "#000000" };
const palette = openPalette({ ...GROUNDS, ...LINES, logit: SCALE, probability: [[0, "#ffffff"], [1, "#000000"]] });

/** What is painted of a matrix of 2 rows and 3 columns from 10, 20 on: at(row, column) is the colour of a cell near a corner. */
function painted(numbers, { size = [20, 16], own = {}, more = {}, blank, axes = {}, tiles } = {}) {
  const shape = tiles ? [2, 2, 3] : [2, 3];
  const letters = tiles ? "HTK" : "TK";
  const model = openScene({ axes, arrays: { one: array(shape, letters, numbers, { limit: 1, ...own }) }, panels: [] });
  const first = tiles ? 1 : 0;
  const panel = { array: "one", tiles: tiles ? 0 : null, rows: first, columns: first + 1, ...more };
  const [width, height] = size;
  const seen = (count) => ({ start: 0, count });
  const places = (tiles ? [0, 1] : [null]).map((place) => ({ place, x: 10 + 100 * place, y: 20, dx: 100 * place, dy: 0 }));
  const unlabelled = { labelled: [], labelTop: 0, tileWidth: 60, tileColumns: places.length };
  const cell = { width, height, digits: -1 };
  const box = { panel, array: model.arrays.one, rows: seen(2), columns: seen(3), cell, tiles: places, ...unlabelled };
  const canvas = Object.assign(document.createElement("canvas"), { width: 300, height: 100 });
  const context = canvas.getContext("2d");
  paintPanel(context, box, { model, palette, zoom: 1, font: "sans-serif", slices: firstSlices(model), blank: blank && ((_, index) => blank(index)) });
  const colour = (x, y) => {
    const [red, green, blue, alpha] = context.getImageData(x, y, 1, 1).data;
    return alpha ? `#${[red, green, blue].map((part) => part.toString(16).padStart(2, "0")).join("")}` : null;
  };
  const at = (row, column, tile = 0) => colour(10 + 100 * tile + column * width + Math.floor(width / 2), 20 + row * height + Math.floor(height / 2));
  return { at, colour };
}

const cells = ({ at }) => [0, 1].flatMap((row) => [0, 1, 2].map((column) => at(row, column)));
const SHADES = ["#ff0000", "#808080", "#0000ff", "#0000ff", "#ff0000", "#808080"];
const close = (one, other) => [1, 3, 5].every((i) => Math.abs(parseInt(one.slice(i, i + 2), 16) - parseInt(other.slice(i, i + 2), 16)) <= 2);

test("large and small cells have the colours of their numbers, row by row", () => {
  for (const size of [[20, 16], [8, 7], [3, 3]]) {
    const found = cells(painted([-1, 0, 1, 2, -5, 0.001], { size }));
    assert.ok(found.every((colour, i) => colour && close(colour, SHADES[i])), `${size}: ${found}`);
  }
});

test("each matrix of a stack has its own numbers", () => {
  for (const size of [[20, 16], [3, 3]]) {
    const { at } = painted([-1, -1, -1, -1, -1, -1, 1, 1, 1, 1, 1, -1], { size, tiles: true });
    assert.deepEqual([at(0, 0), at(1, 2), at(0, 0, 1), at(1, 2, 1)], ["#ff0000", "#ff0000", "#0000ff", "#ff0000"]);
  }
});

test("shares have the scale of shares, scores that of numbers, and numbers the limit of their own head", () => {
  const { at } = painted([0, 0.5, 1, 0, 0, 0], { own: { kind: "probability" } });
  assert.ok(close(at(0, 1), "#808080") && close(at(0, 2), "#000000"));
  const scores = painted([-1, 0, 1, 1, 1, 1], { own: { kind: "logit" } });
  assert.ok(!close(scores.at(0, 1), scores.at(0, 0)), "a score of 0 lies in the middle of its scale");
  const limit = { axis: 0, values: [1, 100] };
  const own = painted([1, 1, 1, 1, 1, 1], { own: { limit } });
  assert.deepEqual([own.at(0, 0), close(own.at(1, 0), "#7e7e81")], ["#0000ff", true]);
});

test("hidden cells are hatched, and nothing is painted of cells that are not computed", () => {
  for (const size of [[20, 16], [8, 7]]) {
    const numbers = [1, 1, 1, 1, 1, 1];
    const masked = painted(numbers, { size, own: { masked: flagged([false, true, false, false, true, false]) } });
    assert.deepEqual(cells(masked).map((colour) => colour === "#0000ff"), [true, false, true, true, false, true]);
    const hatched = painted(numbers, { size, own: { hatched: flagged([false, false, true]) } });
    assert.deepEqual([hatched.at(0, 1), hatched.at(0, 2) === "#0000ff"], ["#0000ff", false]);
    const blank = painted(numbers, { size, blank: ([row, column]) => row === 1 && column > 0 });
    assert.deepEqual(cells(blank), ["#0000ff", "#0000ff", "#0000ff", "#0000ff", null, null]);
  }
});

test("cells that are small, but not very small, have lines between them in the ground's colour", () => {
  const edge = (size) => painted([1, 1, 1, 1, 1, 1], { size }).colour(10 + size[0], 20 + Math.floor(size[1] / 2));
  assert.ok(edge([8, 7]) !== "#0000ff");
  assert.equal(edge([5, 5]), "#0000ff");
  assert.equal(painted([1, 1, 1, 1, 1, 1], { size: [8, 7] }).colour(13, 23), "#0000ff");
});

test("blocks of columns and of rows are told apart by lines across the whole matrix, and a little beyond", () => {
  const block = (letter) => painted([1, 1, 1, 1, 1, 1], { axes: { [letter]: { word: "axis", labels: null, block: letter === "K" ? 2 : 1 } } }).colour;
  const columns = block("K");
  assert.deepEqual([columns(50, 19), columns(50, 35), columns(50, 53), columns(30, 35)].map((one) => one === "#00ff00"), [true, true, true, false]);
  const rows = block("T");
  assert.deepEqual([rows(9, 36), rows(71, 36), rows(40, 36), rows(40, 28)].map((one) => one === "#00ff00"), [true, true, true, false]);
});
