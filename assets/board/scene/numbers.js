// Numbers as text, labels cut to a length, and the room that a number needs in a cell.

const LONGEST_LABEL = 14;
const SIGNS = typeof Intl !== "undefined" && Intl.Segmenter ? new Intl.Segmenter(undefined, { granularity: "grapheme" }) : null;
// Each of these letters is one character; asking the segmenter for every label is slow.
const LATIN = /^[ -~]*$/;
const SMALL = 1e-3; // what is smaller beside the numbers around it is near 0
const ROUNDING = 2.4e-7; // relative; the rounding error of a whole number in float32: two units of the last place

/**
 * A number as text: a minus sign, "−∞", an exponent only if needed; ties go to the even digit.
 *
 * among: the largest of the numbers around it. What is small beside them and has no decimal left is "≈ 0".
 */
export function number(value, digits = 3, among = 0) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (size !== 0 && size < Number(`1e-${digits}`) && size < SMALL * among) return "≈ 0";
  const sign = value < 0 ? "−" : "";
  if (size !== 0 && (size < Number(`1e-${digits}`) || size >= 1e6)) return sign + exponential(size);
  return sign + fixed(size, digits);
}

/** The whole number that a number is but for the rounding of float32, else the number itself; a small share is not 0. */
function tidied(value) {
  const near = Math.round(value);
  return near !== 0 && Math.abs(value - near) < ROUNDING * Math.abs(near) ? near : value;
}

/** A number of a sum: without decimals if it is whole. */
export function figure(value, digits = 3, among = 0) {
  const tidy = tidied(value);
  return number(tidy, Number.isInteger(tidy) ? 0 : digits, among);
}

/** Whether `number` leaves out digits that the board's numbers hold (about seven). */
export function isRounded(value, digits = 3) {
  if (!Number.isFinite(value)) return false;
  return Math.abs(Number(number(value, digits).replaceAll("−", "-")) - value) > 1e-7 * Math.abs(value);
}

/** A number with a fixed number of decimals and a minus sign, for a cell; a rounded zero has no sign. */
export function cellNumber(value, digits) {
  if (!Number.isFinite(value)) return number(value);
  const text = fixed(Math.abs(value), digits);
  return (value < 0 && Number(text) !== 0 ? "−" : "") + text;
}

/** The finite number in a text, or null; a decimal comma and a minus sign “−” are understood. */
export function numberTyped(text) {
  const plain = text.trim().replaceAll("−", "-").replace(",", ".");
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain)) return null;
  const value = Number(plain);
  return Number.isFinite(Math.fround(value)) ? value : null;
}

/** A probability in percent. */
export function percent(value) {
  return `${fixed(100 * value, 1)} %`;
}

/** A share in whole percent; a small one with a decimal. */
export function percentOf(share) {
  return `${cellNumber(100 * share, share > 0 && share < 0.0095 ? 1 : 0)} %`;
}

// toFixed rounds a tie up, Python to the even digit. A tie is a number that 2^(digits+1) makes odd and whole.
function fixed(size, digits) {
  const doubled = size * 2 ** (digits + 1);
  if (digits < 20 && doubled % 2 === 1) {
    const cut = size.toFixed(digits + 1).slice(0, -1).replace(/\.$/, "");
    if (Number(cut.at(-1)) % 2 === 0) return cut;
  }
  return size.toFixed(digits);
}

function exponential(size) {
  const power = Math.floor(Math.log10(size));
  const unit = 10 ** (power - 2);
  const tie = power > 2 && size < 2 ** 53 && size % unit === unit / 2 && Math.floor(size / unit) % 2 === 0;
  const [digits, exponent] = (tie ? size - unit / 2 : size).toExponential(2).split("e");
  return `${digits}e${exponent.startsWith("-") ? "−" : "+"}${exponent.slice(1).padStart(2, "0")}`;
}

/** A label cut to a length in characters, where a combined emoji counts as one; control characters become spaces. */
export function shorten(text, longest = LONGEST_LABEL) {
  const head = text.slice(0, 16 * longest).replace(/[\u0000-\u001f\u007f\u2028\u2029]/g, " ");
  const signs = SIGNS && !LATIN.test(head) ? Array.from(SIGNS.segment(head), ({ segment }) => segment) : [...head];
  return signs.length <= longest && head.length === text.length ? head : `${signs.slice(0, longest - 1).join("")}…`;
}

/** A text isolated from the direction of its surroundings; Latin letters need no isolation. */
export function isolated(text) {
  return LATIN.test(text) ? text : `\u2068${text}\u2069`;
}

/** A count in words. */
export function counted(count, thing) {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

// Decimals, and whether the zero before them is left out, from the longest form to the shortest.
const FORMS = [3, 2, 1].flatMap((digits) => [false, true].map((brief) => ({ digits, brief })));
const TENTHS = 1e-6; // how near to a tenth a number is that has one decimal

/** A number as a cell writes it; a whole number has no decimals, and of three those at the end that are 0 are cut. */
export function formed(value, { digits, brief }, cut = true) {
  const tidy = tidied(value);
  const whole = cellNumber(tidy, Number.isInteger(tidy) ? 0 : digits);
  const text = cut && digits > 2 && !Number.isInteger(tidy) ? whole.replace(/0+$/, "") : whole;
  return brief ? text.replace(/^(−?)0\./, "$1.") : text;
}

/** For each form that tells no number falsely, the texts of which one is the widest: a minus sign may be wider than a digit. One decimal is enough only for tenths; three stand where they are all digits, as of eighths. */
export function longestTexts(values) {
  const { exact, eighths, samples } = surveyOf(values);
  return FORMS.filter(({ digits }) => digits === 2 || (digits === 1 ? exact : eighths)).map((form) => ({ form, longest: samples.map((value) => formed(value, form, false)) }));
}

// Whether all numbers are tenths, and those with the longest texts: of each sign, the largest one with decimals and without.
function surveyOf(values) {
  let [exact, eighths, hundredths] = [true, true, true];
  const samples = [0, 0, 0, 0];
  for (const value of values) {
    const tidy = tidied(value);
    if (!Number.isFinite(tidy)) continue;
    const whole = Number.isInteger(tidy);
    if (!whole && Math.abs(10 * value - Math.round(10 * value)) > TENTHS * Math.max(1, Math.abs(value))) exact = false;
    eighths &&= Number.isInteger(8 * value);
    hundredths &&= Number.isInteger(4 * value);
    const kind = (value < 0 ? 2 : 0) + (whole ? 1 : 0);
    if (Math.abs(tidy) > Math.abs(samples[kind])) samples[kind] = tidy;
  }
  return { exact, eighths: eighths && !hundredths, samples };
}

// The numbers of the head in focus, where panels show one head at a time, else all.
function ofHead({ stage, panels }, { axes, shape, start, data, name }) {
  const axis = axes.indexOf("H");
  const place = (stage?.heads?.chosen ?? -1) - (start?.[axis] ?? 0);
  const isOne = axis >= 0 && panels.every(({ array, tiles, rows, columns }) => array !== name || ![tiles, rows, columns].includes(axis));
  if (!isOne || place < 0 || place >= shape[axis] || shape.slice(0, axis).some((count) => count > 1)) return data;
  const inner = shape.slice(axis + 1).reduce((all, count) => all * count, 1);
  return data.slice(place * inner, (place + 1) * inner);
}

/** The largest and the smallest type of numbers in cells of a size, and the room for a text: {most, least, room}, in px. */
export function typeFor({ width, height }, zoom, staged) {
  if (staged) return { most: Math.max(11, Math.min(22, height * 0.52), Math.min(18.5, height * 0.57)), least: 11, room: width - 3 };
  return { most: Math.min(11.5 * zoom, height * 0.62), least: 9 * Math.sqrt(zoom), room: width - 3 * zoom }; // the cells grow more slowly than the type
}

/** Whether the numbers of an array, of the head in focus alone if no more is shown, can be read in cells of a size, whichever part is shown; true for those not known yet. */
export function haveRoom(model, array, cell, { measure, zoom }) {
  if (!array.data) return true;
  const { least, room } = typeFor(cell, zoom, Boolean(model.stage));
  array.longest ??= longestTexts(ofHead(model, array));
  return array.longest.some(({ longest }) => longest.every((text) => measure(text, least) < room - 0.1)); // rounding must not decide otherwise when it is drawn
}
