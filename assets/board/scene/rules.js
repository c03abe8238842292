// How a cell is computed from others, and which cells are computed from it.

/** The place along one axis that is read, for the index of a result and a running index k. */
export function placeOf(position, index, k = 0) {
  let sum = 0;
  for (const [axis, times] of position.parts) sum += (axis < 0 ? k : index[axis]) * times;
  const place = Math.floor(sum / (position.over ?? 1));
  return position.modulo ? place % position.modulo : place;
}

/** The index that is read, for the index of a result and a running index k. */
export function indexRead(read, index, k = 0) {
  return read.at.map((position) => placeOf(position, index, k));
}

/** The cells that a rule reads for an index of its result: {array, at}. */
export function cellsRead({ length = 1, reads = [], adds = [] }, index) {
  const places = Array.from({ length }, (_, k) => k);
  const found = (read, k) => ({ array: read.array, at: indexRead(read, index, k) });
  return [...reads.flatMap((read) => places.map((k) => found(read, k))), ...adds.map((read) => found(read, 0))];
}

/** The running index of a softmax cell's own score; 0 for every other operation. */
export function ownPlace(rule, index) {
  return rule.operation === "softmax" && rule.position ? placeOf(rule.position, index) : 0;
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
  const derivation = { operation: rule.operation, terms, own: ownPlace(rule, index), hidden, softcap: rule.softcap };
  return { ...derivation, ...OPERATIONS[rule.operation](derivation) };
}

const total = (terms) => terms.reduce((sum, { value }) => sum + value, 0);
const first = (terms, i = 0) => terms[0].factors[i].value;

const OPERATIONS = {
  given: () => ({ result: NaN }),
  copy: ({ terms }) => ({ result: first(terms) }),
  sum: ({ terms }) => ({ result: total(terms) }),
  product: ({ terms }) => ({ result: terms[0].value }),
  softcap: ({ terms, softcap }) => ({ result: softcap * Math.tanh(terms[0].value / softcap) }),
  mask: ({ terms, hidden }) => ({ result: hidden ? -Infinity : total(terms) }),
  softmax: openedSoftmax,
  max: ({ terms }) => ({ result: terms.reduce((most, { value }) => Math.max(most, value), -Infinity) }),
  difference: ({ terms }) => {
    const [left, right] = terms[0].factors.map(({ value }) => value);
    return { result: left === -Infinity ? left : left - right };
  },
  exp: ({ terms }) => ({ result: Math.exp(first(terms)) }),
};

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
