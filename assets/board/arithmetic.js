import { roleColour, shadeOf } from "./colours.js";
import { button, element, word } from "./elements.js";
import { counted, number, percent, shorten } from "./numbers.js";
import { highlightsOf } from "./overlay.js";
import { derivationOf, isNamed, limitAt, nameAt } from "./scene.js";
import { coordinatesOf, equalsOf, placeWords } from "./wording.js";

const MAX_TERMS = 40;
const FIRST_TERMS = 32;
const MAX_SHORT_TERMS = 3;
const MAX_TERM_NAME = 9; // characters
const WHOLE = new Set(["given", "copy", "sum", "product", "mask", "max", "difference"]);
const LETTER = /\p{L}/u;

/**
 * Write how a cell is computed: its name, the terms as chips, the result.
 *
 * options: all (every term, in a box that scrolls), upTo (how many terms are known yet), edit and open (callbacks of buttons:
 * edit the number; show all terms in a column, or in one line again).
 */
export function writeArithmetic(root, given, cell, options = {}) {
  const derivation = derivationOf(given.model, cell);
  const look = { ...given, number: figuresOf(derivation), names: namesOf(given.model, derivation.terms) };
  const { upTo = Infinity } = options;
  const known = upTo > derivation.terms.length;
  const box = element(
    "div",
    "terms",
    ...bodyOfCell(look, derivation, { ...options, known, given: look.model.arrays[cell.array].given }),
  );
  if (derivation.terms.length > MAX_SHORT_TERMS) Object.assign(box, { tabIndex: 0, role: "group", ariaLabel: "all terms" });
  const equals = derivation.operation === "given" ? null : sign(known ? equalsOf(derivation, 4) : "=");
  const result = known ? resultOf(look, cell, derivation) : element("span", "", "…");
  box.classList.add(derivation.operation);
  const { open, opened } = options;
  const long = derivation.terms.length > MAX_SHORT_TERMS || opened;
  root.replaceChildren(titleOf(look, cell, { ...options, open: long ? open : null }), element("div", "line", box, element("div", "outcome", equals, result)));
  if (Number.isFinite(upTo)) box.scrollTop = box.scrollHeight;
}

// If all numbers are whole they are written without decimals.
function figuresOf({ operation, terms, result }) {
  const values = [result, ...terms.flatMap(({ value, factors }) => [value, ...factors.map((factor) => factor.value)])];
  const whole = WHOLE.has(operation) && values.every((value) => Number.isInteger(value) || !Number.isFinite(value));
  return whole ? (value) => number(value, 0) : number;
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

function resultOf({ model, number }, cell, { result }) {
  const probability = model.arrays[cell.array].kind === "probability";
  const text = element("output", "result", Number.isNaN(result) ? "not sent" : number(result, 4));
  return probability && Number.isFinite(result) ? element("span", "", text, element("small", "share", percent(result))) : text;
}

function bodyOfCell(look, derivation, options) {
  const { operation, terms, softcap } = derivation;
  const { number } = look;
  if (options.upTo === 0) return []; // the source of a copy would give the result away
  if (operation === "given") return [element("span", "sign", options.given ?? "given, nothing to compute:")];
  if (operation in WRITERS) return WRITERS[operation](look, derivation, options);
  const inner = between(
    terms[0].factors.map((factor) => factorChip(look, factor)),
    "×",
  );
  if (operation === "softcap") return [sign(`${number(softcap)} · tanh(`), ...inner, sign(`÷ ${number(softcap)})`)];
  return inner;
}

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
  difference: (look, { terms }) =>
    between(
      terms[0].factors.map((factor) => factorChip(look, factor)),
      "−",
    ),
  exp: (look, { terms }) => [sign("exp("), factorChip(look, terms[0].factors[0]), sign(")")],
  max: (look, { terms }, options) => [sign("largest of"), ...listOfTerms(terms, options, (term) => factorChip(look, term.factors[0]), ",", atMost(look))],
  softmax: softmaxBody,
};

function verdictOf({ terms, hidden }) {
  if (hidden) return "is not allowed and becomes";
  return terms.length > 1 ? "" : "is allowed and stays";
}

function summed(look, terms, options) {
  let sum = 0;
  const sums = terms.map(({ value }) => (sum += value));
  const running = (i) => (options.single || terms.length < 2 ? null : look.number(sums[i]));
  return listOfTerms(terms, options, (term, i) => termChip(look, term, running(i), look.names[i]), "+", together(look));
}

function softmaxBody(look, { terms, own, maximum, total }, options) {
  if (!total) return [sign("nothing is allowed in this slice, so every share is zero:")];
  if (options.upTo === undefined) {
    const { factors: [factor], value } = terms[own];
    return [
      factorChip(look, factor),
      sign("−"),
      chip(number(maximum), "maximum"),
      sign("→ exp →"),
      chip(number(value), `exp(${number(factor.value - maximum)})`),
      sign("÷"),
      chip(number(total), `sum of ${counted(terms.length, "exponential")}`),
    ];
  }
  let sum = 0;
  const sums = terms.map(({ value }) => (sum += value));
  const power = ({ factors, value }, i) => chip(number(value), `exp(${number(factors[0].value)} − ${number(maximum)})`, number(sums[i]));
  return listOfTerms(terms, options, power, "+", together(look));
}

function listOfTerms(terms, { all = false, upTo = Infinity }, make, between_, about) {
  const last = terms.length - 1;
  const cut = terms.length > MAX_TERMS && !all;
  const chips = [];
  for (const [i, term] of terms.entries()) {
    if (i >= upTo) break;
    if (cut && i >= FIRST_TERMS && i < last) {
      if (i === FIRST_TERMS) chips.push(restChip(terms.slice(FIRST_TERMS, Math.min(last, upTo)), about));
      continue;
    }
    const made = make(term, i);
    made.classList.toggle("now", i === upTo - 1);
    chips.push(made);
  }
  return between(chips, between_);
}

function restChip(rest, about) {
  const values = rest.map(({ value }) => value);
  return chip(`… ${rest.length} more`, about(values));
}

const together = (look) => (values) => `together ${look.number(values.reduce((total, value) => total + value, 0))}`;
const atMost = (look) => (values) => `at most ${look.number(Math.max(...values))}`;

function termChip(look, term, running, name) {
  const { number } = look;
  const called = name ? [element("bdi", "of", shorten(name, MAX_TERM_NAME)), " "] : [];
  if (term.factors.length === 1) return tinted(look, factorChip(look, term.factors[0], running), term.factors[0], term.value);
  const factors = between(
    term.factors.map((factor) => coloured(look, factor, number(factor.value))),
    " × ",
  );
  const made = tinted(look, chip(number(term.value), [...called, ...factors], running), term.factors[0], term.value);
  made.classList.add("product");
  return made;
}

function factorChip(look, factor, running = null) {
  const array = look.model.arrays[factor.array];
  return chip(look.number(factor.value), [coloured(look, factor, array.title ?? factor.array)], running);
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

function sign(text) {
  return element("span", "sign", text);
}

function between(items, text) {
  return items.flatMap((item, i) => (i ? [sign(text), item] : [item]));
}
