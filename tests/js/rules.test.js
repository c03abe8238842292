import { derive, indexRead, placeOf, solve, solveAll } from "../../assets/board/scene/rules.js";
import { along, linear, running } from "./scenes.js";
import { assert, test } from "./testing.js";

const NUMBERS = { a: [2, -3, 5], b: [7, 11, -13], c: [0.5], m: [-Infinity, 1, -Infinity] };
const look = (array, [place]) => NUMBERS[array][place];
const read = (array, position = along(0)) => ({ array, at: [position] });
const result = (rule, index, hidden) => derive(rule, index, look, hidden).result;

test("a position is a sum of indices, divided and reduced", () => {
  assert.equal(
    placeOf(
      linear([
        [0, 7],
        [-1, 1],
      ]),
      [2],
      3,
    ),
    17,
  );
  assert.equal(placeOf(along(0, { over: 5 }), [13]), 2);
  assert.equal(placeOf(along(0, { modulo: 5 }), [13]), 3);
  assert.equal(
    placeOf(
      linear(
        [
          [0, 10],
          [1, 1],
        ],
        { over: 5, modulo: 3 },
      ),
      [2, 4],
    ),
    1,
  );
  assert.equal(placeOf(linear([]), [9]), 0);
});

test("a read names one place for every axis of its array", () => {
  assert.deepEqual(indexRead({ array: "x", at: [along(1), running, linear([])] }, [4, 6], 2), [6, 2, 0]);
});

test("given computes nothing", () => {
  assert.deepEqual(derive({ operation: "given" }, [0], look).terms, []);
});

test("copy takes the number it reads", () => {
  assert.equal(result({ operation: "copy", length: 1, reads: [read("a")] }, [1]), -3);
});

test("sum adds the products of all reads and, once, what is added", () => {
  const rule = { operation: "sum", length: 3, reads: [read("a", running), read("b", running)], adds: [read("c", linear([]))] };
  const derivation = derive(rule, [0], look);
  assert.deepEqual(
    derivation.terms.map(({ value }) => value),
    [14, -33, -65, 0.5],
  );
  assert.equal(derivation.result, -83.5);
});

test("product multiplies all reads", () => {
  assert.equal(result({ operation: "product", length: 1, reads: [read("a"), read("b")] }, [2]), -65);
});

test("a soft cap is c times tanh of the product over c", () => {
  const rule = { operation: "softcap", length: 1, softcap: 5, reads: [read("a"), read("c", linear([]))] };
  assert.close(result(rule, [2]), 5 * Math.tanh(0.5));
});

test("mask keeps a number, adds a bias, or makes it minus infinity", () => {
  const rule = { operation: "mask", length: 1, reads: [read("a")] };
  assert.deepEqual([result(rule, [0]), result({ ...rule, adds: [read("b")] }, [0]), result(rule, [0], true)], [2, 9, -Infinity]);
});

test("softmax is the own exponential over the sum of all, the maximum subtracted", () => {
  const rule = { operation: "softmax", length: 3, reads: [read("a", running)], position: along(0) };
  const derivation = derive(rule, [0], look);
  assert.deepEqual([derivation.maximum, derivation.own], [5, 0]);
  assert.close(derivation.total, Math.exp(-3) + Math.exp(-8) + 1);
  assert.close(derivation.result, Math.exp(-3) / (Math.exp(-3) + Math.exp(-8) + 1));
});

test("softmax gives a masked number no share, and only zeros where all is masked", () => {
  const rule = { operation: "softmax", length: 3, reads: [read("m", running)], position: along(0) };
  assert.deepEqual(
    [0, 1, 2].map((place) => result(rule, [place])),
    [0, 1, 0],
  );
  const empty = { ...rule, length: 1 };
  const { result: share, total, terms } = derive(empty, [0], look);
  assert.deepEqual([share, total, terms[0].value], [0, 0, 0]);
});

test("max is the largest number, minus infinity where all is masked", () => {
  const rule = { operation: "max", length: 3, reads: [read("b", running)] };
  assert.equal(result(rule, [0]), 11);
  assert.equal(result({ ...rule, length: 1, reads: [read("m", running)] }, [0]), -Infinity);
});

test("difference subtracts, and minus infinity stays, even minus itself", () => {
  const rule = { operation: "difference", length: 1, reads: [read("a"), read("b")] };
  assert.equal(result(rule, [1]), -14);
  assert.equal(result({ ...rule, reads: [read("m"), read("m")] }, [0]), -Infinity);
});

test("exp of minus infinity is zero", () => {
  const rule = { operation: "exp", length: 1, reads: [read("m")] };
  assert.equal(result(rule, [0]), 0);
  assert.close(result(rule, [1]), Math.E, 1e-12);
});

const readAt = (...at) => ({ array: "source", at });

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
  compare({ length: 3 }, readAt(along(0), along(1), running), [2, 5, 3], [2, 5, 7]);
});

test("a column of fused heads, h times K plus k, gives head and running index", () => {
  const one = readAt(
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
  const one = readAt(along(1, { over: 5 }), along(0), along(1, { modulo: 5 }));
  compare({ length: 1 }, one, [3, 7, 5], [7, 15]);
  assert.deepEqual(solve({ length: 1 }, one, [2, 6, 4], [7, 15]), [
    [6, 6],
    [14, 14],
  ]);
});

test("a shared head, h//r, is read by all heads of its group", () => {
  compare({ length: 3 }, readAt(along(0, { over: 2 }), along(1), running), [3, 5, 3], [6, 5, 2]);
  assert.deepEqual(solve({ length: 3 }, readAt(along(0, { over: 2 }), along(1), running), [1, 4, 0], [6, 5, 2]), [
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
  const one = readAt(linear(form, { over: 35 }), linear(form, { over: 5, modulo: 7 }), linear(form, { modulo: 5 }));
  compare({ length: 1 }, one, [3, 7, 5], [7, 15]);
});

test("steps along one axis, and what is divided after them, give whole ranges", () => {
  compare({ length: 1 }, readAt(linear([[0, 3]])), [13], [5]);
  compare({ length: 1 }, readAt(linear([[0, 2]], { over: 3 })), [7], [10]);
  compare({ length: 1 }, readAt(linear([[0, 3]], { over: 2 })), [9], [6]);
});

test("the parts of a position may come in any order, and an axis that another position gives is known", () => {
  compare({ length: 5 }, readAt(linear([[-1, 1], [0, 5]])), [15], [3]);
  compare({ length: 3 }, readAt(linear([[0, 1], [-1, 1]]), along(0)), [6, 4], [4]);
});

test("a cell that nothing reads has no reader", () => {
  assert.equal(solve({ length: 3 }, readAt(along(0)), [5], [4]), null);
  assert.equal(solve({ length: 3 }, readAt(running), [3], [4]), null);
  assert.equal(solve({ length: 1 }, readAt(linear([]), along(0)), [1, 0], [4]), null);
});

test("an array without axes is read by every cell", () => {
  assert.deepEqual(solve({ length: 1 }, readAt(), [], [2, 3]), [
    [0, 1],
    [0, 2],
  ]);
});

test("a norm divides by the root of the mean of the squares and multiplies by the gain", () => {
  const rule = { operation: "norm", length: 3, epsilon: 1, reads: [read("a", running)], adds: [read("b", along(0))], position: along(0) };
  assert.close(result(rule, [2]), (5 / Math.sqrt(38 / 3 + 1)) * -13);
});

const PAIRS = {
  neighbours: linear([
    [along(0, { over: 2 }), 2],
    [-1, 1],
  ]),
  halves: linear([
    [along(0, { modulo: 3 }), 1],
    [-1, 3],
  ]),
};

test("a position may hold another: the members of a pair, and the two cells that read each", () => {
  const members = (position) => [0, 1, 2, 3, 4, 5].map((i) => [0, 1].map((k) => placeOf(position, [i], k)));
  assert.deepEqual(members(PAIRS.neighbours), [[0, 1], [0, 1], [2, 3], [2, 3], [4, 5], [4, 5]]);
  assert.deepEqual(members(PAIRS.halves), [[0, 3], [1, 4], [2, 5], [0, 3], [1, 4], [2, 5]]);
  const readers = (position, place) => solveAll({ length: 2 }, { array: "x", at: [position] }, [place], [6]).map(([[low]]) => low);
  assert.deepEqual(readers(PAIRS.neighbours, 3), [2, 3]);
  assert.deepEqual(readers(PAIRS.halves, 4), [1, 4]);
  assert.deepEqual(solve({ length: 2 }, { array: "x", at: [PAIRS.halves] }, [4], [6]), [[1, 4]]);
});

test("a position may begin at a number", () => assert.equal(placeOf({ parts: [[0, 2]], plus: 7 }, [3]), 13));
