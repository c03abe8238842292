// How a cell is computed from others, and which cells are computed from it.

const NOISE = 1e-6; // of the largest number, see docs/board.md

/** The place along one axis that is read, for the index of a result and a running index k. */
export function placeOf(position, index, k = 0) {
  let sum = position.plus ?? 0;
  for (const [of, times] of position.parts) sum += (isNested(of) ? placeOf(of, index, k) : of < 0 ? k : index[of]) * times;
  const place = Math.floor(sum / (position.over ?? 1));
  return position.modulo ? place % position.modulo : place;
}

// A part of a position may be a position itself: of a pair of features, its number first and then its member.
const isNested = (of) => typeof of === "object";

/** The index that is read, for the index of a result and a running index k. */
export function indexRead(read, index, k = 0) {
  return read.at.map((position) => placeOf(position, index, k));
}

/** The cells that a rule reads for an index of its result: {array, at}. */
export function cellsRead({ length = 1, reads = [], adds = [] }, index) {
  const places = Array.from({ length }, (_, k) => k);
  const cellOf = (read, k) => ({ array: read.array, at: indexRead(read, index, k) });
  return [...reads.flatMap((read) => places.map((k) => cellOf(read, k))), ...adds.map((read) => cellOf(read, 0))];
}

/** The running index of a cell's own number in a row, of a softmax or a norm; 0 for every other operation. */
export function ownPlace(rule, index) {
  return rule.position ? placeOf(rule.position, index) : 0;
}

/**
 * The derivation of a cell: terms with factors {array, index, value}, their values, the result and details of the operation.
 *
 * look(array, index) gives a number; hidden: whether the result is minus infinity.
 */
export function derive(rule, index, look, hidden = false) {
  const factor = (read, k) => {
    const at = indexRead(read, index, k);
    return { array: read.array, index: at, value: look(read.array, at) };
  };
  const terms = [];
  const length = rule.operation === "given" ? 0 : (rule.length ?? 1);
  for (let k = 0; k < length; k += 1) {
    const factors = (rule.reads ?? []).map((read) => factor(read, k));
    terms.push({ k, factors, value: factors.reduce((product, { value }) => product * value, 1) });
  }
  for (const read of rule.adds ?? []) {
    const factors = [factor(read, 0)];
    terms.push({ k: -1, factors, value: factors[0].value });
  }
  const derivation = { operation: rule.operation, terms, own: ownPlace(rule, index), hidden, softcap: rule.softcap, epsilon: rule.epsilon ?? 0, centred: rule.centred };
  return { ...derivation, ...OPERATIONS[rule.operation](derivation) };
}

const total = (terms) => terms.reduce((sum, { value }) => sum + value, 0);
const first = (terms, i = 0) => terms[0].factors[i].value;

// What rounding alone leaves of a sum is 0.
function meanOf(terms) {
  const mean = total(terms) / terms.length;
  return Math.abs(mean) < NOISE * Math.max(...terms.map(({ value }) => Math.abs(value))) ? 0 : mean;
}

const OPERATIONS = {
  given: () => ({ result: NaN }),
  copy: ({ terms }) => ({ result: first(terms) }),
  sum: ({ terms }) => ({ result: total(terms) }),
  product: ({ terms }) => ({ result: terms[0].value }),
  softcap: ({ terms, softcap }) => ({ result: softcap * Math.tanh(terms[0].value / softcap) }),
  mask: ({ terms, hidden }) => ({ result: hidden ? -Infinity : total(terms) }),
  softmax: openedSoftmax,
  norm: ({ terms, own, epsilon, centred }) => {
    const [vector, [gain, offset]] = [false, true].map((added) => terms.filter(({ k }) => k < 0 === added));
    const mean = centred ? meanOf(vector) : 0;
    const root = Math.sqrt(vector.reduce((sum, { value }) => sum + (value - mean) ** 2, 0) / vector.length + epsilon);
    return { mean, root, result: ((vector[own].value - mean) / root) * gain.value + (offset?.value ?? 0) };
  },
  relu: ({ terms }) => ({ result: Math.max(0, first(terms)) }),
  tanh: ({ terms }) => ({ result: Math.tanh(first(terms)) }),
  silu: ({ terms }) => ({ result: first(terms) / (1 + Math.exp(-first(terms))) }),
  gelu: ({ terms }) => ({ result: (first(terms) * (1 + erf(first(terms) * Math.SQRT1_2))) / 2 }),
  max: ({ terms }) => ({ result: terms.reduce((most, { value }) => Math.max(most, value), -Infinity) }),
  difference: ({ terms }) => {
    const [left, right] = terms[0].factors.map(({ value }) => value);
    return { result: left === -Infinity ? left : left - right };
  },
  exp: ({ terms }) => ({ result: Math.exp(first(terms)) }),
};

// The share of a bell curve within ±x, by a series without differences (Abramowitz and Stegun 1964, 7.1.6); beyond 6 it is 1.
function erf(x) {
  if (Math.abs(x) > 6) return Math.sign(x);
  let [term, sum] = [x, x];
  for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum); n += 1) {
    term *= (2 * x * x) / (2 * n + 1);
    sum += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
}

function openedSoftmax({ terms, own }) {
  const maximum = terms.reduce((most, { value }) => Math.max(most, value), -Infinity);
  const powers = terms.map((term) => {
    const { value } = term.factors[0];
    return { ...term, value: value === -Infinity ? 0 : Math.exp(value - maximum) };
  });
  const sum = total(powers);
  return { terms: powers, maximum, total: sum, result: sum ? powers[own].value / sum : 0 };
}

/**
 * The range of cells that read a given one: the first and last index along each axis of the result, or null if none does.
 *
 * sizes: the shape of the result. An axis that the rule does not name has its whole range.
 */
export function solve(rule, read, index, sizes) {
  const ranges = solveAll(rule, read, index, sizes);
  if (!ranges.length) return null;
  return ranges.reduce((all, one) => all.map(([low, high], axis) => [Math.min(low, one[axis][0]), Math.max(high, one[axis][1])]));
}

/** The same as a list: where the cells that read it do not lie side by side, one range for each. */
export function solveAll(rule, read, index, sizes) {
  const nested = read.at.findIndex(({ parts }) => parts.some(([of]) => isNested(of)));
  const ranges = nested < 0 ? solveRange(rule, read, index, sizes) : null;
  if (nested < 0) return ranges ? [ranges] : [];
  const position = read.at[nested];
  const [[axis]] = position.parts.find(([of]) => isNested(of))[0].parts;
  const others = { ...read, at: read.at.filter((_, i) => i !== nested) };
  const around = solveRange(rule, others, index.filter((_, i) => i !== nested), sizes);
  if (!around) return [];
  const reads = (place) => Array.from({ length: rule.length ?? 1 }, (_, k) => k).some((k) => placeOf(position, { [axis]: place }, k) === index[nested]);
  const places = Array.from({ length: sizes[axis] }, (_, place) => place).filter(reads);
  return places.map((place) => around.map((range, i) => (i === axis ? [place, place] : range)));
}

function solveRange(rule, read, index, sizes) {
  const length = rule.length ?? 1;
  const ranges = new Map([...sizes.map((size, axis) => [axis, [0, size - 1]]), [-1, [0, length - 1]]]);
  const groups = [...linearForms(read, index).values()].sort((a, b) => a.parts.length - b.parts.length);
  for (const group of groups) if (!narrow(ranges, group)) return null;
  const lows = sizes.map((_, axis) => ranges.get(axis)[0]);
  const reached = indexRead(read, lows, ranges.get(-1)[0]);
  return reached.every((place, axis) => place === index[axis]) ? sizes.map((_, axis) => ranges.get(axis)) : null;
}

// Positions with equal parts are quotients and remainders of the same number: its digits.
function linearForms(read, index) {
  const groups = new Map();
  read.at.forEach((position, axis) => {
    const key = JSON.stringify(position.parts);
    const over = position.over ?? 1;
    const group = groups.get(key) ?? { parts: position.parts, low: 0, slack: Infinity };
    group.low += index[axis] * over;
    group.slack = Math.min(group.slack, over - 1);
    groups.set(key, group);
  });
  return groups;
}

function narrow(ranges, { parts, low, slack }) {
  if (parts.length === 1) {
    const [[axis, times]] = parts;
    return intersect(ranges, axis, Math.ceil(low / times), Math.floor((low + slack) / times));
  }
  let rest = low;
  for (const [axis, times] of parts) if (isFixed(ranges, axis)) rest -= times * ranges.get(axis)[0];
  for (const [axis, times] of [...parts].sort((a, b) => b[1] - a[1])) {
    if (isFixed(ranges, axis)) continue;
    const digit = Math.min(Math.floor(rest / times), ranges.get(axis)[1]);
    rest -= digit * times;
    if (!intersect(ranges, axis, digit, digit)) return false;
  }
  return rest >= 0 && rest <= slack;
}

function isFixed(ranges, axis) {
  return ranges.get(axis)[0] === ranges.get(axis)[1];
}

function intersect(ranges, axis, low, high) {
  const [from, to] = ranges.get(axis);
  const range = [Math.max(from, low), Math.min(to, high)];
  ranges.set(axis, range);
  return range[0] <= range[1];
}
