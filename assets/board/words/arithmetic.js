import { roleColour } from "../draw/colours.js";
import { button, element, word } from "../draw/elements.js";
import { counted, figure, percent } from "../scene/numbers.js";
import { highlightsOf } from "../draw/overlay.js";
import { derivationOf, isNamed, limitAt, nameAt } from "../scene/scene.js";
import { between, factorChip, isLong, largestOf, quotient, sign, summed } from "./terms.js";
import { coordinatesOf, equalsOf } from "./wording.js";

const LETTER = /\p{L}/u;
const SHORTER = ["brief", "plain"]; // without the place of the cell; without the numbers of a quotient

/**
 * Write how a cell is computed: its name, the terms as chips, the result.
 *
 * options: all (every term, in a box that scrolls), upTo (how many terms are known yet), edit and open (callbacks of buttons:
 * edit the number; show all terms in a column, or in one line again), opened (whether all terms are asked for), drawn (whether
 * the board shows the place of the cell), beside (an element at the end). Unless all terms are asked for, what has no room is left out: never the result.
 */
export function writeArithmetic(root, given, cell, options = {}) {
  const { model } = given;
  const derivation = derivationOf(model, cell);
  const look = { ...given, names: namesOf(model, derivation.terms) };
  const { upTo = Infinity, open, opened, beside } = options;
  const known = upTo > derivation.terms.length;
  const bodyOf = (most) => bodyOfCell(look, derivation, { ...options, known, most, given: model.arrays[cell.array].given });
  const box = element("div", "terms", ...bodyOf(Infinity));
  if (isLong(derivation)) Object.assign(box, { tabIndex: 0, role: "group", ariaLabel: "all terms" });
  box.classList.add(derivation.operation);
  const outcome = element("div", "outcome", ...(known ? outcomeOf(model, cell, derivation) : [sign("="), element("span", "", "…")]));
  const long = isLong(derivation) || opened;
  root.replaceChildren(titleOf(look, cell, { ...options, open: long ? open : null }), element("div", "line", box, outcome), ...(beside ? [beside] : []));
  root.classList.remove(...SHORTER);
  if (!opened) fitTerms(root, box, options, { bodyOf, count: derivation.terms.length });
  if (Number.isFinite(upTo)) box.scrollTop = box.scrollHeight;
}

// Leave out what has no room, one after another; the largest number of terms that fit is found by halving.
function fitTerms(root, box, { all, open, drawn }, { bodyOf, count }) {
  if (all && !open) return;
  for (const name of drawn ? SHORTER : SHORTER.slice(1)) if (isCut(root, box)) root.classList.add(name);
  if (!isCut(root, box)) return;
  const write = (most) => box.replaceChildren(...bodyOf(most).filter(Boolean));
  let [fits, cut] = [1, count];
  while (cut - fits > 1) {
    const most = Math.floor((fits + cut) / 2);
    write(most);
    if (isCut(root, box)) cut = most;
    else fits = most;
  }
  write(fits);
}

function isCut(root, box) {
  const parts = root.classList.contains("column") ? [root, box] : [box];
  return parts.some((part) => part.scrollWidth > part.clientWidth + 1 || part.scrollHeight > part.clientHeight + 1);
}

// The names of the terms of a sum: a column's name, or the word, if the last of their factors has one.
function namesOf(model, terms) {
  const [first, second] = terms;
  const alike = second && second.factors.length === first.factors.length;
  const factor = alike ? first.factors.findLastIndex(({ array }, i) => isNamed(model, model.arrays[array], axisAlong(first, second, i))) : -1;
  if (factor < 0 || first.factors.length < 2) return [];
  const axis = axisAlong(first, second, factor);
  return terms.map(({ factors: { [factor]: read } }) => {
    if (read?.array !== first.factors[factor].array) return null;
    const { text } = nameAt(model, model.arrays[read.array], axis, read.index[axis], read.index);
    return LETTER.test(text) ? text : null;
  });
}

// The axis along which a factor of two terms differs.
function axisAlong(one, other, factor) {
  return one.factors[factor].index.findIndex((place, axis) => place !== other.factors[factor]?.index[axis]);
}

function titleOf({ model, palette }, cell, { edit, open, opened }) {
  const array = model.arrays[cell.array];
  const name = element("b", "name", array.title ?? cell.array);
  name.style.color = roleColour(palette, array.role);
  return element(
    "p",
    "what",
    name,
    ...coordinates(model, cell),
    flowsOf(model, palette, cell),
    edit ? button("edit", "Edit", "Edit this number", edit) : null,
    open ? button("edit open", opened ? "one line" : "all terms", opened ? "The arithmetic in one line" : "All terms in a column", open) : null,
  );
}

function coordinates(model, cell) {
  return coordinatesOf(model, cell).map(({ word: axis, place, label }) => {
    const part = element("span", "at", `${axis} `, element("b", "", String(place)));
    if (label !== null) part.append(" “", word(label), "”");
    return part;
  });
}

// The arrays that read this cell, and the number of their cells.
function flowsOf(model, palette, cell) {
  const readers = highlightsOf(model, cell).filter(({ kind }) => kind === "reader");
  if (!readers.length) return null;
  const parts = readers.map(({ array, low, high }) => {
    const cells = low.reduce((product, first, axis) => product * (high[axis] - first + 1), 1);
    const name = element("span", "", model.arrays[array].title ?? array);
    name.style.color = roleColour(palette, model.arrays[array].role);
    return element("span", "", name, ` (${counted(cells, "cell")})`);
  });
  return element("span", "flows", "→ flows into ", ...between(parts, ", "));
}

// The sign before the result, and the result.
function outcomeOf(model, cell, derivation) {
  const { result, operation } = derivation;
  const array = model.arrays[cell.array];
  const text = Number.isNaN(result) ? "not sent" : figure(result, 4, limitAt(array, cell.index));
  const [, near, shown] = /^(≈ )?(.*)$/.exec(text);
  const equals = operation === "given" ? near : near ? "≈" : equalsOf(derivation, 4);
  const share = array.kind === "probability" && Number.isFinite(result) ? element("small", "share", percent(result)) : null;
  return [equals ? sign(equals) : null, element("output", "result", shown), share];
}

function bodyOfCell(look, derivation, options) {
  const { operation, terms, softcap } = derivation;
  if (options.upTo === 0) return []; // the source of a copy would give the result away
  if (operation === "given") return [sign(options.given ?? "given, nothing to compute:")];
  if (operation in WRITERS) return WRITERS[operation](look, derivation, options);
  if (operation === "softcap") return [sign(`${figure(softcap)} · tanh(`), ...factorsOf(look, terms), sign(`÷ ${figure(softcap)})`)];
  return between(factorsOf(look, terms), "×");
}

const factorsOf = (look, [{ factors }]) => factors.map((factor) => factorChip(look, factor));

const WRITERS = {
  sum: (look, { terms }, options) => summed(look, terms, options),
  copy: (look, { terms }) => {
    const [factor] = terms[0].factors;
    return [sign("copied from"), factorChip(look, factor), element("span", "from", ...coordinates(look.model, factor))];
  },
  mask: (look, derivation, options) => [
    ...summed(look, derivation.terms, { ...options, single: true }),
    sign(options.known ? verdictOf(derivation) : "is it allowed?"),
  ],
  difference: (look, { terms }) => between(factorsOf(look, terms), "−"),
  exp: (look, { terms }) => [sign("exp("), ...factorsOf(look, terms), sign(")")],
  max: (look, { terms }, options) => [sign("largest of"), ...largestOf(look, terms, options)],
  softmax: (look, derivation, options) => (derivation.total ? quotient(look, derivation, options) : [sign("nothing is allowed in this slice, so every share is zero:")]),
};

function verdictOf({ terms, hidden }) {
  if (hidden) return "is not allowed and becomes";
  return terms.length > 1 ? "" : "is allowed and stays";
}
