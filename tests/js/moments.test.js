import { Moments } from "../../assets/board/play/cover.js";
import { assert, test } from "./testing.js";

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
  moments.cover(true, "masks.1");
  while (moments.step(1));
  moments.cover(true, "masks.1");
  assert.equal(moments.hiding, false);
  moments.cover(true, "masks.2");
  assert.equal(moments.hiding, true);
});

test("of a covered result a cell or a row can be asked for, and stays in sight when one goes on", () => {
  let changes = 0;
  const moments = new Moments(() => (changes += 1));
  assert.equal(moments.ask([0, 2, 3]), false);
  moments.cover(true);
  assert.deepEqual(seen(moments), [false, false, false]);
  assert.equal(moments.ask([0, 2, 3]), true);
  assert.deepEqual(seen(moments), [false, true, false]);
  moments.ask([0, 5, 0], 5);
  assert.deepEqual(seen(moments), [false, true, true]);
  moments.step(1);
  assert.deepEqual(seen(moments), [true, true, true]);
  moments.step(-1);
  assert.deepEqual(seen(moments), [false, false, false]);
  moments.cover(false);
  assert.deepEqual([seen(moments), changes], [[true, true, true], 6]);
});
