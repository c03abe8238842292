import { writeArithmetic } from "../../assets/board/words/arithmetic.js";
import { openPalette } from "../../assets/board/draw/colours.js";
import { openScene } from "../../assets/board/scene/scene.js";
import { fillNext, fillStrip } from "../../assets/board/words/words.js";
import { reasonsOf } from "../../assets/board/words/reasons.js";
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

// The scene with other numbers in its row.
const ofRow = (scene, numbers, more = {}) => (Object.assign(scene.arrays, { row: array([numbers.length], "K", numbers, { title: "row", ...more }) }), scene);

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

// The LayerNorm of the first number of the row 1, 2, 3, 4, 5: mean 3, root of the mean of squares √2 for an epsilon of 0.
function normed(gain, offset) {
  const scene = long(5, "norm");
  for (const [name, number] of Object.entries({ gain, offset })) scene.arrays[name] = array([1], "T", [number], { title: name });
  const adds = ["gain", "offset"].map((name) => ({ array: name, at: [along(0)] }));
  Object.assign(scene.rules.made, { centred: true, position: along(0), adds });
  return scene;
}

test("a LayerNorm shows mean and root, and gain and offset where they change something", () => {
  const { chips, end } = written(normed(2, 7), made);
  assert.deepEqual(chips, ["(", "1row", " − 3) ÷", "1.414", "×", "2", "7"]);
  assert.equal(end, "≈4.1716");
  assert.deepEqual(written(normed(1, 0), made).chips, ["(", "1row", " − 3) ÷", "1.414"]);
  const all = written(normed(2, 7), made, { all: true }).chips.join("");
  assert.ok(all.includes(") ÷ 5 = 3;") && all.includes("(5 − 3)^2") && all.includes(") ÷ 5 + 0)"), all);
});

test("numbers have decimals where they are not whole", () => {
  const scene = productScene();
  scene.arrays.left = array([2, 2, 3], "HTK", [1, 2, 3, 4.5, 5, 6.5, 1, 2, 3, 4, 5, 6], { title: "left" });
  assert.deepEqual(written(scene, { array: "result", index: [0, 1, 2] }).chips.slice(0, 2), ["94.500 × 2Σ 9", "155 × 3Σ 24"]);
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

test("of more than forty terms the first are written, and what the others sum to; of a pinned cell all are", () => {
  assert.equal(written(long(40, "sum"), made).chips.length, 40);
  const { chips } = written(long(41, "sum"), made);
  assert.deepEqual([chips.length, ...chips.slice(31)], [33, "32rowΣ 528", "3339 more"]);
  assert.equal(written(long(41, "sum"), made, { all: true }).chips.length, 41);
  assert.deepEqual(written(long(60, "sum"), made, { upTo: 45 }).chips.slice(30), ["31rowΣ 496", "49413 more", "45rowΣ 1035"], "the one that is computed stays");
});

test("terms that are 0 are counted in one chip, unless all are asked for or one of them is being computed", () => {
  const zeros = (options) => written(ofRow(long(6, "sum"), [0, 2, 0, 0, 3, 0]), made, options).chips;
  assert.deepEqual(zeros(), ["2rowΣ 2", "3rowΣ 5", "4 terms are 0"]);
  assert.deepEqual(zeros({ all: true, open: () => {} }), zeros());
  assert.deepEqual([zeros({ all: true }).length, zeros({ open: () => {}, opened: true }).length], [6, 6]);
  assert.deepEqual(zeros({ upTo: 4 }), ["2rowΣ 2", "0rowΣ 2", "2 terms are 0"]);
  assert.deepEqual(written(productScene(), { array: "result", index: [0, 0, 1] }).chips.length, 3, "of few terms none is left out");
});

test("what has no room is left out, the place of the cell first: never the result, and the shown numbers still sum to it", () => {
  const style = "<style>.line, .terms, .outcome, .what { display: flex; white-space: nowrap } .line { width: 100% } .terms { flex: 1; min-width: 0; overflow: hidden } .outcome { flex: none } .brief .at { display: none }</style>";
  const frame = document.body.appendChild(Object.assign(document.createElement("div"), { innerHTML: style }));
  const root = frame.appendChild(Object.assign(document.createElement("div"), { style: "width: 400px" }));
  const write = (more) => writeArithmetic(root, { model: openScene(long(64, "sum")), palette: openPalette(palette) }, made, { all: true, open: () => {}, ...more });
  write({ drawn: true });
  const numbers = [...root.querySelectorAll(".chip b")].map(({ textContent }) => Number(textContent));
  assert.ok(numbers.length > 2 && numbers.length < 64);
  assert.equal(numbers.reduce((a, b) => a + b), 64 * 65 / 2);
  assert.deepEqual([...root.classList], ["brief", "plain"]);
  const box = root.querySelector(".terms");
  assert.ok(box.scrollWidth <= box.clientWidth + 1);
  assert.ok(root.querySelector(".result").getBoundingClientRect().right <= root.getBoundingClientRect().right);
  write({ opened: true });
  assert.equal(root.querySelectorAll(".chip").length, 64);
});

test("of a largest number the terms that are left out are not added up: the largest of them is told", () => {
  const { chips, end } = written(long(41, "max"), made);
  assert.deepEqual(chips.slice(33), ["at most 419 more"]);
  assert.equal(end, "=41");
});

test("a share is written as a quotient of powers, of which equal ones stand together, and in percent", () => {
  const scene = long(5, "softmax", { kind: "probability" });
  scene.rules.made.position = along(0);
  const { chips, end } = written(ofRow(scene, [5, 0, 3, 0, 0]), made);
  assert.deepEqual(chips, ["e^5", "÷", "(", "e^5", "e^3", "3 · e^0", ")", "= 148.413 ÷ 171.499"]);
  assert.equal(end, "≈0.865486.5\u00a0%");
  assert.deepEqual(written(scene, made, { upTo: 2 }).chips, ["e^5", "÷", "(", "e^5", "e^0", "…", ")"]);
  assert.equal(written(scene, made, { opened: true }).chips.filter((text) => text === "e^0").length, 3);
  ofRow(scene, [5000, 0, 3, 0, 0], { masked: flagged([false, false, true, false, false]) });
  assert.deepEqual(written(scene, made).chips, ["e^5000", "÷", "(", "e^5000", "e^−∞", "3 · e^0", ")"], "too large for its number");
});

test("beside large numbers a very small one is near 0, and so is a small share", () => {
  assert.deepEqual(written(ofRow(long(2, "sum"), [1e-6, 10]), made).chips, ["≈ 0rowΣ ≈ 0", "10rowΣ 10"]);
  const share = long(2, "softmax", { kind: "probability", limit: null });
  share.rules.made.position = along(0);
  assert.equal(written(ofRow(share, [0, 12]), made).end, "≈00.0\u00a0%");
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
  const two = { reads: [read, read] };
  const found = [chips("copy"), chips("difference", two), chips("product", two), chips("exp"), chips("softcap", { softcap: 30 })];
  assert.deepEqual(found, ["copied from 1row ", "1row − 1row", "1row × 1row", "exp( 1row )", "30 · tanh( 1row ÷ 30)"]);
  const { chips: given, end } = written({ ...long(2, "sum"), rules: {} }, { array: "row", index: [1] });
  assert.deepEqual([given, end], [["given, not computed"], "2"]);
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

const steps = ["Tokens", "Split", "Scores"].map((title) => ({ title, path: title.toLowerCase() }));
const here = window.location.href;

/** The strip at a place, its links as kind:text. */
function shown(place, nav = document.body.appendChild(document.createElement("nav"))) {
  fillStrip(nav, { steps, place });
  const links = [...nav.querySelectorAll("a")];
  return { nav, links, told: links.map(({ className, textContent }) => `${className}:${textContent}`) };
}

/** Click a link; gives whether it was left to the browser to open it. */
function click(link, more = {}) {
  let left = false;
  const stay = (event) => {
    left = !event.defaultPrevented;
    event.preventDefault(); // the tests stay on their page
  };
  link.addEventListener("click", stay, { once: true });
  link.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, ...more }));
  return left;
}

test("the strip names every step, marks the one where one is, and leads to those before and after", () => {
  const [first, middle, last] = [0, 1, 2].map((place) => shown(place));
  assert.deepEqual(first.told, ["here:Tokens", ":Split", ":Scores", "after:›"]);
  assert.deepEqual(middle.told, ["before:‹", ":Tokens", "here:Split", ":Scores", "after:›"]);
  assert.deepEqual(last.told, ["before:‹", ":Tokens", ":Split", "here:Scores"]);
  assert.deepEqual(middle.links.map((link) => link.getAttribute("aria-current")), [null, null, "page", null, null]);
  assert.deepEqual(first.links.map((link) => link.getAttribute("href")), ["./tokens", "./split", "./scores", "./split"]);
  assert.deepEqual([middle.links[0], middle.links[4], middle.links[1]].map(({ title }) => title), ["Tokens", "Scores", ""]);
});

test("the strip is one stop of the Tab key; arrow keys go from step to step", () => {
  const strip = shown(1);
  assert.deepEqual(strip.links.map(({ tabIndex }) => tabIndex), [-1, -1, 0, -1, -1]);
  strip.links[2].focus();
  strip.links[2].dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true, cancelable: true }));
  assert.equal(document.activeElement, strip.links[3]);
});

test("a strip that shows the same stays as it is, and goes on with its page", () => {
  const before = shown(0);
  assert.ok(shown(0, before.nav).links.every((link, i) => link === before.links[i]), "a link with the focus keeps it");
  assert.equal(shown(1, before.nav).told.length, 5);
});

test("a click opens a step with the choices as they are then, from its top, and that of the page itself nothing", () => {
  const main = Object.assign(document.body.appendChild(document.createElement("div")), { style: "height: 50px; overflow: auto" });
  main.dataset.testid = "stMain";
  main.append(Object.assign(document.createElement("div"), { style: "height: 500px" }));
  const strip = shown(0);
  history.replaceState(null, "", "?head=2");
  let opened = 0;
  const count = () => (opened += 1);
  window.addEventListener("popstate", count);
  assert.equal(click(strip.links[0]), false);
  for (const key of ["ctrlKey", "metaKey", "shiftKey", "altKey"]) assert.ok(click(strip.links[2], { [key]: true }));
  assert.deepEqual([opened, window.location.search], [0, "?head=2"]);
  main.scrollTop = 100;
  assert.equal(click(strip.links[2]), false);
  const { pathname, search } = window.location;
  window.removeEventListener("popstate", count);
  history.replaceState(null, "", here);
  assert.deepEqual([opened, pathname.split("/").pop(), search, main.scrollTop], [1, "scores", "?head=2", 0]);
});

test("a link that is opened in a new tab has the choices, too, by mouse and by keys", () => {
  for (const act of ["pointerdown", "focus"]) {
    const strip = shown(0);
    history.replaceState(null, "", "?head=3");
    strip.links[1].dispatchEvent(new Event(act));
    assert.ok(strip.links[1].href.endsWith("/split?head=3"), act);
    history.replaceState(null, "", here);
  }
});

test("where there is nowhere to go, as in a hand-out, the steps are words, that of the page marked", () => {
  const nav = document.body.appendChild(document.createElement("nav"));
  fillStrip(nav, { steps, place: 1 }, false);
  assert.deepEqual([...nav.querySelectorAll("a")], []);
  assert.deepEqual([...nav.querySelectorAll("span")].map(({ className, textContent }) => `${className}:${textContent}`), [":Tokens", "here:Split", ":Scores"]);
});

test("a step ends with a link that names the next one; not the last step, nor a lesson, nor a hand-out", () => {
  const told = (stage, linked = true) => {
    const place = document.createElement("div");
    fillNext(place, { steps, ...stage }, linked);
    return place.hidden ? null : [place.textContent, place.querySelector("a").getAttribute("href")];
  };
  assert.deepEqual(told({ place: 0 }), ["Next: Split →", "./split"]);
  assert.deepEqual([told({ place: 2 }), told({ place: 0, lesson: "masks.1" }), told({ place: 0 }, false)], [null, null, null]);
});

test("the three sentences of a step are counted from 1, and turn in a circle", () => {
  const told = [];
  const tries = [{ text: "t", act: "far", label: "F", value: 1 }, { text: "u", act: "near", label: "N", value: -2 }];
  const made = reasonsOf({ title: "step", says: "", reasons: { now: "n", why: "w", tries } }, { act: (...one) => told.push(one), can: (act) => act === "near", changed: () => {} });
  const [back, on] = made.querySelectorAll(".turn button");
  const now = () => [made.querySelector(".count").textContent, made.querySelector(".sentence.shown .text").textContent];
  assert.deepEqual(now(), ["1/3", "n"]);
  on.click();
  assert.deepEqual(now(), ["2/3", "w"]);
  on.click();
  assert.deepEqual(now(), ["3/3", "u"]); // what is in reach is offered
  made.querySelector(".told button").click();
  assert.deepEqual(told, [["near", -2]]);
  on.click();
  back.click();
  assert.deepEqual(now(), ["3/3", "u"]);
});
