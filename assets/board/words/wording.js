// A cell in words: its place, and its arithmetic for a screen reader.
import { figure, isolated, isRounded, shorten } from "../scene/numbers.js";
import { derivationOf, nameAt } from "../scene/scene.js";

const MAX_SPOKEN_TERMS = 12;

/** The place of a cell, one entry for each axis longer than one: {word, place, label}. */
export function coordinatesOf(model, { array: name, index }) {
  const array = model.arrays[name];
  const { axes, whole } = array;
  const kept = axes.map((letter, axis) => ({ letter, axis })).filter(({ axis }) => whole[axis] > 1);
  return kept.map(({ letter, axis }) => {
    const { text, word } = nameAt(model, array, axis, index[axis], index);
    return { word: model.axes[letter]?.word ?? letter, place: index[axis], label: word ? text : null };
  });
}

/** The name of a cell in one line: "head 2, query position 3 sat". */
export function placeWords(model, cell) {
  const parts = coordinatesOf(model, cell).map(
    ({ word, place, label }) => `${word} ${place}${label === null ? "" : ` ${isolated(shorten(label, 40))}`}`,
  );
  return parts.join(", ");
}

/** The sign before a result: "≈" if a number that is shown is rounded; before 0 and −∞ always "=". */
export function equalsOf({ terms, result }, digits) {
  if (result === 0 || !Number.isFinite(result)) return "=";
  const given = terms.flatMap(({ factors }) => factors.map(({ value }) => value));
  return given.some((value) => isRounded(value)) || isRounded(result, digits) ? "≈" : "=";
}

/** The words for a screen reader: the array of a cell, its place, its number and its arithmetic. */
export function spokenOf(model, cell) {
  const derivation = derivationOf(model, cell);
  const title = model.arrays[cell.array].title ?? cell.array;
  const place = placeWords(model, cell);
  return [title, place, `${figure(derivation.result)}${spokenHow(model, derivation)}`].filter(Boolean).join(", ");
}

function spokenHow(model, derivation) {
  const values = derivation.terms.map(({ value }) => figure(value));
  const factors = derivation.terms[0]?.factors ?? [];
  const how = SPOKEN[derivation.operation]?.({ ...derivation, model, values, source: factors[0], factors: factors.map(({ value }) => figure(value)) }) ?? "";
  return !how || how.startsWith(", ") ? how : ` ${equalsOf(derivation)} ${how}`;
}

const SPOKEN = {
  sum: ({ values }) => listed(values),
  product: ({ factors }) => factors.join(" × "),
  copy: ({ model, source }) => `, copied from ${model.arrays[source.array].title}, ${placeWords(model, source)}`,
  mask: ({ hidden, values }) => (hidden ? ", not allowed" : values.length > 1 ? listed(values) : ", unchanged"),
  softmax: ({ terms, own, maximum, total }) =>
    total ? `exp(${figure(terms[own].factors[0].value)} minus ${figure(maximum)}) divided by ${figure(total)}` : ", nothing is allowed here",
  softcap: ({ values, softcap }) => `${figure(softcap)} times tanh(${values[0]} divided by ${figure(softcap)})`,
  norm: ({ values, own, mean, root, centred }) =>
    centred ? `(${values[own]} minus ${figure(mean)}) divided by ${figure(root)} times ${values.at(-2)} + ${values.at(-1)}` : `${values[own]} divided by ${figure(root)} times ${values.at(-1)}`,
  relu: ({ factors }) => `the larger of 0 and ${factors[0]}`,
  ...Object.fromEntries(["tanh", "gelu", "silu"].map((name) => [name, ({ factors }) => `${name}(${factors[0]})`])),
  max: ({ values }) => `, the largest of ${values.length}`,
  difference: ({ factors }) => factors.join(" minus "),
  exp: ({ factors }) => `exp(${factors[0]})`,
};

function listed(values) {
  const rest = values.length - MAX_SPOKEN_TERMS;
  return values.slice(0, MAX_SPOKEN_TERMS).join(" + ") + (rest > 0 ? ` + ${rest} more` : "");
}
