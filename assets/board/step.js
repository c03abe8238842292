import { writeArithmetic } from "./arithmetic.js";
import { fillAsks } from "./asking.js";
import { attachClicker } from "./clicker.js";
import { Dock } from "./dock.js";
import { button, element, icon } from "./elements.js";
import { blockOf } from "./scene.js";
import { indexIn } from "./geometry.js";
import { fillSummary, Guess, sharePlace } from "./guess.js";
import { headChoice } from "./heads.js";
import { Moments } from "./moments.js";
import { roomFor } from "./room.js";
import { legendOf } from "./scales.js";
import { sentenceButtons } from "./sentences.js";
import { offerSkip } from "./skip.js";
import { fillStrip } from "./strip.js";
import { fillWords } from "./words.js";

const PLAIN = { slack: 0, letters: 14, title: 130, number: 23 }; // for a board without words, which has text around it
const CORNER = { width: 60, height: 40 }; // px, the controls if there is nothing to play
const STRIP = { plain: 38, lecture: 46 };
const CONTROLS = 40;
const SCREEN = "M1 2h14v9H1zM5 14h6M8 11v3";

/** The parts around the matrices of a step: the strip of steps, words, the cover of the result, keys of a lecture. */
export class Step {
  constructor(board, parts) {
    Object.assign(this, { board, parts, moments: new Moments(() => board.width && board.refresh(true)), column: false, lines: 1 });
    this.guess = new Guess(parts.guess, () => board.width && board.refresh(true));
    this.detach = attachClicker(this);
    this.dock = new Dock(board);
    parts.black.addEventListener("click", () => this.black());
    window.addEventListener("resize", (this.resize = () => board.fit()));
    parts.stage.append((this.asks = element("div", "asks")));
    parts.section.numbers = (array) => this.numbers(array);
    this.page = document.querySelector("[data-testid=stMainBlockContainer]");
    // Parts above a board may arrive after it. Wait for the next frame, because a board itself changes the page.
    this.observer = new ResizeObserver(() => requestAnimationFrame(() => board.fit()));
    if (this.page) this.observer.observe(this.page);
  }

  end() {
    this.detach();
    this.dock.end();
    this.observer.disconnect();
    this.unskip?.();
    window.removeEventListener("resize", this.resize);
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
    section.classList.toggle("step", Boolean(stage));
    section.classList.toggle("lecture", this.lecture);
    // Cells that nothing computes need one line, beside the buttons.
    const alone = Boolean(stage) && !this.model.panels.length; // the strip alone
    section.classList.toggle("gallery", !alone && (this.model.gallery || !Object.keys(this.model.rules).length));
    const legend = legendOf(this.model);
    words.hidden = !stage || alone;
    chosen.hidden = words.hidden && !legend;
    strip.hidden = !stage;
    this.parts.dock.hidden = alone;
    if (!stage) return chosen.replaceChildren(...(legend ? [legend] : []));
    if (alone && stage.summary) fillSummary(words);
    if (alone) return fillStrip(strip, stage);
    if (this.board.handlers.onChoose) this.unskip ??= offerSkip(section);
    section.dataset.stage = stage.title;
    const { onChoose } = this.board.handlers;
    fillStrip(strip, stage, Boolean(onChoose)); // a hand-out has no other steps
    fillWords(words, stage, onChoose);
    this.moments.cover(Boolean(stage.hide));
    this.guess.adopt(stage.guess ?? null, stage.steps[stage.place], onChoose);
    const lecture = button("lecture-button", this.lecture ? "✕" : icon(SCREEN), this.lecture ? "End the lecture mode" : "Lecture mode", () => onChoose?.("present", !this.lecture));
    const cover = this.model.flow ? null : button("cover", stage.hide ? "Show result" : "Hide result", "Cover the result until a cell or a row is asked for", () => onChoose?.("hide", !stage.hide));
    chosen.replaceChildren(...(legend ? [legend] : []), ...sentenceButtons(stage.sentences, onChoose), ...headChoice(stage, onChoose), ...(onChoose ? [cover, lecture].filter(Boolean) : []));
  }

  /** The window for which a step is laid out; null if it is scrolled. */
  window() {
    return roomFor(this.board, this.parts.section);
  }

  /** Lay the step out for its window; gives whether it has room there. */
  lay(size) {
    const { section, words, arithmetic, strip, stage, controls } = this.parts;
    const { stage: step, player } = this.model;
    const top = !step ? 0 : this.lecture ? STRIP.lecture : STRIP.plain;
    section.classList.add("fits");
    section.style.height = `${size.height}px`;
    strip.style.height = `${top}px`;
    section.style.setProperty("--words", `${this.lecture ? 20 : size.height < 640 ? 14 : 15.5}px`);
    const bottom = step || player ? CONTROLS * this.lines : 0;
    const heights = {}; // each is measured once, because the browser must lay out the words for it
    const heightOf = (width, wide) => (step ? (heights[`${width} ${Boolean(wide)}`] ??= this.heightOfWords(width, wide)) : 0);
    const space = { ...size, top: step ? top + 4 : 0, bottom: bottom + 4, column: this.column, words: heightOf, ...(step ? {} : PLAIN) };
    const plan = this.board.picture.layStage(space, this.board.starts, this.board.open);
    if (!plan) return false;
    stage.style.width = `${size.width}px`;
    words.classList.toggle("wide", Boolean(plan.words.wide));
    put(words, plan.words);
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
    controls.classList.remove("twofold");
    section.style.height = "";
    this.terms = null;
    for (const part of [words, arithmetic, this.parts.guess, controls, stage, strip]) Object.assign(part.style, { left: "", top: "", width: "", height: "" });
    const screen = !this.board.surroundings.now().printed;
    this.form = "line";
    for (const [form, on] of [["line", true], ["column", false], ["opened", this.column]]) arithmetic.classList.toggle(form, on && screen && Boolean(this.model.stage));
  }

  heightOfWords(width, wide = false) {
    const { words } = this.parts;
    words.classList.toggle("wide", wide);
    Object.assign(words.style, { width: `${width}px`, height: "auto" });
    return words.offsetHeight;
  }

  /** Whether a cell of the result is covered. */
  hides(panel, index) {
    const { stage, panels } = this.model ?? {};
    const { player, surroundings } = this.board;
    if (!player.active && !surroundings.now().printed && this.guess.hides(panel.array, index)) return true;
    if (!stage || panels.find(({ role }) => role === "result")?.array !== panel.array) return false;
    return this.moments.hides(index, this.board.slices[panel.array], panel.rows);
  }

  /** A function that says whether a cell is not shown, because it is not computed yet or covered; undefined if all are shown. */
  blanks() {
    const { player } = this.board;
    if (!player.active && !this.moments.hiding && !this.guess.isOpen) return undefined;
    return ({ panel }, index) => player.blank(panel.array, index) || this.hides(panel, index);
  }

  /** Put buttons on the labels of covered rows. */
  showAsks() {
    fillAsks(this.asks, this.board, this.moments);
  }

  /** Whether a cell is one of a covered result. */
  covers(cell) {
    const box = this.board.boxes.find(({ panel }) => panel.array === cell.array && panel.role === "result");
    return Boolean(box) && this.hides(box.panel, cell.index);
  }

  /** Write how the current cell is computed. */
  explain(look, current) {
    const { board, parts: { arithmetic } } = this;
    this.placeGuess(current);
    this.dock.place();
    if (!current) return arithmetic.replaceChildren();
    const playing = board.player.active && !board.hovered;
    const isEditable = ({ panel }) => panel.array === current.array && panel.editable;
    const editable = !playing && board.pins.holds(current) && board.boxes.find(isEditable);
    const edit = editable ? () => board.type(editable, current, "F2") : null;
    const upTo = playing ? board.player.known : this.covers(current) ? 0 : undefined;
    const more = (this.model.stage || board.size) && (this.column || this.form === "line") ? { opened: this.column, open: () => this.open() } : {};
    return writeArithmetic(arithmetic, look, current, { all: !board.hovered, ...more, ...(upTo === undefined ? { edit } : { upTo }) });
  }

  // The question and its verdict stand in the place of the arithmetic, or share it.
  placeGuess(current) {
    const { terms, parts: { section, arithmetic, guess } } = this;
    const state = this.board.player.active ? "idle" : this.guess.stateAt(current);
    section.classList.toggle("asking", state === "open");
    section.classList.toggle("told", state === "told");
    if (terms) sharePlace(guess, arithmetic, { terms, state, tall: this.form !== "line" }, put);
  }

  /** The numbers of an array as they are drawn: {shape, data, letters, closeUp}, letters in px or 0; null if it is not drawn. */
  numbers(name) {
    const box = this.board.boxes.find(({ panel, small }) => panel.array === name && !small);
    if (!box) return null;
    const { panel, rows, columns, tiles } = box;
    const data = tiles.flatMap(({ place }) => {
      const first = indexIn(box, this.board.slices[name], place, rows.start, columns.start);
      return [...blockOf(this.model, name, first, { axis: panel.rows, ...rows }, { axis: panel.columns, ...columns })];
    });
    const shape = [...(panel.tiles === null ? [] : [tiles.length]), rows.count, columns.count];
    return { shape, data, letters: box.letters ?? 0, closeUp: box.closeUp ?? {} };
  }

  /** Show all terms in a column, or in one line again. */
  open() {
    this.column = !this.column;
    this.board.relay();
  }

  /** A black screen, or the step again. */
  black() {
    this.parts.black.hidden = !this.parts.black.hidden;
    return true;
  }

  fullScreen() {
    if (document.fullscreenElement) document.exitFullscreen();
    else document.documentElement.requestFullscreen?.();
    return true;
  }
}

function put(part, { x, y, width, height }) {
  Object.assign(part.style, { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` });
}
