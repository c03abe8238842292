import { Moments } from "../../assets/board/moments.js";
import { assert, test } from "./testing.js";

const FOCUS = [0, 2, 1];
const seen = (moments) => [[0, 2, 1], [0, 2, 3], [0, 5, 1]].map((index) => !moments.hides(index, FOCUS, 1));

test("a step goes from the whole result to one cell, its row and all of it, and back", () => {
  const moments = new Moments(() => {});
  assert.deepEqual(seen(moments), [true, true, true]);
  const found = [];
  while (moments.step(1)) found.push(seen(moments));
  assert.deepEqual(found, [[true, false, false], [true, true, false], [true, true, true]]);
  assert.deepEqual([moments.step(-1), seen(moments)], [true, [true, true, false]]);
  moments.go(0);
  assert.equal(moments.step(-1), false);
});

test("of a covered result a cell or a row can be asked for", () => {
  let changes = 0;
  const moments = new Moments(() => (changes += 1));
  assert.equal(moments.ask([0, 2, 3]), false);
  moments.cover(true);
  assert.deepEqual(seen(moments), [false, false, false]);
  assert.equal(moments.ask([0, 2, 3]), true);
  assert.deepEqual(seen(moments), [false, true, false]);
  moments.ask([0, 5, 0], 5);
  assert.deepEqual(seen(moments), [false, true, true]);
  moments.cover(false);
  assert.deepEqual(seen(moments), [true, true, true]);
  assert.equal(changes, 4);
});
