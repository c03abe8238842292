// The question beside the example, the verdict on a guess, and what is kept of a visit.
import { button, element, put } from "../draw/elements.js";
import { numberTyped } from "../scene/numbers.js";
import { judge } from "../words/answer.js";

const MARKS = { right: "✓", near: "✗ near", sign: "✗ other sign", wrong: "✗" };
const MAX_TYPED = 40; // characters
const VERDICT_TIME = 8000; // ms, until only its mark is left
const ASKED_SHARES = { invited: 0.27, told: 0.27, why: 0.5 }; // of a line, at most; the rest is the arithmetic's
const MOST_HEIGHT = 0.6; // of a column

/**
 * The question beside the worked example of a step, about another cell.
 *
 * Its state is idle, invited (nothing is covered), open (its cell is covered, and explained in place of the pinned one) or told.
 * changed is called when other cells are visible; readersOf(cell) gives the ranges of cells that are computed from a cell.
 */
export class Guess {
  constructor(root, changed, readersOf = () => []) {
    Object.assign(this, { root, changed, readersOf, state: "idle", asked: null, followers: [] });
  }

  /** Set the question of a scene. step: {path, title}; choose: sends a choice to the server, if there is one. */
  adopt(asked, step, choose) {
    const same = JSON.stringify([asked, step]) === JSON.stringify([this.asked, this.step]);
    Object.assign(this, { asked, step, choose });
    if (same && this.state !== "idle") return;
    const visit = visitAsks();
    if (!asked || keptGuesses().some(({ step: path }) => path === step.path)) this.close();
    else if (asked.first || visit) this.ask();
    else if (visit === null) this.invite();
    else this.close();
  }

  get isOpen() {
    return this.state === "open";
  }

  /** The cell that is explained while it is asked for, or null. */
  get cell() {
    const { asked, state } = this;
    return (state === "open" || state === "told") && asked.hides.length ? { array: asked.array, index: asked.index } : null;
  }

  /** Whether a cell is hidden because the question asks for it, or because it follows from what is asked for. */
  hides(name, index) {
    if (!this.isOpen) return false;
    const holds = ({ array, low, high }) => array === name && index.every((place, axis) => low[axis] <= place && place <= high[axis]);
    return isAskedFor(this.asked, name, index) || this.followers.some(holds);
  }

  /** Pinning a cell elsewhere puts the question aside; gives whether it asks for this very cell, which stays covered. */
  takes(cell) {
    if (cell && this.isOpen && isAskedFor(this.asked, cell.array, cell.index)) {
      this.focus();
      return true;
    }
    if (this.isOpen) this.invite();
    else if (this.state === "told") this.close();
    return false;
  }

  /** The state to show; a cell that is pointed at is explained instead of an open question or a verdict. */
  stateAt(pointed) {
    const { root, state, asked } = this;
    const elsewhere = pointed && !(pointed.array === asked?.array && pointed.index.every((place, axis) => place === asked.index[axis]));
    return elsewhere && state !== "invited" && !root.contains(this.focused) ? "idle" : state;
  }

  get focused() {
    return this.root.getRootNode().activeElement;
  }

  focus() {
    this.root.querySelector("input, button").focus({ preventScroll: true });
  }

  invite() {
    const { prompt, invite } = this.asked;
    const accept = () => {
      keepAsking(true);
      this.ask();
      this.changed();
      this.focus();
    };
    this.fill("invited", prompt, button("option invite", `Now you: ${invite}`, `Ask me: ${prompt}`, accept));
  }

  ask() {
    const { asked } = this;
    const form = element("form", "ways", ...(asked.kind === "number" ? this.field() : this.options()));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.typed();
    });
    form.addEventListener("keydown", (event) => event.stopPropagation());
    const show = button("option", "Show me", "Show the answer without a guess", () => this.show());
    const stop = button("option off", "stop asking", "No more questions; “Ask me first” under View brings them back", () => this.stop());
    this.fill("open", asked.prompt, element("p", "prompt", asked.prompt), form, element("span", "ways", show, stop));
    this.followers = this.cell ? this.readersOf(this.cell) : [];
  }

  field() {
    this.input = Object.assign(element("input", "typed"), { type: "text", maxLength: MAX_TYPED, placeholder: "a number", ariaLabel: this.asked.prompt });
    const enter = button("option go", "Guess", "Take this guess", () => this.typed());
    return [this.input, enter];
  }

  options() {
    return this.asked.options.map(({ value, label }) => button("option", label, label, () => this.commit(value, label)));
  }

  typed() {
    const text = this.input?.value ?? "";
    const given = numberGuessed(text);
    if (given !== null) return this.commit(given, text.trim());
    this.input?.setAttribute("aria-invalid", "true");
    return this.input?.focus();
  }

  commit(given, label) {
    this.tell({ ...judge(this.asked, given), given: label });
  }

  /** Show the answer without a guess; gives whether there was one to show. */
  show() {
    if (!this.isOpen) return false;
    this.tell({ said: "shown", given: "" });
    return true;
  }

  tell(verdict) {
    const { asked, step, root } = this;
    const had = root.contains(this.focused);
    keepGuess({ step: step.path, title: step.title, id: asked.id, answer: asked.answer, ...verdict });
    const why = button("option because", "Why?", "Why it is so", () => this.explain());
    this.fill("told", asked.prompt, verdictSentence({ ...verdict, answer: asked.answer }), why, this.closer());
    this.timer = setTimeout(() => {
      root.classList.add("brief");
      this.changed();
    }, VERDICT_TIME);
    this.changed();
    if (had) why.focus();
  }

  explain() {
    const close = this.closer();
    this.fill("told", this.asked.prompt, element("p", "why", this.asked.why), close);
    this.changed();
    close.focus();
  }

  closer() {
    return button("option close", "✕", "Back to the arithmetic alone", () => {
      this.close();
      this.changed();
    });
  }

  close() {
    this.fill("idle", "");
  }

  /** Ask no more. */
  stop() {
    keepAsking(false);
    if (this.asked.first) this.choose?.("guess", false);
    this.close();
    this.changed();
  }

  fill(state, label, ...parts) {
    clearTimeout(this.timer);
    this.state = state;
    this.root.classList.remove("brief");
    this.root.dataset.guess = state;
    Object.assign(this.root, { role: "group", ariaLabel: label }).replaceChildren(...parts);
  }
}

function verdictSentence({ said, given, answer }) {
  const mark = MARKS[said] ? element("b", said === "right" ? "right" : "missed", MARKS[said], " ") : null;
  const truth = element("b", "truth", answer);
  const told = given === answer ? [truth] : given ? ["You: ", element("b", "given", given), " · it is ", truth] : ["It is ", truth];
  return Object.assign(element("p", "verdict", mark, element("span", "said", ...told)), { role: "status" });
}

/** Divide one place between a question and the arithmetic: an open question has all of it. tall: whether it is a column. */
export function sharePlace(root, arithmetic, { terms, state, tall }) {
  root.classList.toggle("tall", tall);
  if (state === "idle" || state === "open") return [root, arithmetic].forEach((part) => put(part, terms));
  Object.assign(root.style, { width: tall ? `${terms.width}px` : "max-content", height: "auto" });
  if (tall) {
    const height = Math.round(Math.min(MOST_HEIGHT * terms.height, root.offsetHeight));
    put(root, { ...terms, y: terms.y + terms.height - height, height });
    return put(arithmetic, { ...terms, height: terms.height - height - 4 });
  }
  const share = ASKED_SHARES[root.querySelector(".why") ? "why" : state];
  const width = Math.ceil(Math.min(share * terms.width, root.offsetWidth + 1));
  put(root, { ...terms, x: terms.x + terms.width - width, width });
  return put(arithmetic, { ...terms, width: terms.width - width - 4 });
}

/** Write the guesses of this visit into the words of a page without a step. */
export function fillSummary(root) {
  const { guessed, right, shown, surprises } = summaryOf(keptGuesses());
  root.hidden = !guessed && !shown;
  delete root.dataset.shown; // the words of a step stood here
  if (root.hidden) return root.replaceChildren();
  const again = button("option", "Guess again", "Forget these guesses and ask every step once more", () => {
    forgetGuesses();
    keepAsking(true);
    fillSummary(root);
  });
  const told = guessed ? [element("b", "", `You guessed ${guessed}, ${right} right.`)] : [];
  const rest = [shown ? ` Shown without a guess: ${shown}.` : "", surprises.length ? ` What surprised you: ${surprises.join(", ")}.` : ""];
  return root.replaceChildren(element("p", "guessed", ...told, ...rest, " ", again));
}

const GUESSES_KEPT = "attention-guesses"; // in the storage of the visit
const VISIT_ASKS = "attention-asks";
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
  const count = (word) => guesses.filter(({ said }) => said === word).length;
  const surprises = guesses.filter(({ said }) => MISSED_GUESS.has(said)).map(({ title }) => title);
  return { guessed: guesses.length - count("shown"), right: count("right"), shown: count("shown"), surprises };
}
