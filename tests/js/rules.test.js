import { derive, indexRead, placeOf, solve, solveAll } from "../../assets/board/scene/rules.js";
import { along, linear, running } from "./scenes.js";
import { assert, test } from "./testing.js";

const NUMBERS = { a: [2, -3, 5], b: [7, 11, -13], c: [0.5], m: [-Infinity, 1, -Infinity], r: [1, -1 + 3e-7, 0] };
const look = (array, [place]) => NUMBERS[array][place];
const read = (array, position = along(0)) => ({ array, at: [position] });
const result = (rule, index, hidden) => derive(rule, index, look, hidden).result;

test("a position is a sum of indices, divided and reduced, and may begin at a number", () => {
  const sum = [[0, 10], [1, 1]];
  assert.equal(placeOf(linear([[0, 7], [-1, 1]]), [2], 3), 17);
  assert.equal(placeOf(linear(sum, { over: 5, modulo: 3 }), [2, 4]), 1);
  assert.equal(placeOf({ parts: [[0, 2]], plus: 7 }, [3]), 13);
  assert.deepEqual(indexRead({ array: "x", at: [along(1), running, linear([])] }, [4, 6], 2), [6, 2, 0], "one place for every axis");
});

const [one, other, every] = [read("a"), read("b"), read("a", running)];
const rule = (operation, length, reads, more = {}) => ({ operation, length, reads, ...more });

test("every operation gives its number, minus infinity where all is masked", () => {
  const softcap = rule("softcap", 1, [one, read("c", linear([]))], { softcap: 5 });
  const norm = rule("norm", 3, [every], { epsilon: 1, adds: [other], position: along(0) });
  const cases = [
    [rule("copy", 1, [one]), 1, -3],
    [rule("product", 1, [one, other]), 2, -65],
    [softcap, 2, 5 * Math.tanh(0.5)],
    [rule("mask", 1, [one]), 0, 2],
    [rule("mask", 1, [one], { adds: [other] }), 0, 9],
    [rule("max", 3, [read("b", running)]), 0, 11],
    [rule("max", 1, [read("m", running)]), 0, -Infinity],
    [rule("difference", 1, [one, other]), 1, -14],
    [rule("difference", 1, [read("m"), read("m")]), 0, -Infinity],
    [rule("exp", 1, [read("m")]), 0, 0],
    [rule("exp", 1, [read("m")]), 1, Math.E],
    [norm, 2, (5 / Math.sqrt(38 / 3 + 1)) * -13],
    [{ ...norm, centred: true, adds: [other, read("c", linear([]))] }, 2, ((5 - 4 / 3) / Math.sqrt(98 / 9 + 1)) * -13 + 0.5],
    [rule("relu", 1, [one]), 1, 0],
    [rule("relu", 1, [one]), 2, 5],
    [rule("tanh", 1, [one]), 1, Math.tanh(-3)],
    [rule("silu", 1, [one]), 1, -3 / (1 + Math.exp(3))],
    [rule("gelu", 1, [one]), 0, 1.954499736103642], // 2 Φ(2), Φ from Python's statistics.NormalDist
    [rule("gelu", 1, [one]), 1, -0.00404969409489031],
    [rule("gelu", 1, [read("b")]), 1, 11],
  ];
  for (const [made, place, number] of cases) {
    const found = result(made, [place]);
    assert.ok(found === number || Math.abs(found - number) < 1e-12, `${made.operation} gives ${found}, not ${number}`);
  }
  assert.equal(result(rule("mask", 1, [one]), [0], true), -Infinity);
  assert.deepEqual(derive({ operation: "given" }, [0], look).terms, []);
});

test("a mean that rounding alone has left is 0", () => {
  const norm = rule("norm", 3, [read("r", running)], { epsilon: 0, centred: true, adds: [other], position: along(0) });
  assert.equal(derive(norm, [0], look).mean, 0);
  const mean = derive({ ...norm, reads: [every] }, [0], look).mean;
  assert.ok(Math.abs(mean - 4 / 3) < 1e-12);
});

test("sum adds the products of all reads and, once, what is added", () => {
  const derivation = derive(rule("sum", 3, [every, read("b", running)], { adds: [read("c", linear([]))] }), [0], look);
  assert.deepEqual(derivation.terms.map(({ value }) => value), [14, -33, -65, 0.5]);
  assert.equal(derivation.result, -83.5);
});

test("softmax is the own exponential over the sum of all, the maximum subtracted; of a masked number none", () => {
  const derivation = derive(rule("softmax", 3, [every], { position: along(0) }), [0], look);
  assert.deepEqual([derivation.maximum, derivation.own], [5, 0]);
  assert.close(derivation.total, Math.exp(-3) + Math.exp(-8) + 1);
  assert.close(derivation.result, Math.exp(-3) / (Math.exp(-3) + Math.exp(-8) + 1));
  const masked = rule("softmax", 3, [read("m", running)], { position: along(0) });
  assert.deepEqual([0, 1, 2].map((place) => result(masked, [place])), [0, 1, 0]);
  const { result: share, total, terms } = derive({ ...masked, length: 1 }, [0], look);
  assert.deepEqual([share, total, terms[0].value], [0, 0, 0]);
});

const readAt = (...at) => ({ array: "source", at });

function everyIndex(sizes) {
  return sizes.reduce((found, size) => found.flatMap((index) => Array.from({ length: size }, (_, place) => [...index, place])), [[]]);
}

// The readers of a cell, found by trying every result cell and every k.
function searched({ length }, one, index, sizes) {
  const hits = everyIndex(sizes).filter((cell) => [...Array(length).keys()].some((k) => indexRead(one, cell, k).join() === index.join()));
  if (!hits.length) return null;
  return sizes.map((_, axis) => [Math.min(...hits.map((hit) => hit[axis])), Math.max(...hits.map((hit) => hit[axis]))]);
}

const ROWS = [[0, 15], [1, 1]]; // 7 rows of 15 cells laid over 3 heads of 7 × 5
const DIGITS = readAt(linear(ROWS, { over: 35 }), linear(ROWS, { over: 5, modulo: 7 }), linear(ROWS, { modulo: 5 }));
const READS = [
  ["a plain read; axes not named are free", 3, readAt(along(0), along(1), running), [2, 5, 3], [2, 5, 7]],
  ["a column of fused heads, h times K plus k", 5, readAt(along(1), linear([[0, 5], [-1, 1]])), [7, 15], [3, 7, 2]],
  ["quotient and remainder, c//V with c%V", 1, readAt(along(1, { over: 5 }), along(0), along(1, { modulo: 5 })), [3, 7, 5], [7, 15]],
  ["a head that a group shares, h//r", 3, readAt(along(0, { over: 2 }), along(1), running), [3, 5, 3], [6, 5, 2]],
  ["digits of one number, as of a bare reshape", 1, DIGITS, [3, 7, 5], [7, 15]],
  ["steps along one axis", 1, readAt(linear([[0, 3]])), [13], [5]],
  ["what is divided after steps", 1, readAt(linear([[0, 2]], { over: 3 })), [7], [10]],
  ["what is divided by less", 1, readAt(linear([[0, 3]], { over: 2 })), [9], [6]],
  ["parts in any order", 5, readAt(linear([[-1, 1], [0, 5]])), [15], [3]],
  ["an axis that another position gives", 3, readAt(linear([[0, 1], [-1, 1]]), along(0)), [6, 4], [4]],
  ["cells beyond all readers", 3, readAt(running), [5], [4]],
  ["cells beside a fixed place", 1, readAt(linear([]), along(0)), [2, 5], [4]],
  ["an array without axes", 1, readAt(), [], [2, 3]],
];

test("of every kind of read, the cells that read a given one are those that trying all of them finds", () => {
  for (const [name, length, one, source, sizes] of READS) {
    for (const index of everyIndex(source)) {
      assert.deepEqual([name, index, solve({ length }, one, index, sizes)], [name, index, searched({ length }, one, index, sizes)]);
    }
  }
});

const PAIRS = {
  neighbours: linear([[along(0, { over: 2 }), 2], [-1, 1]]),
  halves: linear([[along(0, { modulo: 3 }), 1], [-1, 3]]),
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
