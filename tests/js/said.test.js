import { saidOf } from "../../assets/board/words/arcs.js";
import { percentOf } from "../../assets/board/scene/numbers.js";
import { judge } from "../../assets/board/words/answer.js";
import { summaryOf } from "../../assets/board/play/guess.js";
import { assert, test } from "./testing.js";

const SAYS = { none: "{query} reads nothing", even: "{query} reads {count} with {share}", most: "{query} reads {key} with {share}" };
const said = (shares) => saidOf(SAYS, ["the", "cat", "sat", "down"], 3, shares);

test("the word that is read most is named, or how many share the first place", () => {
  assert.equal(said([]), "down reads nothing");
  assert.equal(said([[1, 1]]), "down reads cat with 100 %");
  assert.equal(said([[2, 0.5], [0, 0.3], [1, 0.2]]), "down reads sat with 50 %");
  assert.equal(said([[2, 0.4], [0, 0.4], [1, 0.2]]), "down reads 2 with 40 %");
  assert.equal(said([[2, 0.25], [0, 0.25], [1, 0.25], [3, 0.25]]), "down reads 4 with 25 %");
  assert.equal(said([[2, 0.4001], [0, 0.3999], [1, 0.2]]), "down reads sat with 40 %");
  assert.equal(said([[2, 0.40001], [0, 0.4], [1, 0.19999]]), "down reads 2 with 40 %");
});

test("a small share has a decimal", () => {
  assert.deepEqual([0, 0.0004, 0.0094, 0.0096, 0.246, 1].map(percentOf), ["0 %", "0.0 %", "0.9 %", "1 %", "25 %", "100 %"]);
});

const option = (value, right, ...misconceptions) => ({ value, label: value, right, misconceptions });
const asked = { options: [option("3", true), option("6", false, "double", "no-root"), option("-3", false, "sign"), option("3.4", false, "linear")], number: 3, tolerance: 0.1 };

test("a wrong answer that a belief gives is named by it, also where it is near or has the other sign", () => {
  assert.deepEqual(judge(asked, 3.05), { said: "right", misconceptions: [] });
  assert.deepEqual(judge(asked, 6), { said: "wrong", misconceptions: ["double", "no-root"] });
  assert.deepEqual(judge(asked, -3), { said: "wrong", misconceptions: ["sign"] });
  assert.deepEqual(judge(asked, 3.38), { said: "wrong", misconceptions: ["linear"] });
  assert.deepEqual(judge({ ...asked, options: asked.options.slice(0, 2) }, -3), { said: "sign", misconceptions: [] });
  assert.deepEqual([judge(asked, 2.6).said, judge(asked, 2.4).said], ["near", "wrong"]);
  assert.deepEqual(judge(asked, "6"), { said: "wrong", misconceptions: ["double", "no-root"] });
  assert.deepEqual(judge(asked, "3"), { said: "right", misconceptions: [] });
  assert.deepEqual(judge(asked, "7"), { said: "wrong", misconceptions: [] });
});

test("what was shown without a guess is no guess", () => {
  const guesses = ["right", "near", "shown", "wrong", "sign", "right"].map((one, place) => ({ said: one, title: `step ${place}` }));
  assert.deepEqual(summaryOf(guesses), { guessed: 5, right: 2, shown: 1, surprises: ["step 1", "step 3", "step 4"] });
});
