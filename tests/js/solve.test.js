import { indexRead, solve } from "../../assets/board/scene/rules.js";
import { along, linear, running } from "./scenes.js";
import { assert, test } from "./testing.js";

const read = (...at) => ({ array: "source", at });

function everyIndex(sizes) {
  return sizes.reduce((found, size) => found.flatMap((index) => Array.from({ length: size }, (_, place) => [...index, place])), [[]]);
}

// The readers of a cell, found by trying every result cell and every k.
function searched({ length }, one, index, sizes) {
  const hits = everyIndex(sizes).filter((cell) =>
    Array.from({ length }, (_, k) => indexRead(one, cell, k)).some((at) => at.join() === index.join()),
  );
  if (!hits.length) return null;
  return sizes.map((_, axis) => [Math.min(...hits.map((hit) => hit[axis])), Math.max(...hits.map((hit) => hit[axis]))]);
}

function compare(rule, one, source, sizes) {
  for (const index of everyIndex(source))
    assert.deepEqual([index, solve(rule, one, index, sizes)], [index, searched(rule, one, index, sizes)]);
}

test("a plain read is turned round, axes not named are free", () => {
  compare({ length: 3 }, read(along(0), along(1), running), [2, 5, 3], [2, 5, 7]);
});

test("a column of fused heads, h times K plus k, gives head and running index", () => {
  const one = read(
    along(1),
    linear([
      [0, 5],
      [-1, 1],
    ]),
  );
  compare({ length: 5 }, one, [7, 15], [3, 7, 2]);
  assert.deepEqual(solve({ length: 5 }, one, [6, 13], [3, 7, 2]), [
    [2, 2],
    [6, 6],
    [0, 1],
  ]);
});

test("quotient and remainder of one axis, c//V with c%V, combine to the place", () => {
  const one = read(along(1, { over: 5 }), along(0), along(1, { modulo: 5 }));
  compare({ length: 1 }, one, [3, 7, 5], [7, 15]);
  assert.deepEqual(solve({ length: 1 }, one, [2, 6, 4], [7, 15]), [
    [6, 6],
    [14, 14],
  ]);
});

test("a shared head, h//r, is read by all heads of its group", () => {
  compare({ length: 3 }, read(along(0, { over: 2 }), along(1), running), [3, 5, 3], [6, 5, 2]);
  assert.deepEqual(solve({ length: 3 }, read(along(0, { over: 2 }), along(1), running), [1, 4, 0], [6, 5, 2]), [
    [2, 3],
    [4, 4],
    [0, 1],
  ]);
});

test("a bare reshape, whose positions are digits of one number, is turned round", () => {
  const form = [
    [0, 15],
    [1, 1],
  ]; // 7 rows of 15 cells laid over 3 heads of 7 × 5
  const one = read(linear(form, { over: 35 }), linear(form, { over: 5, modulo: 7 }), linear(form, { modulo: 5 }));
  compare({ length: 1 }, one, [3, 7, 5], [7, 15]);
});

test("steps along one axis, and what is divided after them, give whole ranges", () => {
  compare({ length: 1 }, read(linear([[0, 3]])), [13], [5]);
  compare({ length: 1 }, read(linear([[0, 2]], { over: 3 })), [7], [10]);
  compare({ length: 1 }, read(linear([[0, 3]], { over: 2 })), [9], [6]);
});

test("the parts of a position may come in any order, and an axis that another position gives is known", () => {
  compare({ length: 5 }, read(linear([[-1, 1], [0, 5]])), [15], [3]);
  compare({ length: 3 }, read(linear([[0, 1], [-1, 1]]), along(0)), [6, 4], [4]);
});

test("a cell that nothing reads has no reader", () => {
  assert.equal(solve({ length: 3 }, read(along(0)), [5], [4]), null);
  assert.equal(solve({ length: 3 }, read(running), [3], [4]), null);
  assert.equal(solve({ length: 1 }, read(linear([]), along(0)), [1, 0], [4]), null);
});

test("an array without axes is read by every cell", () => {
  assert.deepEqual(solve({ length: 1 }, read(), [], [2, 3]), [
    [0, 1],
    [0, 2],
  ]);
});
