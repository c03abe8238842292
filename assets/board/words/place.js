// What is said of a place of a whole model: a chip, an arc, a part of a layer, what comes next.
import { arcsInto, readsOf } from "../draw/chips.js";
import { element } from "../draw/elements.js";
import { percentOf } from "../scene/numbers.js";
import { offsetOf, valueAt } from "../scene/scene.js";
import { filledIn } from "./arcs.js";

// The words of a place: [what it is, what is said, with an answer before a change].
function partsOf({ model, boxes }, { array: name, index }) {
  const [{ says }, array] = [model.whole, model.arrays[name]];
  const at = offsetOf(array, index);
  const [row, place] = index;
  const about = { row: model.axes.layer.labels[row], word: model.axes.word.labels[place], text: array.words?.[at], who: says.who[row] };
  if (name === "arcs") {
    const arcs = arcsInto({ model, boxes }, index).filter(({ key }) => key === index[2]);
    const arc = arcs.find(({ added }) => added) ?? arcs[0];
    return arc ? [filledIn(says.arc, { ...about, who: arc.who || about.who }), `${arc.word} ${percentOf(arc.share)}`, says.opens.arcs] : [];
  }
  if (name === "parts") return [array.says[at], "", array.opens[at]];
  const share = valueAt(model, name, index);
  const told = Number.isFinite(share) ? `${about.text} ${percentOf(share)}` : "";
  if (name === "next") return [filledIn(says.next, about), told, says.opens.next];
  if (!told) return [filledIn(says.word, about), "", ""];
  const before = array.before?.[at];
  const reads = readsOf({ model, boxes }, index).map(({ word, share: one }) => `${word} ${percentOf(one)}`).join(", ");
  return [filledIn(says.chip, about), told, before ? filledIn(says.before, { before }) : "", reads ? filledIn(says.reads, { ...about, reads }) : "", says.opens.chips];
}

/** Write what is at a place into an element; nothing without one. */
export function writePlace(root, board, cell) {
  const [what = "", told = "", ...more] = cell ? partsOf(board, cell) : [];
  root.replaceChildren(element("p", "place", `${what} `, element("b", "", told), ...more.filter(Boolean).map((text) => element("span", "", text))));
}

/** The same in one line, for a screen reader: "layer 3, The: frog 61 %". */
export function sayPlace(board, cell) {
  return partsOf(board, cell).filter(Boolean).join(" ");
}
