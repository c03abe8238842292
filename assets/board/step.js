// What stands around the matrices of a step, and the room that each part has in a window.
import { chainOf } from "./words/arcs.js";
import { writeArithmetic } from "./words/arithmetic.js";
import { attachClicker, lectureButton, offerSkip, turnBlack } from "./point/clicker.js";
import { Cover, fillAsks, fillCovered } from "./play/cover.js";
import { Dock, showTip } from "./point/dock.js";
import { element, put } from "./draw/elements.js";
import { numbersDrawn } from "./place/geometry.js";
import { fillSummary, Guess, sharePlace } from "./play/guess.js";
import { highlightsOf } from "./draw/overlay.js";
import { explainedBy } from "./scene/scene.js";
import { leastHeight } from "./place/whole.js";
import { writePlace } from "./words/place.js";
import { Sentence } from "./words/sentence.js";
import { fillNext, fillStrip, fillWords, fitFormula, headChoice, legendOf, sentenceButtons, squeezeNext } from "./words/words.js";

const PLAIN = { slack: 0, letters: 14, title: 130, number: 23 }; // for a board without words, which has text around it
const CORNER = { width: 60, height: 40 }; // px, the controls if there is nothing to play
const STRIP = { plain: 38, lecture: 46 };
const CONTROLS = 40;

/** The parts around the matrices of a step: the strip of steps, words, the cover of the result, keys of a lecture. */
export class Step {
  constructor(board, parts) {
    Object.assign(this, { board, parts, cover: new Cover(board), column: false, lines: 1 });
    this.guess = new Guess(parts.guess, () => this.guessed(), (cell) => highlightsOf(this.model, cell).filter(({ kind }) => kind === "reader"));
    this.sentence = new Sentence(board, parts.arcs);
    const { signal } = board.gone;
    attachClicker(this, signal);
    this.dock = new Dock(board);
    parts.black.addEventListener("click", () => turnBlack(this));
    window.addEventListener("resize", () => board.fit(), { signal });
    parts.stage.append((this.covered = element("div")), (this.asks = element("div", "asks")), (this.tip = element("div", "tip")));
    window.addEventListener("lesson-answered", () => this.answered(), { signal });
    parts.section.numbers = (array) => numbersDrawn(board, array);
    this.page = document.querySelector("[data-testid=stMainBlockContainer]");
    // Parts above a board may arrive after it. Wait for the next frame, because a board itself changes the page.
    this.observer = new ResizeObserver(() => requestAnimationFrame(() => board.fit()));
    if (this.page) this.observer.observe(this.page);
  }

  end() {
    this.observer.disconnect();
    this.unskip?.();
  }

  get model() {
    return this.board.model;
  }

  get lecture() {
    return Boolean(this.model?.stage?.lecture);
  }

  /** Write the words of a scene and its controls. */
  dress() {
    const { stage } = this.model;
    const { section, strip, words, chosen } = this.parts;
    const { onChoose } = this.board.handlers;
    this.guess.adopt(stage?.guess ?? null, stage?.steps[stage.place], onChoose);
    section.classList.toggle("step", Boolean(stage));
    section.classList.toggle("lecture", this.lecture);
    section.classList.toggle("whole", Boolean(this.model.whole));
    // Cells that nothing computes need one line, beside the buttons.
    const alone = Boolean(stage) && !this.model.panels.length; // the row of pages alone
    section.classList.toggle("alone", alone);
    section.classList.toggle("gallery", !alone && (this.model.gallery || !Object.keys(this.model.rules).length));
    const legend = legendOf(this.model);
    words.hidden = this.parts.onward.hidden = !stage || alone;
    chosen.hidden = words.hidden && !legend;
    strip.hidden = !stage?.steps.length; // a board of a notebook has one step
    this.parts.dock.hidden = this.parts.stage.hidden = alone;
    this.sentence.adopt(this.model.sentence);
    if (!stage) return chosen.replaceChildren(...(legend ? [legend] : []));
    if (alone && stage.summary) fillSummary(words);
    if (alone) return this.dressAlone(stage);
    if (onChoose) this.unskip ??= offerSkip(section);
    section.dataset.stage = stage.title;
    fillStrip(strip, stage, Boolean(onChoose)); // a hand-out has no other steps
    fillWords(words, stage, onChoose, this.reach);
    fillNext(this.parts.onward, stage, Boolean(onChoose));
    this.cover.adopt(this.model, onChoose);
    const made = [...sentenceButtons(stage.sentences, onChoose), ...headChoice(stage, onChoose), this.cover.button, onChoose ? lectureButton(this) : null];
    chosen.replaceChildren(...[legend, ...made].filter(Boolean));
  }

  // What the sentences of a step can do here: a cell can be pinned on every board.
  get reach() {
    const { board } = this;
    const act = (name, value) => (name === "pin" ? board.pin(value) : board.handlers.onChoose(name, value));
    return { act, can: (name) => name === "pin" || Boolean(board.handlers.onChoose), changed: () => board.relay() };
  }

  // The strip of a page without matrices. In a lecture there is no sidebar that could end it.
  dressAlone(stage) {
    const { strip } = this.parts;
    fillStrip(strip, stage);
    strip.querySelector(".lecture-button")?.remove();
    if (this.lecture) strip.append(lectureButton(this));
  }

  // With the answer to the question of a moment its cell is shown.
  answered() {
    if (!this.cover.asks) return;
    this.cover.asks = false;
    this.cover.answer();
    this.board.relay();
  }

  // With the answer to a guess the covered cell is shown.
  guessed() {
    if (this.guess.state === "told" && this.cover.answer()) return;
    const { board } = this;
    if (board.width && !board.reveal(board.current())) board.refresh(true);
  }

  /** The window for which a step is laid out; null if it is scrolled. */
  window() {
    return roomFor(this.board, this.parts.section);
  }

  /** Whether the arithmetic shows as many terms as its line holds, until all are asked for. */
  get folds() {
    return Boolean(this.model?.stage || this.model?.fits);
  }

  /** Lay the step out for its window; gives whether it has room there. */
  lay(size) {
    const { section, words, arithmetic, strip, stage, controls } = this.parts;
    const { stage: step, player } = this.model;
    const top = strip.hidden ? 0 : this.lecture ? STRIP.lecture : STRIP.plain;
    section.classList.add("fits");
    section.style.height = `${size.height}px`;
    strip.style.height = `${top}px`;
    const low = size.height < LOW_TYPE;
    section.style.setProperty("--words", `${this.lecture ? 20 : low ? 14 : 15.5}px`);
    words.querySelector(".reasons")?.fold(this.lecture || low);
    const bottom = step || player ? CONTROLS * this.lines : 0;
    const height = step ? this.heightOfWords(size.width) : 0;
    const space = { ...size, top: step ? top + 4 : 0, bottom: bottom + 4, column: this.column, words: height, ...(step ? {} : PLAIN) };
    const { plan, sentence } = planStep(this.board, this.sentence, space);
    if (!plan) return false;
    this.board.picture.layStage(plan, space, this.board.open);
    stage.style.width = `${size.width}px`;
    put(words, { ...plan.words, height });
    if (step) fitFormula(words);
    this.sentence.lay(step ? { ...plan.words, y: plan.words.y + height + BELOW_WORDS, height: sentence } : { x: 0, y: 0, width: size.width, height: sentence });
    this.putBelow(plan, size, bottom);
    this.form = plan.form;
    for (const form of ["line", "column", "opened"]) arithmetic.classList.toggle(form, plan.form === form);
    section.style.setProperty("--zoom", Math.min(plan.zoom, 1.4));
    controls.classList.toggle("twofold", this.lines > 1);
    return true;
  }

  /** Whether the sliders need a line of their own, which the next layout then gives them. */
  wantsLine() {
    const { windows } = this.parts;
    if (this.terms) squeezeNext(this.parts, this.board.size.width);
    if (this.lines > 1 || !this.model.stage || windows.scrollWidth <= windows.clientWidth + 1) return false;
    this.lines = 2;
    return true;
  }

  // Arithmetic and controls; if there is nothing to play the controls stand beside it. A board ends at its lowest part.
  putBelow({ arithmetic: terms, form, boxes }, size, bottom) {
    const { section, arithmetic, controls, stage } = this.parts;
    const beside = form === "line" ? { x: CORNER.width + 8, y: 0 } : { x: 0, y: CORNER.height + 4 };
    if (bottom) {
      this.terms = terms;
      put(controls, { x: 0, y: size.height - bottom, width: size.width, height: bottom });
      return;
    }
    this.terms = null;
    put(arithmetic, { ...terms, width: terms.width - beside.x, height: terms.height - beside.y });
    put(controls, { x: terms.x + terms.width - CORNER.width, y: terms.y + terms.height - CORNER.height - 3, ...CORNER });
    const lowest = Math.max(terms.y + terms.height, ...boxes.map(({ y, bodyHeight, close }) => y + bodyHeight + close.down)) + 4;
    for (const part of [section, stage]) part.style.height = `${Math.min(size.height, lowest)}px`;
  }

  /** Let a step be scrolled, as on a phone and on paper. */
  flow() {
    const { section, words, arithmetic, controls, stage, strip } = this.parts;
    section.classList.remove("fits");
    words.querySelector(".reasons")?.fold(false);
    controls.classList.remove("twofold");
    section.style.height = "";
    this.terms = null;
    for (const part of [words, arithmetic, this.parts.guess, controls, stage, strip]) Object.assign(part.style, { left: "", top: "", width: "", height: "" });
    const screen = !this.board.surroundings.now().printed;
    this.form = "line";
    this.sentence.lay(null, Math.floor(section.clientWidth));
    for (const [form, on] of [["line", true], ["column", false], ["opened", this.column]]) arithmetic.classList.toggle(form, on && screen && this.folds);
  }

  // Notes stand beside the formula, or below it across the whole width if that is lower.
  heightOfWords(width) {
    const { words } = this.parts;
    Object.assign(words.style, { width: `${width}px`, height: "auto" });
    const [beside, below] = [false, true].map((on) => (words.classList.toggle("below", on), words.offsetHeight));
    words.classList.toggle("below", below < beside);
    return Math.min(beside, below);
  }

  /** Whether a cell is covered, by a question or by the cover. What is played is not. */
  hides(name, index) {
    const { player, surroundings } = this.board;
    if (!this.model?.stage || player.active) return false;
    return (!surroundings.now().printed && this.guess.hides(name, index)) || this.cover.hides(name, index);
  }

  /** A function that says whether a cell is not shown, because it is not computed yet or covered; undefined if all are shown. */
  blanks() {
    const { player } = this.board;
    if (!player.active && !this.cover.moments.hiding && !this.guess.isOpen && !this.cover.asks) return undefined;
    return ({ panel }, index) => player.blank(panel.array, index) || this.hides(panel.array, index);
  }

  /** Show the current cell in the sentence, and its number beside it where cells show none. */
  follow(current) {
    this.sentence.follow(current);
    showTip(this.tip, this.board);
  }

  /** Put buttons on the labels of covered rows. */
  showAsks() {
    fillAsks(this.asks, this.board, this.cover);
    this.parts.section.classList.toggle("asks", Boolean(this.cover.asks));
    this.parts.section.classList.toggle("covers", Boolean(this.cover.moments.hiding || this.guess.isOpen || this.cover.asks));
    fillCovered(this.covered, this.board, this.cover);
    this.cover.label();
    if (this.terms) squeezeNext(this.parts, this.board.size.width);
  }

  /** Write how the current cell is computed. */
  explain(look, current) {
    const { board, parts: { arithmetic } } = this;
    this.placeGuess();
    this.dock.place();
    if (this.model.whole) return writePlace(arithmetic, board, current);
    if (!current) return arithmetic.replaceChildren(...(this.cover.asks ? [element("span", "soft", "?")] : []));
    const playing = board.player.active && !board.hovered;
    const shown = board.boxes.filter(({ panel }) => panel.array === current.array);
    const editable = !playing && board.pins.holds(current) && shown.find(({ panel }) => panel.editable);
    const edit = editable ? () => board.type(editable, current, "F2") : null;
    const upTo = playing ? board.player.known : this.hides(current.array, current.index) ? 0 : undefined;
    const more = this.folds ? { opened: this.column, open: () => this.open() } : {};
    const options = { all: !board.hovered, drawn: shown.some(({ small }) => !small), beside: chainOf(this.model, current, board.open), ...more, ...(upTo === undefined ? { edit } : { upTo }) };
    return writeArithmetic(arithmetic, look, explainedBy(this.model, current), options);
  }

  // The question stands in the place of the arithmetic; the invitation to it and its verdict share that place.
  placeGuess() {
    const { terms, parts: { section, arithmetic, guess } } = this;
    const state = this.board.player.active ? "idle" : this.guess.stateAt(this.board.hovered);
    for (const [name, one] of [["inviting", "invited"], ["asking", "open"], ["told", "told"]]) section.classList.toggle(name, state === one);
    if (terms) sharePlace(guess, arithmetic, { terms, state, tall: this.form !== "line" });
  }

  /** Show all terms in a column, or in one line again. */
  open() {
    this.column = !this.column;
    this.board.relay();
  }
}

const NARROW_WINDOW = 640; // px; narrower or lower windows scroll a step
const LOW = 380;
const LOW_TYPE = 640; // px; in lower windows words are smaller and sentences folded
const SCROLLED_LAYER = 500; // px, the height of the picture of a layer, with its sentence, in a lower window
const FITTING = { narrow: 420, low: 260, menu: 72 }; // px, the same for a board without words; menu: the height at the top that the menu covers
const WINDOW_MARGIN = 8;
const ROOMY = { plain: 26, lecture: 32 }; // px, the height of a cell with a number that has room to spare
const PAPER_SHAPE = 0.62; // the height of the picture of a layer on paper, to its width

/**
 * The room for which a step, or a board that fits, is laid out: {width, height}; null if it is scrolled.
 *
 * A board that begins in the first window also ends in it; one further below gets a window of its own. The picture
 * of a layer keeps its columns on paper and in a low window, because its arrows need them.
 */
function roomFor({ model, surroundings }, section) {
  const { stage, fits: asked, panels, zoom, flow, whole, height: given } = model ?? {};
  const fits = asked && (whole || (zoom ?? 1) === 1); // larger type has its own size
  const width = Math.floor(section.clientWidth);
  if (given && width >= FITTING.narrow) return { width, height: given }; // a picture of a sheet, on the screen and on paper
  if (surroundings.now().printed) return flow ? { width, height: Math.round(PAPER_SHAPE * width) } : null;
  if (!(stage ? panels.length : fits)) return null;
  // A step beside other parts of a page asks to fit.
  if (window.innerWidth < NARROW_WINDOW || width < (stage && !asked ? NARROW_WINDOW : FITTING.narrow)) return null;
  const scroller = document.querySelector("[data-testid=stMain]");
  const above = section.getBoundingClientRect().top + (scroller ? scroller.scrollTop : window.scrollY);
  const free = Math.floor(window.innerHeight - above - WINDOW_MARGIN);
  const height = stage || free >= (whole ? leastHeight(model) : FITTING.low) ? free : window.innerHeight - FITTING.menu - WINDOW_MARGIN;
  if (height >= (stage ? LOW : FITTING.low)) return { width, height };
  return flow ? { width, height: SCROLLED_LAYER } : null;
}

/** px between the words of a step and the sentence below them. */
const BELOW_WORDS = 4;

/**
 * The layout of a board with its sentence, {plan, sentence: its height}: above a board without words, or below the words of a
 * step. A small sentence is left out if it would cost numbers. space: see `fitStage`.
 */
function planStep({ picture, starts, model }, about, space) {
  const room = (width) => about.room(width, space.height);
  const plain = () => ({ plan: picture.planStage(space, starts), sentence: 0 });
  if (!room(space.width)) return plain();
  if (!model.stage) {
    const sentence = room(space.width);
    return { plan: picture.planStage({ ...space, top: sentence }, starts), sentence };
  }
  const planned = (high) => {
    const plan = picture.planStage({ ...space, words: space.words + about.room(space.width, high) + BELOW_WORDS }, starts);
    return plan && { plan, sentence: about.room(plan.words.width, high) };
  };
  const spoken = planned(space.height) ?? (about.isLarge ? planned(0) : null); // a large sentence gets lower before it is left out
  const rich = spoken?.plan;
  const roomy = model.stage.lecture ? ROOMY.lecture : ROOMY.plain;
  if (about.isLarge || (rich?.cell.digits >= 0 && rich.cell.height >= roomy)) return spoken ?? plain();
  const other = plain();
  return spoken && !model.stage.lecture && rich.cell.digits === other.plan.cell.digits && rich.cell.height > 0.9 * other.plan.cell.height ? spoken : other;
}
