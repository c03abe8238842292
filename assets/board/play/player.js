// Plays how a result is computed: moments, buttons and speed.
import { button, element, icon, list } from "../draw/elements.js";
import { fixedAxes, indexIn } from "../place/geometry.js";
import { valueAt } from "../scene/scene.js";
import { placeWords } from "../words/wording.js";

const SPEEDS = { slow: 1500, normal: 600, fast: 160 }; // ms for each beat of a cell
const ROW_SPEEDS = { slow: 2500, normal: 1000, fast: 300 }; // ms for each row: 64 rows take a minute
const UNITS = { row: "row by row", cell: "cell by cell" };
const ICONS = {
  first: "M3 3h2v10H3zM13 3v10L6 8z",
  previous: "M12 3v10L4 8z",
  play: "M4 2.5v11L13.5 8z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  next: "M4 3v10l8-5z",
  last: "M11 3h2v10h-2zM3 3v10l7-5z",
  stop: "M3.5 3.5h9v9h-9z",
};

/** Plays how the first result panel is computed: row by row, or cell by cell and term by term. */
export class Player {
  constructor(root, board) {
    Object.assign(this, { root, board, active: false, running: false, timer: 0, moment: { cell: 0, beat: 0 }, speed: "normal", unit: "row" });
    this.calm = window.matchMedia("(prefers-reduced-motion: reduce)");
    this.build();
  }

  build() {
    const act = (name, label, run) => button(`tool ${name}`, icon(ICONS[name]), label, run);
    this.toggle = act("play", "Play the computation", () => (this.running ? this.pause() : this.play()));
    this.scrubber = Object.assign(element("input", "scrubber"), { type: "range", min: 0, step: 1, value: 0 });
    this.scrubber.setAttribute("aria-label", "Cell being computed");
    this.scrubber.addEventListener("input", () => this.go(this.byRow ? rowMoment({ cell: Number(this.scrubber.value) }, this.frame, this.beats, 0) : { cell: Number(this.scrubber.value), beat: this.beats }));
    const speeds = Object.fromEntries(Object.keys(SPEEDS).map((name) => [name, name]));
    this.chooser = list("speed", speeds, "Speed", this.speed, (speed) => (this.speed = speed));
    this.units = list("unit", UNITS, "What is computed at a time", this.unit, (unit) => this.choose(unit));
    this.halt = act("stop", "Stop and show everything", () => this.stop());
    this.root.append(
      act("first", "First", () => this.go(this.first)),
      act("previous", "One step back", () => this.step(-1)),
      this.toggle,
      act("next", "One step on", () => this.step(1)),
      act("last", "Last", () => this.go({ cell: this.frame.count - 1, beat: this.beats })),
      this.halt,
      this.scrubber,
      this.units,
      this.chooser,
    );
  }

  /** Set the panel to be played; the moment is kept if it still exists. */
  adopt(box, rule) {
    this.root.hidden = !box || !rule;
    if (this.root.hidden) return this.rest();
    this.frame = frameOf(box);
    const added = (rule.adds ?? []).length;
    // Where numbers are only moved, or two are added, there is nothing to choose.
    this.units.hidden = this.chooser.hidden = rule.operation === "copy" || (rule.operation === "sum" && (rule.length ?? 1) === 1);
    this.marks = rule.operation === "given" ? [] : beatsOf((rule.length ?? 1) + added);
    this.beats = this.marks.length;
    this.scrubber.max = this.frame.count - 1;
    const known =
      this.active && this.slice.length === box.array.axes.length && this.board.has({ array: box.array.name, index: this.slice });
    if (this.active && (!known || this.moment.cell >= this.frame.count)) this.rest();
    this.moment.beat = Math.min(this.moment.beat, this.beats);
    this.show();
    return undefined;
  }

  get cell() {
    if (!this.active) return null;
    const { array } = this.frame.panel;
    return { array, index: indexInOrder(this.frame, this.slice, this.moment.cell - (this.byRow ? this.behind : 0)) };
  }

  /** Whether whole rows are computed at a time. */
  get byRow() {
    return this.unit === "row" && Boolean(this.board.model?.stage || this.board.model?.whole);
  }

  // The number of columns after the explained cell in its row.
  get behind() {
    const { panel, columns } = this.frame;
    const column = panel.columns === null ? 0 : this.slice[panel.columns] - columns.start;
    return columns.count - 1 - Math.max(0, Math.min(columns.count - 1, column));
  }

  /** The first moment. */
  get first() {
    if (this.byRow) return { cell: this.frame.columns.count - 1, beat: this.beats };
    return { cell: 0, beat: this.calm.matches ? this.beats : 0 };
  }

  // The moment with which playing begins: the first whose number is not 0, since sums of zeros show nothing.
  get opening() {
    const { frame, byRow, first, whole } = this;
    this.follow();
    const behind = byRow ? this.behind : 0;
    const told = firstTold(frame, byRow ? frame.columns.count : 1, (place) => valueAt(this.board.model, frame.panel.array, indexInOrder(frame, this.slice, place - behind)));
    return { cell: told ?? first.cell, beat: whole || byRow ? this.beats : first.beat };
  }

  choose(unit) {
    this.unit = unit;
    this.rest();
    this.show();
    this.board.played();
  }

  // The next or previous moment; null if there is none.
  beside(by, whole) {
    if (this.byRow) return rowMoment(this.moment, this.frame, this.beats, by);
    return momentBeside(this.moment, this.frame.count, this.beats, by, whole);
  }

  /** How many terms of the current cell are known; all, if its result is known. */
  get known() {
    return this.marks[this.moment.beat] ?? Infinity;
  }

  /** The running indices that are lit at this moment: the first, and the one after the last. */
  get lit() {
    const { beat } = this.moment;
    return this.active && beat < this.beats ? [this.marks[beat - 1] ?? 0, this.marks[beat]] : null;
  }

  /** Whether a cell is not computed yet. */
  blank(array, index) {
    if (!this.active || array !== this.frame.panel.array) return false;
    if (this.frame.panel.columns !== null && index[this.frame.panel.columns] < (this.frame.panel.wave ?? 0)) return false;
    if (fixedAxes(this.frame, index.length).some((axis) => index[axis] !== this.slice[axis])) return false;
    const place = placeInOrder(this.frame, index);
    return place > this.moment.cell || (place === this.moment.cell && this.moment.beat < this.beats);
  }

  /** Whether a scene asks to be played at once: a word was written. */
  isAsked({ whole }) {
    const [before, now] = [this.written, whole?.written ?? 0];
    this.written = now;
    return before !== undefined && now > before && !this.root.hidden && !this.calm.matches;
  }

  play() {
    const ended = this.active && !this.beside(1);
    this.running = true;
    this.go(ended || !this.active ? this.opening : this.moment, true);
    this.schedule();
  }

  get whole() {
    return this.speed === "fast" || this.calm.matches;
  }

  get pace() {
    return (this.byRow ? ROW_SPEEDS : SPEEDS)[this.speed];
  }

  schedule() {
    clearTimeout(this.timer);
    const wait = this.calm.matches && this.speed !== "slow" ? Math.max(this.pace, 400) : this.pace;
    this.timer = setTimeout(() => {
      const next = this.beside(1, this.whole);
      if (!next) return this.pause();
      this.go(next, true);
      return this.schedule();
    }, wait);
  }

  pause() {
    this.running = false;
    clearTimeout(this.timer);
    this.show();
  }

  step(by) {
    this.go(this.active ? (this.beside(by, this.calm.matches) ?? this.moment) : this.first);
  }

  go(moment, running = false) {
    if (!running) this.pause();
    this.follow();
    this.active = true;
    this.moment = { ...moment };
    this.show();
    this.board.played({ fly: !this.calm.matches && !(this.running && this.speed === "fast"), pace: this.running ? this.pace : 600 });
  }

  // What is played is the slice that the board shows when it begins.
  follow() {
    if (!this.active) this.slice = [...this.board.slices[this.frame.panel.array]];
  }

  /** Stop, and show every cell again. */
  stop() {
    const was = this.active;
    if (this.halt.matches(":focus")) this.toggle.focus(); // a disabled button would lose the focus
    this.rest();
    this.show();
    if (was) this.board.played();
  }

  rest() {
    this.running = false;
    this.active = false;
    clearTimeout(this.timer);
    this.moment = { cell: 0, beat: 0 };
  }

  show() {
    if (!this.frame) return;
    const label = this.running ? "Pause" : "Play the computation";
    if (this.toggle.title !== label) {
      this.toggle.replaceChildren(icon(this.running ? ICONS.pause : ICONS.play));
      this.toggle.title = label;
      this.toggle.setAttribute("aria-label", label);
    }
    this.halt.disabled = !this.active;
    this.root.classList.toggle("active", this.active);
    this.scrubber.value = this.active ? this.moment.cell : this.frame.count - 1;
    const cell = this.cell;
    this.scrubber.setAttribute("aria-valuetext", cell ? placeWords(this.board.model, cell) : "all cells");
  }
}

const MAX_BEATS = 40;

/** The cells of a panel's slice that were sent, in reading order, or with up row by row upwards: {tiles, rows, columns, count, up}. */
export function frameOf({ panel, array }) {
  const span = (axis) => (axis === null ? { start: 0, count: 1 } : { start: array.start[axis], count: array.shape[axis] });
  const [tiles, rows, columns] = [span(panel.tiles), span(panel.rows), span(panel.columns)];
  return { panel, tiles, rows, columns, count: tiles.count * rows.count * columns.count, up: Boolean(panel.arcs) };
}

/** The index of the cell at a place of the reading order; slice gives the axes that are not drawn. */
export function indexInOrder({ panel, tiles, rows, columns, up }, slice, place) {
  const [row, column] = [Math.floor(place / columns.count), place % columns.count];
  const down = up ? rows.count - 1 - (row % rows.count) : row % rows.count;
  return indexIn({ panel }, slice, tiles.start + Math.floor(row / rows.count), rows.start + down, columns.start + column);
}

/** The place of a cell in the reading order. */
export function placeInOrder({ panel, tiles, rows, columns, up }, index) {
  const at = (axis, { start }) => (axis === null ? 0 : index[axis] - start);
  const row = up ? rows.count - 1 - at(panel.rows, rows) : at(panel.rows, rows);
  return (at(panel.tiles, tiles) * rows.count + row) * columns.count + at(panel.columns, columns);
}

/** How many terms are known after each beat of a cell; long sums take several terms at a time. */
export function beatsOf(length) {
  const stride = Math.max(1, Math.ceil(length / MAX_BEATS));
  const beats = [];
  for (let known = stride; known < length; known += stride) beats.push(known);
  if (length > 0) beats.push(length);
  return beats;
}

/**
 * The moment {cell, beat} before another one (by −1) or after it (by 1); null if there is none.
 *
 * Beats 0 to beats − 1 add terms, beat number beats shows the result; whole skips the terms.
 */
function momentBeside({ cell, beat }, count, beats, by, whole) {
  const length = beats + 1;
  const place = whole ? (by > 0 && beat < beats ? cell : cell + by) * length + beats : cell * length + beat + by;
  return place < 0 || place >= count * length ? null : { cell: Math.floor(place / length), beat: place % length };
}

/** The last place of the first so many cells together whose number is not 0; null if all are 0. numberAt: the number of a last place. */
export function firstTold({ count }, together, numberAt) {
  for (let place = together - 1; place < count; place += together) if (numberAt(place)) return place;
  return null;
}

/** The moment of the row of another moment, or of the row `by` further; null if there is none. */
export function rowMoment({ cell }, { columns, count }, beats, by) {
  const row = Math.floor(cell / columns.count) + by;
  const end = (row + 1) * columns.count - 1;
  return row < 0 || end >= count ? null : { cell: end, beat: beats };
}
