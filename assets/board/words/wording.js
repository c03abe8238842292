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
  const { operation, terms, hidden, maximum, total, own, softcap, root } = derivation;
  const equals = ` ${equalsOf(derivation)} `;
  const values = terms.map(({ value }) => figure(value));
  const factors = () => terms[0].factors.map(({ value }) => figure(value));
  switch (operation) {
    case "sum":
      return `${equals}${listed(values)}`;
    case "product":
      return `${equals}${factors().join(" × ")}`;
    case "copy":
      return `, copied from ${model.arrays[terms[0].factors[0].array].title}, ${placeWords(model, terms[0].factors[0])}`;
    case "mask":
      return hidden ? ", not allowed" : values.length > 1 ? `${equals}${listed(values)}` : ", unchanged";
    case "softmax":
      return total
        ? `${equals}exp(${figure(terms[own].factors[0].value)} minus ${figure(maximum)}) divided by ${figure(total)}`
        : ", nothing is allowed here";
    case "softcap":
      return `${equals}${figure(softcap)} times tanh(${values[0]} divided by ${figure(softcap)})`;
    case "norm":
      return `${equals}${values[own]} divided by ${figure(root)} times ${values.at(-1)}`;
    case "max":
      return `, the largest of ${values.length}`;
    case "difference":
      return `${equals}${factors().join(" minus ")}`;
    case "exp":
      return `${equals}exp(${factors()[0]})`;
    default:
      return "";
  }
}

function listed(values) {
  const rest = values.length - MAX_SPOKEN_TERMS;
  return values.slice(0, MAX_SPOKEN_TERMS).join(" + ") + (rest > 0 ? ` + ${rest} more` : "");
}
