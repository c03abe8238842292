import { button, element } from "../draw/elements.js";
import { cellNumber, figure, shorten } from "../scene/numbers.js";
import { offsetOf, valueAt } from "../scene/scene.js";

/** The most characters of a word in the sentence. */
export const LONGEST_WORD = 16;

/** The place of a cell along an axis; null if its array has no such axis. */
export function placeAlong(model, cell, letter) {
  const axis = cell && model.arrays[cell.array] ? model.arrays[cell.array].axes.indexOf(letter) : -1;
  return axis < 0 ? null : cell.index[axis];
}

/** A cell with other places along some axes. */
export function withPlaces(model, { array, index }, places) {
  const { axes } = model.arrays[array];
  return { array, index: index.map((place, axis) => places[axes[axis]] ?? place) };
}

/** The shares of a row of an array of shares, the largest first. */
export function rowOf(model, cell, place) {
  if (!cell) return [];
  const { axes, whole } = model.arrays[cell.array];
  const at = withPlaces(model, cell, { T: place });
  const keys = Array.from({ length: whole[axes.indexOf("S")] }, (_, key) => key);
  const read = keys.map((key) => withPlaces(model, at, { S: key })).filter(({ array, index }) => offsetOf(model.arrays[array], index) >= 0);
  const shares = read.map(({ array, index }) => [index[axes.indexOf("S")], valueAt(model, array, index)]);
  return shares.filter(([, share]) => share >= 0.01).sort((a, b) => b[1] - a[1]);
}

/** The place with the largest share. */
export function strongest(shares) {
  return shares[0]?.[0] ?? null;
}

/** The sentence about a word without names: whom it reads most. */
export function saidOf({ says, words }, focus, shares) {
  const [first, second] = shares;
  const even = second && first[1] - second[1] < 1e-4;
  const count = even ? shares.filter(([, share]) => first[1] - share < 1e-4).length : 0;
  const form = !first ? says.none : even ? says.even : says.most;
  const facts = { query: shorten(words[focus], LONGEST_WORD), key: first && shorten(words[first[0]], LONGEST_WORD), share: first && percentOf(first[1]), count };
  return filledIn(form, facts);
}

/** A text of the scene with facts in the places of their names. */
export function filledIn(form, facts) {
  return form.replace(/\{(\w+)\}/g, (_, name) => facts[name]);
}

/** A share in whole percent. */
export function percentOf(share) {
  return `${cellNumber(100 * share, 0)} %`;
}

/** The cell whose arithmetic explains a cell: of an arc the first of its chain, else the cell itself. */
export function explainedBy({ sentence }, cell) {
  if (!sentence?.chain || cell.array !== sentence.array) return cell;
  return { array: sentence.chain[0].array, index: cell.index };
}

/** The numbers from a score to the share of an arc, as buttons that open their steps; null for other cells. */
export function chainOf(model, cell, open) {
  if (!model.sentence?.chain || cell.array !== model.sentence.array) return null;
  const links = model.sentence.chain.map(({ array, title, link }) => {
    const made = button("option", "", `${title}: open the step`, () => open(link));
    made.append(`${title} `, element("b", "", figure(valueAt(model, array, cell.index))));
    return made;
  });
  return element("span", "chain", ...links);
}
