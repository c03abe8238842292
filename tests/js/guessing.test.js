import { forgetGuesses, isAskedFor, judgeGuess, keepAsking, keepGuess, keptGuesses, numberGuessed, summaryOf, visitAsks } from "../../assets/board/play/guess.js";
import { assert, test } from "./testing.js";

const ASKED = {
  kind: "number", array: "scores", number: 3, tolerance: 0.1, hides: [[0, 1, 2, null]],
  options: [
    { value: "3", right: true, misconceptions: [] },
    { value: "6", right: false, misconceptions: ["no-scale"] },
    { value: "1", right: false, misconceptions: [] },
  ],
};

test("a number is read as a hand writes it", () => {
  const texts = ["-0,5", "−2", "12 %", "2/3", " 4 ", "", "many", "1/0", "1/2/3", "%"];
  assert.deepEqual(texts.map(numberGuessed), [-0.5, -2, 0.12, 2 / 3, 4, null, null, null, null, null]);
});

test("a guess is right, near, of the other sign, or what a misconception gives", () => {
  const said = (given) => judgeGuess(ASKED, given).said;
  assert.deepEqual([3, 3.1, 2.9].map(said), ["right", "right", "right"]);
  assert.deepEqual([3.4, -3, 9, 1].map(said), ["near", "sign", "wrong", "wrong"]);
  assert.deepEqual(judgeGuess(ASKED, 6.05), { said: "wrong", misconceptions: ["no-scale"] });
  assert.deepEqual(judgeGuess(ASKED, "6"), { said: "wrong", misconceptions: ["no-scale"] });
  assert.deepEqual(judgeGuess(ASKED, "3"), { said: "right", misconceptions: [] });
  assert.equal(judgeGuess(ASKED, "none of these").said, "wrong");
});

test("of an array only the places that are asked for are out of sight", () => {
  const hidden = (index, name = "scores") => isAskedFor(ASKED, name, index);
  assert.deepEqual([hidden([0, 1, 2, 5]), hidden([0, 1, 3, 5]), hidden([0, 1, 2, 5], "queries")], [true, false, false]);
});

test("a visit keeps one guess of each step, and tells how it went", () => {
  forgetGuesses();
  const guess = (step, said) => keepGuess({ step, title: step.toUpperCase(), said });
  guess("scores", "wrong");
  guess("scale", "wrong");
  guess("scores", "right");
  guess("mask", "shown");
  guess("softmax", "near");
  assert.deepEqual(keptGuesses().map(({ step }) => step), ["scale", "scores", "mask", "softmax"]);
  assert.deepEqual(summaryOf(keptGuesses()), { guessed: 3, right: 1, shown: 1, surprises: ["SCALE", "SOFTMAX"] });
  forgetGuesses();
  assert.deepEqual(keptGuesses(), []);
});

test("a visit keeps whether it is asked first, or nothing; at first neither", () => {
  keepAsking(null);
  const kept = [null, true, false].map((asks) => (keepAsking(asks), visitAsks()));
  assert.deepEqual(kept, [null, true, false]);
  keepAsking(null);
});
