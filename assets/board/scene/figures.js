import { cellNumber, tidied } from "./numbers.js";

// Decimals, and whether the zero before them is left out, from the longest form to the shortest.
const FORMS = [
  { digits: 2, brief: false },
  { digits: 2, brief: true },
  { digits: 1, brief: false },
  { digits: 1, brief: true },
];
const TENTHS = 1e-6; // how near to a tenth a number is that has one decimal

/** A number as a cell writes it; a whole number has no decimals. */
export function formed(value, { digits, brief }) {
  const tidy = tidied(value);
  const text = cellNumber(tidy, Number.isInteger(tidy) ? 0 : digits);
  return brief ? text.replace(/^(−?)0\./, "$1.") : text;
}

/** For each form that tells no number falsely, the longest of the texts. One decimal is enough only for tenths. */
export function longestTexts(values) {
  const { exact, samples } = surveyOf(values);
  return FORMS.filter(({ digits }) => digits === 2 || exact).map((form) => ({ form, longest: longestOf(samples.map((value) => formed(value, form))) }));
}

const longestOf = (texts) => texts.reduce((one, text) => (text.length > one.length ? text : one), "");

// Whether all numbers are tenths, and those with the longest texts: of each sign, the largest one with decimals and without.
function surveyOf(values) {
  let exact = true;
  const samples = [0, 0, 0, 0];
  for (const value of values) {
    const tidy = tidied(value);
    if (!Number.isFinite(tidy)) continue;
    const whole = Number.isInteger(tidy);
    if (!whole && Math.abs(10 * value - Math.round(10 * value)) > TENTHS * Math.max(1, Math.abs(value))) exact = false;
    const kind = (value < 0 ? 2 : 0) + (whole ? 1 : 0);
    if (Math.abs(tidy) > Math.abs(samples[kind])) samples[kind] = tidy;
  }
  return { exact, samples };
}

/** The largest and the smallest type of numbers in cells of a size, and the room for a text: {most, least, room}, in px. */
export function typeFor({ width, height }, zoom, staged) {
  if (staged) return { most: Math.max(11, Math.min(22, height * 0.52), Math.min(18.5, height * 0.57)), least: 11, room: width - 3 };
  return { most: Math.min(11.5 * zoom, height * 0.62), least: 9 * Math.sqrt(zoom), room: width - 3 * zoom }; // the cells grow more slowly than the type
}

/** Whether the numbers of an array can be read in cells of a size, whichever part is shown; true for those not known yet. */
export function haveRoom(model, array, cell, { measure, zoom }) {
  if (!array.data) return true;
  const { least, room } = typeFor(cell, zoom, Boolean(model.stage));
  array.longest ??= longestTexts(array.data);
  return array.longest.some(({ longest }) => measure(longest, least) < room - 0.1); // rounding must not decide otherwise when it is drawn
}
