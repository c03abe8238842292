import { writeArithmetic } from "../../assets/board/arithmetic.js";
import { openPalette } from "../../assets/board/colours.js";
import { openScene } from "../../assets/board/scene.js";
import { along, array, flagged, productScene, running } from "./scenes.js";
import { dressedScene } from "./stand.js";
import { assert, test } from "./testing.js";

const { palette } = dressedScene();

/** What is written of a cell: its name, its chips and signs one by one, the sign before the result, and the result. */
function written(scene, cell, options) {
  const root = document.createElement("div");
  writeArithmetic(root, { model: openScene(scene), palette: openPalette(palette) }, cell, options);
  const texts = (selector) => [...root.querySelectorAll(selector)].map(({ textContent }) => textContent);
  const chips = texts(".terms > *").filter((text) => text !== "+" && text !== ",");
  return { root, chips, what: texts(".what").join(), end: texts(".outcome").join(), now: texts(".now") };
}

// A result of so many terms 1, 2, 3, … of a row.
function long(count, operation, more = {}) {
  const row = array([count], "K", Array.from({ length: count }, (_, k) => k + 1), { title: "row" });
  const read = { array: "row", at: [running] };
  const arrays = { row, made: array([1], "T", null, { title: "made", ...more }) };
  return { panels: [], axes: {}, arrays, rules: { made: { operation, length: count, reads: [read] } } };
}
const made = { array: "made", index: [0] };

test("a cell is named with its place, its label and what it flows into", () => {
  const { what } = written(productScene(), { array: "right", index: [4, 1] });
  assert.equal(what, "rightcolumn 4 “t”feature 1→ flows into result (4 cells)");
});

test("each term of a sum shows its factors and the sum so far", () => {
  const { chips, end } = written(productScene(), { array: "result", index: [0, 1, 2] });
  assert.deepEqual(chips, ["84 × 2Σ 8", "155 × 3Σ 23", "06 × 0Σ 23"]);
  assert.equal(end, "=23");
});

test("of a covered cell nothing is told, whatever it is made of", () => {
  for (const operation of ["copy", "sum", "product", "mask", "softmax"]) {
    const { chips, end } = written(long(1, operation), made, { upTo: 0 });
    assert.deepEqual([chips, end], [[], "=…"], operation);
  }
});

test("numbers have decimals where one of them is no whole number", () => {
  const scene = productScene();
  scene.arrays.left = array([2, 2, 3], "HTK", [1, 2, 3, 4, 5, 6.5, 1, 2, 3, 4, 5, 6], { title: "left" });
  assert.deepEqual(written(scene, { array: "result", index: [0, 1, 2] }).chips[0], "8.0004.000 × 2.000Σ 8.000");
  assert.equal(written(scene, { array: "left", index: [0, 1, 2] }).end, "6.5000");
  assert.equal(written(scene, { array: "left", index: [0, 1, 1] }).end, "5");
});

test("a term is called by the name of the column that is read, where it has one", () => {
  const scene = productScene();
  scene.arrays.right.names = [null, { by: null, labels: ["noun", "·", "a long name of a feature"] }];
  const { chips } = written(scene, { array: "result", index: [0, 1, 2] });
  assert.deepEqual(chips, ["8noun 4 × 2Σ 8", "155 × 3Σ 23", "0a long n… 6 × 0Σ 23"]);
});

test("while a sum is played only the terms that are known are written, the last of them marked, and no result", () => {
  const at = (upTo) => written(productScene(), { array: "result", index: [0, 1, 2] }, { upTo });
  assert.deepEqual([at(2).chips.length, at(2).now.map((text) => text.slice(0, 2)), at(2).end], [2, ["15"], "=…"]);
  assert.deepEqual([at(Infinity).chips.length, at(Infinity).now, at(Infinity).end], [3, [], "=23"]);
});

test("of more than forty terms the first and the last are written, and what the others sum to; of a pinned cell all are", () => {
  assert.equal(written(long(40, "sum"), made).chips.length, 40);
  const { chips } = written(long(41, "sum"), made);
  assert.deepEqual([chips.length, ...chips.slice(31)], [34, "32rowΣ 528", "… 8 moretogether 292", "41rowΣ 861"]);
  assert.equal(written(long(41, "sum"), made, { all: true }).chips.length, 41);
  assert.deepEqual(written(long(60, "sum"), made, { upTo: 35 }).chips.slice(32), ["… 3 moretogether 102"]);
});

test("of a largest number the terms that are left out are not added up: the largest of them is told", () => {
  const { chips, end } = written(long(41, "max"), made);
  assert.deepEqual(chips.slice(33), ["… 8 moreat most 40", "41row"]);
  assert.equal(end, "=41");
});

test("a share is written as a quotient, while it is played as a sum of powers, and in percent", () => {
  const scene = long(3, "softmax", { kind: "probability" });
  scene.rules.made.position = along(0);
  const { chips, end } = written(scene, made);
  assert.deepEqual(chips, ["1.000row", "−", "3.000maximum", "→ exp →", "0.135exp(−2.000)", "÷", "1.503sum of 3 exponentials"]);
  assert.equal(end, "≈0.09009.0 %");
  assert.deepEqual(written(scene, made, { upTo: 2 }).chips, ["0.135exp(1.000 − 3.000)Σ 0.135", "0.368exp(2.000 − 3.000)Σ 0.503"]);
});

test("what is hidden is said to be, what stays, too, and nothing before the answer is known", () => {
  const scene = long(1, "mask");
  assert.deepEqual(written(scene, made).chips, ["1row", "is allowed and stays"]);
  assert.deepEqual(written(scene, made, { upTo: 1 }).chips, ["1row", "is it allowed?"]);
  scene.rules.made.adds = scene.rules.made.reads;
  assert.deepEqual(written(scene, made).chips, ["1row", "1row", ""], "what is added changes it");
  scene.arrays.made.masked = flagged([true]);
  assert.deepEqual([written(scene, made).chips.at(-1), written(scene, made).end], ["is not allowed and becomes", "=−∞"]);
  scene.rules.made = { operation: "softmax", length: 1, reads: [{ array: "row", at: [running] }] };
  scene.arrays.row.masked = flagged([true]);
  assert.deepEqual(written(scene, made).chips, ["nothing is allowed in this slice, so every share is zero:"]);
});

test("other operations are written with their signs; what was not sent is no number", () => {
  const chips = (operation, more = {}) => {
    const scene = long(1, operation);
    Object.assign(scene.rules.made, more);
    return written(scene, made).chips.join(" ");
  };
  const read = { array: "row", at: [running] };
  assert.equal(chips("copy"), "copied from 1row ");
  assert.equal(chips("difference", { reads: [read, read] }), "1row − 1row");
  assert.equal(chips("product", { reads: [read, read] }), "1row × 1row");
  assert.equal(chips("exp"), "exp( 1.000row )");
  assert.equal(chips("softcap", { softcap: 30 }), "30.000 · tanh( 1.000row ÷ 30.000)");
  const { chips: given, end } = written({ ...long(2, "sum"), rules: {} }, { array: "row", index: [1] });
  assert.deepEqual([given, end], [["given, nothing to compute:"], "2"]);
  const partly = long(2, "sum");
  Object.assign(partly.arrays.row, { shape: [1], whole: [2], start: [0] });
  assert.equal(written(partly, made).end.includes("not sent"), true);
});

test("a word of the data stays text, and keeps its direction", () => {
  const scene = productScene();
  scene.axes.S.labels[4] = "<b>שלום";
  const { root } = written(scene, { array: "right", index: [4, 1] });
  assert.equal(root.querySelector("bdi").textContent, "<b>שלום");
});

test("an edit button is there when there is something to edit, and a long sum can be scrolled by keys", () => {
  const edits = [];
  const { root } = written(long(4, "sum"), made, { all: true, edit: () => edits.push("edit") });
  root.querySelector(".edit").click();
  assert.deepEqual([edits, root.querySelector(".terms").tabIndex], [["edit"], 0]);
  const opens = (count, more) => written(long(count, "sum"), made, { open: () => {}, ...more }).root.querySelectorAll(".open").length;
  assert.deepEqual([opens(3), opens(4), opens(3, { opened: true })], [0, 1, 1]);
  const short = written(long(3, "sum"), made).root;
  assert.deepEqual([short.querySelector(".edit"), short.querySelector(".terms").tabIndex], [null, -1]);
});
