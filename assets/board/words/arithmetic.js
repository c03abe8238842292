// How a cell is computed, as chips in one line or in a column.
import { roleColour, shadeOf } from "../draw/colours.js";
import { button, element, word } from "../draw/elements.js";
import { counted, figure, percent, shorten } from "../scene/numbers.js";
import { highlightsOf } from "../draw/overlay.js";
import { derivationOf, isNamed, limitAt, nameAt } from "../scene/scene.js";
import { coordinatesOf, equalsOf, placeWords } from "./wording.js";

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
  const [words, about] = opened ? ["one line", "The arithmetic in one line"] : ["all terms", "All terms in a column"];
  const ways = [edit ? button("edit", "Edit", "Edit this number", edit) : null, open ? button("edit open", words, about, open) : null];
  return element("p", "what", name, ...coordinates(model, cell), flowsOf(model, palette, cell), ...ways);
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
  const counts = new Map();
  for (const { array, low, high } of readers) {
    const cells = low.reduce((product, first, axis) => product * (high[axis] - first + 1), 1);
    counts.set(array, (counts.get(array) ?? 0) + cells);
  }
  const parts = [...counts].map(([array, cells]) => {
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
  const text = Number.isNaN(result) ? (array.absent ?? "not sent") : figure(result, 4, limitAt(array, cell.index));
  const [, near, shown] = /^(≈ )?(.*)$/.exec(text);
  const equals = operation === "given" ? near : near ? "≈" : equalsOf(derivation, 4);
  const share = array.kind === "probability" && Number.isFinite(result) ? element("small", "share", percent(result)) : null;
  return [equals ? sign(equals) : null, element("output", "result", shown), share];
}

function bodyOfCell(look, derivation, options) {
  const { operation, terms, softcap } = derivation;
  if (options.upTo === 0) return []; // the source of a copy would give the result away
  if (operation === "given") return [sign(options.given ?? "given, not computed")];
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
  mask: (look, derivation, options) => {
    const verdict = options.known ? verdictOf(derivation) : "is it allowed?";
    return [...summed(look, derivation.terms, { ...options, single: true }), sign(verdict)];
  },
  norm: writtenNorm,
  relu: (look, { terms }) => [sign("the larger of 0 and"), ...factorsOf(look, terms)],
  tanh: (look, { terms }) => calledOn("tanh", look, terms),
  gelu: (look, { terms }) => calledOn("GELU", look, terms),
  silu: (look, { terms }) => calledOn("SiLU", look, terms),
  difference: (look, { terms }) => between(factorsOf(look, terms), "−"),
  exp: (look, { terms }) => [sign("exp("), ...factorsOf(look, terms), sign(")")],
  max: (look, { terms }, options) => {
    const most = (rest) => `at most ${figure(Math.max(...valuesOf(rest)))}`;
    return [sign("largest of"), ...listOfTerms(terms, options, ({ factors }) => factorChip(look, factors[0]), ",", most)];
  },
  softmax: (look, derivation, options) => (derivation.total ? quotient(look, derivation, options) : [sign("nothing is allowed in this slice, so every share is zero:")]),
};

const calledOn = (name, look, terms) => [sign(`${name}(`), ...factorsOf(look, terms), sign(")")];

// A number of a vector without the mean, where the norm takes it away, over the root of the mean of squares; gain and offset follow.
function writtenNorm(look, { terms, own, mean, root, epsilon, centred }, options) {
  const [vector, [gain, offset]] = [false, true].map((added) => terms.filter(({ k }) => k < 0 === added));
  const number = ({ factors: [factor] }) => coloured(look, factor, factorNumber(look, factor));
  const unlearnt = offset && gain.value === 1 && offset.value === 0; // nothing is learnt, so nothing is changed
  const ends = unlearnt ? [] : [sign("×"), number(gain), ...(offset ? [sign("+"), number(offset)] : [])];
  const less = centred ? ` − ${bracketed(mean)}` : "";
  const first = [...(centred ? [sign("(")] : []), factorChip(look, vector[own].factors[0]), sign(`${less}${centred ? ")" : ""} ÷`)];
  if (!shownAll(options)) return [...first, sign(figure(root)), ...ends];
  const numbers = between(vector.map(({ factors: [factor] }) => factorChip(look, factor)), "+");
  const told = centred ? [sign("mean (", "sign worked"), ...numbers, sign(`) ÷ ${vector.length} = ${figure(mean)};`)] : [];
  const base = ({ factors: [factor] }) => (centred ? `(${factorNumber(look, factor)}${less})` : factorNumber(look, factor));
  const squares = between(vector.map((term) => powerChip(look, term.factors[0], base(term), "2")), "+");
  return [...told, ...first, sign("√(("), ...squares, sign(`) ÷ ${vector.length} + ${figure(epsilon)})`), sign(`= ${figure(root)}`, "sign worked"), ...ends];
}

const bracketed = (value) => (value < 0 ? `(${figure(value)})` : figure(value));

function verdictOf({ terms, hidden }) {
  if (hidden) return "is not allowed and becomes";
  return terms.length > 1 ? "" : "is allowed and stays";
}

const MAX_TERMS = 40; // of a cell that is pointed at
const FIRST_TERMS = 32;
const SHORT = 3; // terms, which are all written, also those that are 0
const MAX_TERM_NAME = 9; // characters
const POWERS = { least: 1e-3, most: 1e6 }; // the sums of powers of e that are written as numbers

// Whether a cell has more terms than a glance takes in.
const isLong = ({ terms }) => terms.length > SHORT;

/** The terms of a sum as chips, with the sum so far. options: see `writeArithmetic`; single: without the sum so far; most: how many have room. */
function summed(look, terms, options) {
  let sum = 0;
  const sums = terms.map(({ value }) => (sum += value));
  const among = Math.max(...terms.map(({ value }) => Math.abs(value)).filter(Number.isFinite), 0);
  const make = (term, i) => termChip(look, term, { among, running: options.single || terms.length < 2 ? null : figure(sums[i], 3, among), name: look.names[i] });
  const zeros = terms.length > SHORT && !shownAll(options) ? terms.filter((term, i) => isZero(term, i, options)) : [];
  const folded = new Set(zeros.length > 1 ? zeros : []);
  const chips = listOfTerms(terms, { ...options, folded }, make, "+", (rest) => totalOf(rest));
  return folded.size ? [...chips, element("span", "chip zeros", `${folded.size} terms are 0`)] : chips;
}

// Terms that are 0 are told in one chip, but for the one that is being computed.
function isZero({ value }, i, { upTo = Infinity }) {
  return value === 0 && i < upTo && i !== upTo - 1;
}

// Where there is a button for all terms, it decides.
function shownAll({ all, open, opened }) {
  return opened || (all && !open);
}

function listOfTerms(terms, { all = false, upTo = Infinity, most = Infinity, folded = new Set() }, make, between_, about) {
  const known = [...terms.entries()].filter(([i, term]) => i < upTo && !folded.has(term));
  const room = Math.min(most, known.length > MAX_TERMS && !all ? FIRST_TERMS : Infinity);
  const now = upTo < Infinity ? known.filter(([i]) => i === upTo - 1) : [];
  const first = known.length > room ? known.slice(0, Math.max(0, room - now.length)) : known;
  const last = now.filter((one) => !first.includes(one));
  const rest = known.filter((one) => !first.includes(one) && !last.includes(one)).map(([, term]) => term);
  const written = ([i, term]) => {
    const made = make(term, i);
    made.classList.toggle("now", i === upTo - 1);
    return made;
  };
  const others = rest.length ? [chip(about(rest), `${rest.length} more`)] : [];
  return between([...first.map(written), ...others, ...last.map(written)], between_);
}

const valuesOf = (terms) => terms.map(({ value }) => value);
const totalOf = (terms) => figure(valuesOf(terms).reduce((sum, value) => sum + value, 0));

/** A share: its power of e, divided by the sum of all; equal powers stand together. */
function quotient(look, { terms, own }, options) {
  const { upTo = Infinity, most = Infinity } = options;
  const known = terms.slice(0, upTo);
  const groups = groupsOf(known, shownAll(options) ? (_, i) => i : ({ factors }) => exponentOf(factors[0]));
  const mine = exponentOf(terms[own].factors[0]);
  const first = groups.length > most ? groupsThatFit(groups, mine, most) : groups;
  const rest = groups.filter((group) => !first.includes(group)).flat();
  const sum = powersOf(rest);
  const chips = first.map((group) => {
    const made = powerOfE(look, group[0].factors[0], group.length);
    made.classList.toggle("now", group.includes(terms[upTo - 1]));
    return made;
  });
  const others = rest.length ? [chip(isPlain(sum) ? figure(sum) : "…", `${rest.length} more`)] : [];
  const open = known.length < terms.length ? [element("span", "", "…")] : [];
  return [powerOfE(look, terms[own].factors[0], 1), sign("÷"), sign("("), ...between([...chips, ...others, ...open], "+"), sign(")"), worked(terms, own, options)];
}

// The same in numbers, if they are neither very large nor very small.
function worked(terms, own, { known }) {
  const [mine, sum] = [powersOf([terms[own]]), powersOf(terms)];
  return known && isPlain(sum) ? sign(`= ${figure(mine)} ÷ ${figure(sum)}`, "sign worked") : null;
}

// Terms with the same key, single ones first.
function groupsOf(terms, keyOf) {
  const groups = new Map();
  terms.forEach((term, i) => groups.set(keyOf(term, i), [...(groups.get(keyOf(term, i)) ?? []), term]));
  const lists = [...groups.values()];
  return [...lists.filter(({ length }) => length === 1), ...lists.filter(({ length }) => length > 1)];
}

function groupsThatFit(groups, mine, most) {
  const own = groups.find(([{ factors }]) => exponentOf(factors[0]) === mine);
  const others = groups.filter((group) => group !== own).slice(0, most - 1);
  return groups.filter((group) => group === own || others.includes(group));
}

const exponentOf = ({ value }) => figure(value, 2);
const powersOf = (terms) => terms.reduce((sum, { factors }) => sum + Math.exp(factors[0].value), 0);
const isPlain = (sum) => sum >= POWERS.least && sum < POWERS.most;

const powerOfE = (look, factor, count) => powerChip(look, factor, count > 1 ? `${count} · e` : "e", exponentOf(factor));

function powerChip(look, factor, base, exponent) {
  const made = coloured(look, factor, base);
  made.className = "chip power";
  made.append(element("span", "unseen", "^"), element("sup", "", exponent));
  return made;
}

function termChip(look, term, { running, name, among }) {
  const called = name ? [element("bdi", "of", shorten(name, MAX_TERM_NAME)), " "] : [];
  const [first] = term.factors;
  if (term.factors.length === 1) return tinted(look, factorChip(look, first, running), first, term.value);
  const factors = between(term.factors.map((factor) => coloured(look, factor, factorNumber(look, factor))), " × ");
  const made = tinted(look, chip(figure(term.value, 3, among), [...called, ...factors], running), first, term.value);
  made.classList.add("product");
  return made;
}

/** The chip of a number that is read, with the title of its array. */
function factorChip(look, factor, running = null) {
  const array = look.model.arrays[factor.array];
  return chip(factorNumber(look, factor), [coloured(look, factor, array.title ?? factor.array)], running);
}

function factorNumber({ model }, { array, index, value }) {
  return figure(value, 3, limitAt(model.arrays[array], index));
}

function coloured({ model, palette }, factor, text) {
  const array = model.arrays[factor.array];
  const made = element("span", "", text);
  made.style.color = roleColour(palette, array.role);
  made.title = `${array.title ?? factor.array}: ${placeWords(model, factor)}`;
  return made;
}

function chip(value, below, running = null) {
  const made = element("span", "chip", element("b", "", value), element("small", "", ...[below].flat()));
  if (running !== null) made.append(element("small", "running", `Σ ${running}`));
  return made;
}

// A pale shade of the colour that this number has in the picture.
function tinted({ model, palette }, made, factor, value) {
  const array = model.arrays[factor.array];
  const { css } = palette.scales.feature;
  if (Number.isFinite(value)) made.style.setProperty("--tint", css[shadeOf(value, limitAt(array, factor.index), false)]);
  return made;
}

/** A sign or words between chips. */
function sign(text, kind = "sign") {
  return element("span", kind, text);
}

/** Chips with a sign between them. */
function between(items, text) {
  return items.flatMap((item, i) => (i ? [sign(text), item] : [item]));
}
