import { fillSummary, Guess, sharePlace, forgetGuesses, keepAsking, keptGuesses, visitAsks } from "../../assets/board/play/guess.js";
import { assert, test } from "./testing.js";

const STEP = { path: "scores", title: "Scores" };
const option = (value, right, ...misconceptions) => ({ value, label: value, right, misconceptions, picture: [] });
const asked = (more = {}) => ({
  id: "a", kind: "number", array: "scores", index: [0, 0, 1, 2], hides: [[0, 0, 1, 2]], prompt: "How large?", invite: "a with b?", first: false,
  options: [option("3", true), option("6", false, "double")], why: "A sum it is.", answer: "3", number: 3, tolerance: 0.1, ...more,
});
const PINNED = { array: "scores", index: [0, 0, 0, 0] };

/** A question in the page of a new visit, with how often it changed what is in sight. */
function begun(question = asked(), choose = null) {
  forgetGuesses();
  keepAsking(null);
  const root = document.createElement("div");
  document.body.append(root);
  const made = { root, changes: 0 };
  const readers = () => [{ array: "shares", low: [0, 0, 1, 0], high: [0, 0, 1, 3] }];
  made.guess = new Guess(root, () => (made.changes += 1), readers);
  made.guess.adopt(question, STEP, choose);
  made.part = (selector) => root.querySelector(selector);
  return made;
}

const type = ({ part }, text) => {
  part(".typed").value = text;
  part("form").dispatchEvent(new Event("submit", { cancelable: true }));
};

test("nothing is covered until the invitation is accepted; then its cell and what follows from it", () => {
  const made = begun();
  const { guess } = made;
  const hidden = () => [guess.hides("scores", [0, 0, 1, 2]), guess.hides("shares", [0, 0, 1, 3]), guess.hides("shares", [0, 0, 2, 3])];
  assert.deepEqual([guess.state, guess.show(), guess.cell, hidden()], ["invited", false, null, [false, false, false]]);
  made.part(".invite").click();
  assert.deepEqual([guess.isOpen, guess.cell.index, hidden(), made.changes], [true, [0, 0, 1, 2], [true, true, false], 1]);
  assert.equal(document.activeElement, made.part(".typed"));
  type(made, "five");
  assert.deepEqual([guess.isOpen, made.part(".typed").getAttribute("aria-invalid")], [true, "true"]);
  type(made, "6");
  assert.deepEqual([hidden(), made.part(".given").textContent, made.part(".truth").textContent], [[false, false, false], "6", "3"]);
  assert.equal(made.part(".missed") !== null, true);
});

test("why is one sentence at once, the reason; then the arithmetic is alone", () => {
  const made = begun(asked({ first: true }));
  type(made, "3");
  assert.equal(made.part(".right") !== null, true);
  made.part(".because").click();
  assert.deepEqual([made.part(".why").textContent, made.root.querySelectorAll("p").length], ["A sum it is.", 1]);
  made.part(".close").click();
  assert.deepEqual([made.guess.state, made.root.children.length], ["idle", 0]);
});

test("whoever accepted once is asked first by the next steps, and by each only once", () => {
  const made = begun();
  made.part(".invite").click();
  assert.equal(made.guess.show(), true);
  made.guess.adopt(asked(), { path: "scale", title: "Scale" }, null);
  assert.equal(made.guess.isOpen, true);
  made.guess.adopt(asked({ index: [0, 0, 1, 1] }), STEP, null);
  assert.equal(made.guess.state, "idle");
});

test("to stop is one button: no question and no invitation follow, and the switch goes off", () => {
  const told = [];
  const made = begun(asked({ first: true }), (...choice) => told.push(choice));
  made.part(".off").click();
  made.guess.adopt(asked(), { path: "scale", title: "Scale" }, null);
  assert.deepEqual([told, made.guess.state, visitAsks()], [[["guess", false]], "idle", false]);
  made.guess.adopt(asked({ first: true }), { path: "scale", title: "Scale" }, null);
  assert.equal(made.guess.isOpen, true);
});

test("another pinned cell puts the question aside, its own cell does not; pointing elsewhere does so for a while", () => {
  const made = begun(asked({ first: true }));
  const { guess } = made;
  document.activeElement.blur();
  assert.deepEqual([guess.stateAt(PINNED), guess.stateAt(guess.cell), guess.stateAt(null)], ["idle", "open", "open"]);
  assert.deepEqual([guess.takes({ array: "scores", index: [0, 0, 1, 2] }), guess.isOpen], [true, true]);
  assert.deepEqual([guess.takes(PINNED), guess.state, guess.stateAt(PINNED)], [false, "invited", "invited"]);
});

test("a question of place covers nothing and explains no other cell; its options are buttons", () => {
  const made = begun(asked({ kind: "place", hides: [], number: null, options: [option("head 1", true), option("head 2", false)], answer: "head 1", first: true }));
  assert.deepEqual([made.guess.cell, made.guess.hides("scores", [0, 0, 1, 2])], [null, false]);
  made.part("form .option").click();
  assert.deepEqual([keptGuesses()[0].said, made.part(".verdict").textContent.match(/head 1/gu).length], ["right", 1]);
});

test("the same question that comes again keeps what is typed", () => {
  const made = begun(asked({ first: true }));
  made.part(".typed").value = "1";
  made.guess.adopt(asked({ first: true }), STEP, null);
  assert.equal(made.part(".typed").value, "1");
});

test("the arithmetic keeps three quarters of its line, and all of it while nothing is said", () => {
  const made = begun();
  const [arithmetic, terms] = [document.createElement("div"), { x: 10, y: 0, width: 1000, height: 40 }];
  const places = (state) => {
    sharePlace(made.root, arithmetic, { terms, state, tall: false });
    return [arithmetic.style.left, parseFloat(arithmetic.style.width) >= 720];
  };
  made.root.style.position = "absolute";
  assert.deepEqual(["invited", "told", "idle", "open"].map(places), Array(4).fill(["10px", true]));
  assert.deepEqual([made.root.style.width, arithmetic.style.width], ["1000px", "1000px"]);
});

test("the end of the story tells what was guessed; to guess again is to be asked again", () => {
  const words = document.createElement("div");
  const made = begun(asked({ first: true }));
  type(made, "3.3");
  keepAsking(false);
  fillSummary(words);
  assert.equal(/1/.test(words.textContent) && words.textContent.includes("Scores"), true);
  words.querySelector("button").click();
  assert.deepEqual([words.hidden, keptGuesses(), visitAsks()], [true, [], true]);
});
