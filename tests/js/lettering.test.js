import { paintCaption, paintLabels } from "../../assets/board/draw/lettering.js";
import { openScene } from "../../assets/board/scene/scene.js";
import { TYPE } from "../../assets/board/place/sizes.js";
import { noting } from "./noting.js";
import { array } from "./scenes.js";
import { assert, test } from "./testing.js";

const [TEXT, MUTED, PRIMARY] = ["#111111", "#222222", "#000080"];
const palette = { text: TEXT, muted: MUTED, primary: PRIMARY };

// Four heads of 2 × 6, two beside each other and two below, with cells of 40 by 20 px; change: what is done to panel, box and axes.
function board({ panel = {}, axes = {}, zoom = 1, ...box } = {}) {
  const model = openScene({
    axes: { H: { word: "head" }, T: { word: "row", labels: ["one", "two"] }, S: { word: "column" }, ...axes },
    arrays: { all: array([4, 2, 6], "HTS", null) },
    panels: [],
  });
  const tiles = [0, 1, 2, 3].map((place) => ({ place, x: 100 + 300 * (place % 2), y: place < 2 ? 50 : 150, dy: place < 2 ? 0 : 100 }));
  const around = { labelled: [1, 2], longest: 12, left: 30, labelTop: 14, turned: false, small: false, tileColumns: 2, tileWidth: 240 };
  const seen = { rows: { start: 0, count: 2 }, columns: { start: 0, count: 6 }, cell: { width: 40, height: 20 } };
  const whole = { panel: { array: "all", rows: 1, columns: 2, tiles: 0, ...panel }, array: model.arrays.all, tiles, ...seen, ...around, ...box };
  return { box: whole, look: { model, palette, zoom, font: "F" } };
}

// All that is drawn beside the tiles of a board.
function drawn(change) {
  const { box, look } = board(change);
  const canvas = noting();
  paintLabels(canvas.context, box, look);
  return canvas;
}

// The texts in one colour, with where they stand.
const texts = ({ drawn }, colour = TEXT) => drawn.filter(([ink, kind]) => ink === colour && kind === "text").map(([, , text]) => text);

test("rows are named beside the first tile of each line, columns above the tiles of the first line", () => {
  const rows = ["one 94,60", "two 94,80", "one 94,160", "two 94,180"];
  const columns = [120, 420].flatMap((x) => [0, 1, 2, 3, 4, 5].map((place) => `${place} ${x + 40 * place},42`));
  assert.deepEqual(texts(drawn()), [...rows, ...columns]);
  assert.deepEqual(texts(drawn({ labelled: [1] })), rows);
  assert.deepEqual(texts(drawn({ small: true })), []);
});

test("every tile is named above itself, and above the names of its columns where they are", () => {
  const named = ["head 0 100,28", "head 1 400,28", "head 2 100,142", "head 3 400,142"];
  assert.deepEqual(texts(drawn(), MUTED), named);
  assert.deepEqual(texts(drawn({ small: true }), MUTED), named);
  assert.deepEqual(texts(drawn({ panel: { tiles: null } }), MUTED), []);
});

test("the name of a narrow tile is its number alone, with what else is said of it", () => {
  const narrow = drawn({ tileWidth: 30, panel: { captions: { 2: "38 %" } } });
  assert.deepEqual(texts(narrow, MUTED), ["0 100,28", "1 400,28", "2 · 38 % 100,142", "3 400,142"]);
  const narrowest = drawn({ tileWidth: 29, panel: { captions: { 2: "38 %" } } }); // 48 px, 18 px of which are the gap
  assert.equal(texts(narrowest, MUTED)[2], "2 100,142");
  assert.equal(texts(drawn({ tileWidth: 34 }), MUTED)[0], "head 0 100,28"); // 36 px, of which 2 may stand over
});

test("rows end and columns are centred at their cells, in the type of the board", () =>
  [[...new Set(drawn().context.written)], [`left ${TYPE}px F`, `right ${TYPE}px F`, `center ${TYPE}px F`]]);

test("names of narrow columns are turned and begin at the middle of their cell", () => {
  const { drawn: found, context } = drawn({ turned: true, axes: { S: { word: "key", labels: [..."abcdef"] } } });
  const first = found.findIndex(([kind]) => kind === "from");
  assert.deepEqual(found.slice(first, first + 3), [["from", "120,44"], ["turned", -45], [TEXT, "text", "a 0,0"]]);
  assert.equal(found.filter(([kind]) => kind === "from").length, 12);
  assert.equal(context.written.at(-1), `left ${TYPE}px F`);
  assert.equal(context.open, 0);
});

test("where lines are close only every second, fifth … is named, the same ones in each window", () => {
  const close = { cell: { width: 40, height: 6 }, axes: { T: { word: "row" } }, labelled: [1] };
  assert.deepEqual(texts(drawn({ ...close, rows: { start: 0, count: 3 } })).slice(0, 2), ["0 94,53", "2 94,65"]);
  assert.deepEqual(texts(drawn({ ...close, rows: { start: 1, count: 4 } })).slice(0, 2), ["2 94,59", "4 94,71"]);
  const closer = { ...close, cell: { width: 40, height: 4 }, rows: { start: 3, count: 9 } };
  assert.deepEqual(texts(drawn(closer)).slice(0, 2), ["5 94,60", "10 94,80"]);
});

test("columns are named as far as there is room for their numbers, or for lines of turned words", () => {
  const named = (width, start, more) => texts(drawn({ labelled: [2], tileColumns: 1, cell: { width, height: 20 }, columns: { start, count: 6 }, ...more }));
  assert.deepEqual(named(12, 0), ["0 106,42", "2 130,42", "4 154,42"]); // two digits and a gap take 20 px
  assert.deepEqual(named(12, 5), ["6 118,42", "8 142,42", "10 166,42"]);
  assert.deepEqual(named(12, 94), ["94 106,42", "96 130,42", "98 154,42"]);
  assert.deepEqual(named(12, 95), ["95 106,42", "100 166,42"]); // three digits
  const words = { axes: { S: { word: "key", labels: [..."abcdef"] } } };
  assert.equal(named(3, 0, words).length, 6); // the layout has found that they fit
  for (const [width, count] of [[12.2, 6], [12, 3]]) assert.equal(named(width, 0, { ...words, turned: true }).length, count);
});

test("every second block stands on a band and has a colour of its own", () => {
  const columns = drawn({ axes: { S: { word: "feature", block: 2 } }, labelled: [2], tileColumns: 1 });
  assert.deepEqual(texts(columns, PRIMARY), ["2 200,42", "3 240,42"]);
  assert.deepEqual(texts(columns), ["0 120,42", "1 160,42", "4 280,42", "5 320,42"]);
  const band = columns.drawn.filter(([, kind]) => kind === "fill");
  assert.deepEqual(band, [["rgba(0, 0, 128, 0.1)", "fill", "R180,34,40,14"], ["rgba(0, 0, 128, 0.1)", "fill", "R220,34,40,14"]]);
  const rows = drawn({ axes: { T: { word: "feature", block: 1 } }, labelled: [1], tileColumns: 4 });
  assert.deepEqual(rows.drawn.filter(([, kind]) => kind === "fill"), [["rgba(0, 0, 128, 0.1)", "fill", "R72,70,26,20"]]);
});

test("in larger type all keeps its proportions", () => {
  const twice = (one) => (typeof one === "number" ? 2 * one : Array.isArray(one) ? one.map(twice) : doubled(one));
  const doubled = (one) => Object.fromEntries(Object.entries(one).map(([name, part]) => [name, name === "place" ? part : twice(part)]));
  const large = (found) => found.map(([ink, kind, what]) => [ink, kind, what.replace(/-?[\d.]+(?=,|$)/g, (number) => 2 * number)]);
  const axes = { T: { word: "feature", block: 1 }, S: { word: "feature", block: 2 } };
  const { box } = board({ axes });
  const { tiles, cell, left, labelTop } = box;
  const more = { zoom: 2, tiles: tiles.map(doubled), cell: doubled(cell), left: 2 * left, labelTop: 2 * labelTop, tileWidth: 71 };
  const found = drawn({ axes, ...more });
  assert.deepEqual(found.drawn, large(drawn({ axes, tileWidth: 34 }).drawn));
  assert.ok(found.context.written.every((type) => type.endsWith(` ${2 * TYPE}px F`)));
  const turned = { labelled: [2], turned: true };
  const first = ({ drawn }) => drawn.find(([kind]) => kind === "from")[1];
  assert.deepEqual([first(drawn(turned)), first(drawn({ ...turned, ...more }))], ["120,44", "240,88"]);
});

test("the ground of a tile's name is as wide as the name and a little more", () => {
  const { box, look } = board();
  const { context, drawn: found } = noting();
  paintCaption(context, box, box.tiles[2], look, "#ffffff");
  assert.deepEqual(found, [["#ffffff", "fill", "R97,135,42,14"], [MUTED, "text", "head 2 100,142"]]);
});

test("what is said of a small tile stands in a line of its own below its name, cut to its width", () => {
  const captions = ["token before", "[CLS]", "it → animal", "x".repeat(200)];
  const found = texts(drawn({ panel: { captions }, small: true }), MUTED);
  const bare = (text) => text.replace(/[\u2066-\u2069]/g, "");
  assert.deepEqual(found.slice(0, 4).map(bare), ["head 0 100,16", "token before 100,28", "head 1 400,16", "[CLS] 400,28"]);
  const [last] = found.slice(-1);
  assert.ok(last.includes("…") && last.length < 200);
});
