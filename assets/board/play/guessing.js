import { numberTyped } from "../point/editor.js";

const GUESSES_KEPT = "attention-guesses"; // in the storage of the visit
const VISIT_ASKS = "attention-asks";
const NEAR_GUESS = 5; // tolerances
const MISSED_GUESS = new Set(["near", "sign", "wrong"]);
const unkept = new Map(); // for browsers without storage

/** The number in a text, which may be a percentage or a fraction, or null. */
export function numberGuessed(text) {
  const [above, below, ...more] = text.split("/");
  if (more.length) return null;
  if (text.trim().endsWith("%")) return divided(numberTyped(text.trim().slice(0, -1)), 100);
  return below === undefined ? numberTyped(text) : divided(numberTyped(above), numberTyped(below));
}

function divided(above, below) {
  return above === null || !below ? null : above / below;
}

/** The verdict on a typed number or an option: {said, misconceptions}; said: right, near, sign or wrong. */
export function judgeGuess({ options, number, tolerance }, given) {
  if (typeof given === "string") {
    const chosen = options.find(({ value }) => value === given);
    return { said: chosen?.right ? "right" : "wrong", misconceptions: chosen?.misconceptions ?? [] };
  }
  const room = tolerance * (1 + 1e-9);
  const off = Math.abs(given - number);
  if (off <= room) return { said: "right", misconceptions: [] };
  const believed = options.filter(({ right, value }) => !right && Math.abs(given - Number(value)) <= room);
  const misconceptions = believed.flatMap((option) => option.misconceptions);
  if (misconceptions.length) return { said: "wrong", misconceptions };
  if (Math.abs(given + number) <= room) return { said: "sign", misconceptions };
  return { said: off <= NEAR_GUESS * room ? "near" : "wrong", misconceptions };
}

/** Whether a place of an array is hidden while a guess is asked for; null stands for any place. */
export function isAskedFor({ array, hides }, name, index) {
  return array === name && hides.some((places) => places.every((place, axis) => place === null || place === index[axis]));
}

/** The guesses of this visit, by step: {step, title, id, said, given, answer, misconceptions}. */
export function keptGuesses() {
  const kept = readVisit(GUESSES_KEPT, []);
  return Array.isArray(kept) ? kept.filter((one) => typeof one?.step === "string") : [];
}

/** Keep a guess; a later guess of the same step replaces an earlier one. */
export function keepGuess(guess) {
  writeVisit(GUESSES_KEPT, [...keptGuesses().filter(({ step }) => step !== guess.step), guess]);
}

/** Forget all guesses. */
export function forgetGuesses() {
  writeVisit(GUESSES_KEPT, []);
}

/** Let the steps of this visit ask first, or nothing any more. */
export function keepAsking(asks) {
  writeVisit(VISIT_ASKS, asks);
}

/** Whether the steps of this visit ask first (true), nothing (false), or only invite (null). */
export function visitAsks() {
  const kept = readVisit(VISIT_ASKS, null);
  return typeof kept === "boolean" ? kept : null;
}

function readVisit(name, otherwise) {
  try {
    return JSON.parse(sessionStorage.getItem(name)) ?? otherwise;
  } catch {
    return unkept.get(name) ?? otherwise;
  }
}

function writeVisit(name, value) {
  unkept.set(name, value);
  try {
    sessionStorage.setItem(name, JSON.stringify(value));
  } catch {
    // A browser without storage keeps it until the page is left.
  }
}

/** A summary of the guesses: {guessed, right, shown, surprises}; surprises: the titles of steps with another answer. */
export function summaryOf(guesses) {
  const said = (...words) => guesses.filter((guess) => words.includes(guess.said));
  return {
    guessed: guesses.length - said("shown").length,
    right: said("right").length,
    shown: said("shown").length,
    surprises: guesses.filter((guess) => MISSED_GUESS.has(guess.said)).map(({ title }) => title),
  };
}
