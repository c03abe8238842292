import { button, element } from "./elements.js";
import { areGuessesOff, forgetGuesses, isAskedFor, judgeGuess, keepGuess, keptGuesses, numberGuessed, summaryOf, turnGuessesOff } from "./guessing.js";

const SAID = { right: "Right", near: "Near", sign: "The other sign", wrong: "Not so", shown: "" };
const MAX_TYPED = 40; // characters

/**
 * The question of a step, asked before its cell is shown. It is no dialog and covers nothing else.
 *
 * changed is called when other cells are visible. A step asks once in a visit; its state is open, told or idle.
 */
export class Guess {
  constructor(root, changed) {
    Object.assign(this, { root, changed, state: "idle", asked: null });
  }

  /** Set the question of a scene. step: {path, title}; choose: sends a choice to the server, if there is one. */
  adopt(asked, step, choose) {
    const same = JSON.stringify(asked) === JSON.stringify(this.asked);
    Object.assign(this, { asked, step, choose });
    if (same && this.state !== "idle") return;
    const isNew = Boolean(asked) && !areGuessesOff() && !keptGuesses().some(({ step: path }) => path === step.path);
    this.state = isNew ? "open" : "idle";
    if (isNew) this.ask();
  }

  get isOpen() {
    return this.state === "open";
  }

  /** Whether a cell is hidden because the question asks for it. */
  hides(name, index) {
    return this.isOpen && isAskedFor(this.asked, name, index);
  }

  /** The element in the place of a cell's arithmetic: the question, the verdict, or null. */
  stateAt(cell) {
    if (this.state === "idle" || this.root.contains(this.focused)) return this.state;
    return cell && this.isAbout(cell) ? this.state : "idle";
  }

  isAbout({ array, index }) {
    const { asked } = this;
    return isAskedFor(asked, array, index) || (array === asked.array && index.every((place, axis) => place === asked.index[axis]));
  }

  get focused() {
    return this.root.getRootNode().activeElement;
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
    const off = button("option off", "no guesses", "Ask no more guesses; “Guess first” under View turns them on again", () => this.end());
    this.fill("open", asked.prompt, element("p", "prompt", element("b", "", "Guess first "), asked.prompt), form, element("span", "ways", show, off));
  }

  field() {
    this.input = Object.assign(element("input", "typed"), { type: "text", maxLength: MAX_TYPED, placeholder: "a number", ariaLabel: this.asked.prompt });
    const enter = button("option go", "Guess", "Take this guess", () => this.typed());
    return [this.input, enter];
  }

  options() {
    return this.asked.options.map(({ value, label, picture }) => {
      const made = button(picture.length ? "option pictured" : "option", picture.length ? "" : label, label, () => this.commit(value, label));
      if (picture.length) made.append(choicePicture(picture));
      return made;
    });
  }

  typed() {
    const text = this.input?.value ?? "";
    const given = numberGuessed(text);
    if (given !== null) return this.commit(given, text.trim());
    this.input?.setAttribute("aria-invalid", "true");
    return this.input?.focus();
  }

  commit(given, label) {
    this.tell({ ...judgeGuess(this.asked, given), given: label });
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
    this.verdict = { step: step.path, title: step.title, id: asked.id, answer: asked.answer, ...verdict };
    keepGuess(this.verdict);
    this.state = "told";
    const whys = element("div", "reasons", ...asked.reasons.map((reason) => button("option", reason.text, reason.text, () => this.explain(reason))));
    const list = element("details", "whys", element("summary", "option", "Why?"), whys);
    list.addEventListener("toggle", () => this.changed()); // an open list may need more room
    this.fill("told", asked.prompt, verdictSentence(this.verdict), list, this.closer());
    this.changed();
    if (had) list.firstElementChild.focus();
  }

  explain({ misconception }) {
    const had = this.root.contains(this.focused);
    keepGuess({ ...this.verdict, reason: misconception || "right" });
    const mark = element("b", misconception ? "missed" : "right", misconception ? "Not because of that. " : "Yes. ");
    const close = this.closer();
    this.fill("told", this.asked.prompt, verdictSentence(this.verdict), element("p", "why", mark, this.asked.why), close);
    this.changed();
    if (had) close.focus();
  }

  closer() {
    return button("option close", "✕", "Back to the arithmetic alone", () => {
      this.state = "idle";
      this.root.replaceChildren();
      this.changed();
    });
  }

  /** Ask no more guesses. */
  end() {
    this.state = "idle";
    if (this.choose) this.choose("guess", false);
    else turnGuessesOff();
    this.changed();
  }

  fill(state, label, ...parts) {
    this.root.dataset.guess = state;
    this.root.setAttribute("role", "group");
    this.root.setAttribute("aria-label", label);
    this.root.replaceChildren(...parts);
  }
}

function verdictSentence({ said, given, answer }) {
  const words = SAID[said];
  const mark = words ? element("b", said === "right" ? "right" : "missed", `${said === "right" ? "✓" : "✗"} ${words}. `) : null;
  const told = [element("b", "truth", answer)];
  const guessed = given ? ["You guessed ", element("b", "given", given), said === "right" ? "; it is " : ", it is "] : ["It is "];
  const made = element("p", "verdict", mark, ...guessed, ...told, ".");
  made.setAttribute("role", "status");
  return made;
}

// A small matrix of numbers from 0 to 1; large ones are dark.
function choicePicture(rows) {
  const made = (tag, attributes) => {
    const part = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) part.setAttribute(name, value);
    return part;
  };
  const svg = made("svg", { viewBox: `0 0 ${rows[0].length} ${rows.length}`, "aria-hidden": "true" });
  const cells = rows.flatMap((row, y) => row.map((shade, x) => made("rect", { x, y, width: 0.92, height: 0.92, "fill-opacity": 0.08 + 0.92 * shade })));
  svg.append(...cells);
  return svg;
}

const TOLD_WIDTH = { whys: 0.6, why: 0.74 }; // of a line, for the verdict on a guess: the reasons to choose from, and the sentence
const TOLD_HEIGHT = 0.6; // of a column, at most

/** Divide one place between a guess and the arithmetic: an open guess has all of it. tall: whether it is a column. */
export function sharePlace(root, arithmetic, { terms, state, tall }, put) {
  root.classList.toggle("tall", tall);
  if (state !== "told") {
    put(root, terms);
    put(arithmetic, terms);
    return;
  }
  if (tall) {
    Object.assign(root.style, { width: `${terms.width}px`, height: "auto" });
    const height = Math.round(Math.min(TOLD_HEIGHT * terms.height, root.offsetHeight));
    put(root, { ...terms, height });
    put(arithmetic, { ...terms, y: terms.y + height + 4, height: terms.height - height - 4 });
    return;
  }
  const width = Math.round((root.querySelector(".why") ? TOLD_WIDTH.why : TOLD_WIDTH.whys) * terms.width);
  put(root, { ...terms, width });
  put(arithmetic, { ...terms, x: terms.x + width + 4, width: terms.width - width - 4 });
}

/** Write the guesses of this visit into the words of a page without a step. */
export function fillSummary(root) {
  const { guessed, right, shown, surprises } = summaryOf(keptGuesses());
  root.hidden = !guessed && !shown;
  if (root.hidden) return root.replaceChildren();
  const again = button("option", "Guess again", "Forget these guesses and ask every step once more", () => {
    forgetGuesses();
    fillSummary(root);
  });
  const told = guessed ? [element("b", "", `You guessed ${guessed}, ${right} right.`)] : [];
  const rest = [shown ? ` Shown without a guess: ${shown}.` : "", surprises.length ? ` What surprised you: ${surprises.join(", ")}.` : ""];
  return root.replaceChildren(element("p", "guessed", ...told, ...rest, " ", again));
}
