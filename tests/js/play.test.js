import { judge } from "../../assets/board/words/answer.js";
import { Moments } from "../../assets/board/play/cover.js";
import { forgetGuesses, isAskedFor, keepAsking, keepGuess, keptGuesses, numberGuessed, summaryOf, visitAsks } from "../../assets/board/play/guess.js";
import { beatsOf, firstTold, frameOf, indexInOrder, placeInOrder, rowMoment } from "../../assets/board/play/player.js";
import { assert, test } from "./testing.js";

const flat = frameOf({ panel: { tiles: null, rows: 1, columns: 2 }, array: { start: [0, 0, 0], shape: [2, 3, 5] } });
const tiled = frameOf({ panel: { tiles: 0, rows: 1, columns: 2 }, array: { start: [0, 0, 10], shape: [2, 3, 5] } });

test("cells are played in reading order, row by row and tile by tile", () => {
  assert.deepEqual([flat.count, indexInOrder(flat, [1, 0, 0], 7)], [15, [1, 1, 2]]);
  assert.deepEqual([tiled.count, indexInOrder(tiled, [0, 0, 0], 22)], [30, [1, 1, 12]]);
});

test("the place of an index in the order is the inverse", () => {
  for (let place = 0; place < 30; place += 1) assert.equal(placeInOrder(tiled, indexInOrder(tiled, [0, 0, 0], place)), place);
});

test("every term has a beat, up to 40; longer sums take several terms at once and end with all", () => {
  assert.deepEqual([0, 1, 4].map(beatsOf), [[], [1], [1, 2, 3, 4]]);
  assert.deepEqual([beatsOf(512).length <= 40, beatsOf(512).at(-1)], [true, 512]);
});

test("a row is computed up to its last cell, and there is none beyond the first and the last", () => {
  const row = (cell, by) => rowMoment({ cell }, { columns: { count: 5 }, count: 10 }, 3, by)?.cell;
  assert.deepEqual([row(0, 0), row(4, 0), row(4, 1), row(9, -1), row(4, -1), row(9, 1)], [4, 4, 9, 4, undefined, undefined]);
});

test("playing begins at the first number that is not 0: of a row the explained one, of cells the cell itself", () => {
  const numbers = [0, 3, 0, 0, 0, 0, 0, 0, -2, 0];
  const begins = (together, behind) => firstTold({ count: 10 }, together, (place) => numbers[place - behind]);
  assert.deepEqual([begins(1, 0), begins(5, 3), begins(5, 1), begins(5, 0)], [1, 4, 9, null]);
});

const FOCUS = [0, 2, 1];
const seen = (moments) => [[0, 2, 1], [0, 2, 3], [0, 5, 1]].map((index) => !moments.hides(index, FOCUS, 1));

test("a result that is not covered has one moment", () => {
  const moments = new Moments(() => {});
  assert.deepEqual([seen(moments), moments.step(1), moments.step(-1)], [[true, true, true], false, false]);
});

test("a covered result goes from nothing to one cell, its row and all of it, and back", () => {
  const moments = new Moments(() => {});
  moments.cover(true);
  const found = [seen(moments)];
  while (moments.step(1)) found.push(seen(moments));
  assert.deepEqual(found, [[false, false, false], [true, false, false], [true, true, false], [true, true, true]]);
  assert.deepEqual([moments.step(-1), seen(moments)], [true, [true, true, false]]);
  moments.turnOver();
  assert.deepEqual([seen(moments), moments.hiding], [[true, true, true], false]);
  moments.turnOver();
  assert.deepEqual([seen(moments), moments.step(-1)], [[false, false, false], false]);
});

test("another moment of a lesson covers the result anew, the same one does not", () => {
  const moments = new Moments(() => {});
  const hiding = (about) => (moments.cover(true, about), moments.hiding);
  assert.equal(hiding("masks.1"), true);
  while (moments.step(1));
  assert.deepEqual(["masks.1", "masks.2"].map(hiding), [false, true]);
});

test("of a covered result a cell or a row can be asked for, and stays in sight when one goes on", () => {
  let changes = 0;
  const moments = new Moments(() => (changes += 1));
  const after = (act, ...about) => [moments[act](...about), ...seen(moments)];
  assert.equal(moments.ask([0, 2, 3]), false);
  assert.deepEqual(after("cover", true), [undefined, false, false, false]);
  assert.deepEqual(after("ask", [0, 2, 3]), [true, false, true, false]);
  assert.deepEqual(after("ask", [0, 5, 0], 5), [true, false, true, true]);
  assert.deepEqual([after("step", 1), after("step", -1)], [[true, true, true, true], [true, false, false, false]]);
  assert.deepEqual([after("cover", false), changes], [[undefined, true, true, true], 6]);
});

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
  const said = (given) => judge(ASKED, given).said;
  assert.deepEqual([3, 3.1, 2.9].map(said), ["right", "right", "right"]);
  assert.deepEqual([3.4, -3, 9, 1].map(said), ["near", "sign", "wrong", "wrong"]);
  assert.deepEqual(judge(ASKED, 6.05), { said: "wrong", misconceptions: ["no-scale"] });
  assert.deepEqual(judge(ASKED, "6"), { said: "wrong", misconceptions: ["no-scale"] });
  assert.deepEqual(judge(ASKED, "3"), { said: "right", misconceptions: [] });
  assert.equal(judge(ASKED, "none of these").said, "wrong");
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
