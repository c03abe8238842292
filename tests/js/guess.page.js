import { fillSummary, Guess } from "../../assets/board/guess.js";
import { forgetGuesses, keptGuesses } from "../../assets/board/guessing.js";
import { assert, test } from "./testing.js";

const STEP = { path: "scores", title: "Scores" };
const REASONS = [{ text: "It is doubled.", misconception: "double" }, { text: "It is a sum.", misconception: "" }];
const asked = (more = {}) => ({
  id: "a", kind: "number", array: "scores", index: [0, 0, 1, 2], hides: [[0, 0, 1, 2]], prompt: "How large?",
  options: [{ value: "3", label: "3", right: true, misconceptions: [], picture: [] }, { value: "6", label: "6", right: false, misconceptions: ["double"], picture: [] }],
  reasons: REASONS, why: "A sum it is.", answer: "3", number: 3, tolerance: 0.1, ...more,
});

/** A guess in the page, with how often it changed what is in sight. */
function begun(question = asked(), choose = null) {
  forgetGuesses();
  try {
    sessionStorage.removeItem("attention-no-guesses");
  } catch {
    // a page without storage
  }
  const root = document.createElement("div");
  document.body.append(root);
  const made = { root, changes: 0 };
  made.guess = new Guess(root, () => (made.changes += 1));
  made.guess.adopt(question, STEP, choose);
  made.part = (selector) => root.querySelector(selector);
  return made;
}

const type = ({ part }, text) => {
  part(".typed").value = text;
  part("form").dispatchEvent(new Event("submit", { cancelable: true }));
};

test("a cell is hidden until a guess is taken, which then stands beside the answer", () => {
  const made = begun();
  const hidden = () => made.guess.hides("scores", [0, 0, 1, 2]);
  assert.deepEqual([hidden(), made.guess.hides("scores", [0, 0, 1, 1])], [true, false]);
  type(made, "five");
  assert.deepEqual([hidden(), made.part(".typed").getAttribute("aria-invalid")], [true, "true"]);
  type(made, "6");
  assert.deepEqual([hidden(), made.changes], [false, 1]);
  assert.deepEqual([made.part(".given").textContent, made.part(".truth").textContent], ["6", "3"]);
  assert.equal(made.part(".missed") !== null, true);
  made.root.remove();
});

test("why is a choice of reasons, and the sentence follows at once", () => {
  const made = begun();
  type(made, "3");
  const reasons = [...made.root.querySelectorAll(".reasons button")];
  assert.deepEqual(reasons.map((one) => one.textContent), REASONS.map(({ text }) => text));
  reasons[0].click();
  assert.equal(made.part(".why").textContent.endsWith("A sum it is."), true);
  assert.deepEqual([keptGuesses()[0].said, keptGuesses()[0].reason], ["right", "double"]);
  made.part(".close").click();
  assert.deepEqual([made.guess.state, made.root.children.length], ["idle", 0]);
  made.root.remove();
});

test("of a step it asks once in a visit; a guess can be passed over, and all can be turned off", () => {
  const made = begun();
  assert.deepEqual([made.guess.show(), made.guess.show(), keptGuesses()[0].said], [true, false, "shown"]);
  made.guess.adopt(asked({ index: [0, 0, 1, 1], answer: "4" }), STEP, null);
  assert.equal(made.guess.state, "idle");
  const told = [];
  const other = begun(asked(), (...choice) => told.push(choice));
  other.part(".off").click();
  assert.deepEqual([told, other.guess.isOpen], [[["guess", false]], false]);
  const alone = begun();
  alone.part(".off").click();
  alone.guess.adopt(asked({ answer: "5" }), STEP, null);
  assert.equal(alone.guess.state, "idle");
  for (const { root } of [made, other, alone]) root.remove();
});

test("the same question that comes again keeps what is typed; options are buttons, pictures too", () => {
  const made = begun();
  made.part(".typed").value = "1";
  made.guess.adopt(asked(), STEP, null);
  assert.equal(made.part(".typed").value, "1");
  const picture = [[1, 0], [0.5, 1]];
  const options = [{ value: "A", label: "picture A", right: true, misconceptions: [], picture }, { value: "B", label: "picture B", right: false, misconceptions: [], picture }];
  const drawn = begun(asked({ kind: "picture", options, number: null }));
  assert.equal(drawn.root.querySelectorAll(".pictured rect").length, 8);
  drawn.part(".pictured").click();
  assert.equal(keptGuesses()[0].said, "right");
  for (const { root } of [made, drawn]) root.remove();
});

test("the end of the story tells what was guessed, and can forget it", () => {
  const words = document.createElement("div");
  const made = begun();
  type(made, "3.3");
  fillSummary(words);
  assert.equal(/1/.test(words.textContent) && words.textContent.includes("Scores"), true);
  words.querySelector("button").click();
  assert.deepEqual([words.hidden, keptGuesses()], [true, []]);
  made.root.remove();
});
