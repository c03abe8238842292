// Which part of a result is covered, and how it is uncovered.
import { button, element, moveAlong, put } from "../draw/elements.js";
import { drawnCells } from "../place/geometry.js";
import { cellsRead } from "../scene/rules.js";
import { nameAt } from "../scene/scene.js";

const ABOUT = "Cover the result until a cell or a row is asked for";

/**
 * The cover of a step's result: which cells it hides, and in which order a lecture uncovers them.
 *
 * While the question of a moment waits for its answer (asks), all that may tell it is covered.
 */
export class Cover {
  constructor(board) {
    Object.assign(this, { board, moments: new Moments(() => board.width && board.refresh(true)), button: null, below: new Set() });
  }

  /** Cover the result of a scene, as its stage says. choose: sends a choice to the server, if there is one. */
  adopt(model, choose) {
    const { stage, flow, panels } = model;
    this.asked = stage.covers ? askedFor(model, stage.covers) : new Set();
    this.asks = Boolean(stage.covers) && !isAnswered(stage.lesson);
    this.panel = flow ? null : (panels.find(({ role }) => role === "result") ?? null);
    this.below = followers(model, this.panel?.array);
    this.button = this.panel && choose ? button("cover", "", ABOUT, () => this.turnOver(stage, choose)) : null;
    this.moments.cover(Boolean(this.panel && (stage.hide || (stage.lecture && choose))), stage.lesson);
  }

  // In a lecture and in a lesson the result is covered at first; elsewhere that is a choice, which the URL holds.
  turnOver({ hide, lecture, lesson }, choose) {
    if (this.moments.covered && (lecture || lesson)) this.moments.turnOver();
    else choose("hide", !hide);
  }

  /** Say on the button what it does now. */
  label() {
    if (this.button) this.button.hidden = this.asks;
    if (this.button) this.button.textContent = this.moments.hiding ? "Show result" : "Hide result";
  }

  /** Go to the next or the previous moment at which other cells are in sight; gives whether there is one. */
  turn(by) {
    if (!this.panel) return false;
    const before = this.count();
    while (this.moments.step(by)) if (this.count() !== before) return true;
    return false;
  }

  // The number of covered cells of the result that have a place on the board.
  count() {
    const { boxes, slices } = this.board;
    const cells = boxes.filter(({ panel }) => panel.id === this.panel.id).flatMap((box) => drawnCells(box, slices[box.panel.array]));
    return cells.filter((index) => this.hides(this.panel.array, index)).length;
  }

  /** Whether a cell is covered: one of the result, or one that is computed from a covered cell. */
  hides(name, index) {
    const { moments, panel, board, below } = this;
    if (this.asks) return this.asked.has(name);
    if (!moments.hiding || !below.has(name)) return false;
    if (name === panel.array) return moments.hides(index, this.focus, panel.rows);
    return cellsRead(board.model.rules[name], index).some(({ array, at }) => this.hides(array, at));
  }

  // The explained cell: pointing at another one does not uncover it.
  get focus() {
    const { pins, slices, step: { guess } } = this.board;
    const cell = this.board.has(guess.cell) ? guess.cell : pins.cell;
    return cell?.array === this.panel.array ? cell.index : slices[this.panel.array];
  }

  /** Uncover a cell of the result, if it is covered. */
  ask({ array, index }) {
    if (array === this.panel?.array && this.hides(array, index)) this.moments.ask(index);
  }

  /** Uncover the cell that a question asked for, once it is answered; gives whether it was covered. */
  answer() {
    return this.moments.moment === 0 && this.moments.step(1);
  }
}

// The arrays that a question covers: all, those of a layer but its inputs, or the result of a step and all that is computed from it.
function askedFor(model, covers) {
  const { panels, flow, arrays } = model;
  if (covers === "nothing") return new Set();
  if (covers === "numbers") return new Set(Object.keys(arrays));
  if (flow) return new Set(panels.map(({ array }) => array).filter((name) => name !== panels[0].array));
  const ribbons = panels.filter(({ role }) => role === "ribbon").map(({ array }) => array); // the same numbers in memory
  return new Set([...followers(model, panels.find(({ role }) => role === "result")?.array), ...ribbons]);
}

// Whether the bar shows the answer to the question of a moment.
function isAnswered(moment) {
  const asked = document.querySelector(".lesson-question.answered");
  return asked?.dataset.moment === moment;
}

// The names of an array and of all that are computed from it; none for no array.
function followers({ readers }, name) {
  const covered = new Set(name ? [name] : []);
  for (const one of covered) for (const { result } of readers[one] ?? []) covered.add(result); // a set goes on to what is added
  return covered;
}

const LAST_MOMENT = 3;

/**
 * The visible part of a result. A covered one has four moments: 0 nothing of it, 1 the explained cell, 2 its row, 3 all.
 * One that is not covered has one moment.
 *
 * Cells and rows of a covered result can be uncovered. changed is called when other cells are visible.
 */
export class Moments {
  constructor(changed) {
    Object.assign(this, { changed, moment: 0, covered: false, about: "", cells: new Set(), rows: new Set() });
  }

  /** Cover the result, or uncover it. about: what it is covered for, such as a moment of a lesson; another one covers it anew. */
  cover(covered, about = "") {
    if (covered === this.covered && about === this.about) return;
    Object.assign(this, { covered, about });
    this.go(0);
  }

  /** Go forward or back; gives whether there was such a moment. */
  step(by) {
    const next = this.moment + by;
    if (!this.covered || next < 0 || next > LAST_MOMENT) return false;
    this.go(next);
    return true;
  }

  // Forward, cells and rows that were asked for stay in sight.
  go(moment) {
    if (moment <= this.moment) for (const asked of [this.cells, this.rows]) asked.clear();
    this.moment = moment;
    this.changed();
  }

  /** Show all of a covered result, or cover it again. */
  turnOver() {
    this.go(this.hiding ? LAST_MOMENT : 0);
  }

  /** Whether any part of the result is covered. */
  get hiding() {
    return this.covered && this.moment < LAST_MOMENT;
  }

  /** Uncover a cell of the result, or a whole row; gives whether it was covered. */
  ask(index, row = null) {
    if (!this.hiding) return false;
    if (row === null) this.cells.add(index.join());
    else this.rows.add(row);
    this.changed();
    return true;
  }

  /** Whether a cell of the result is covered. focus: the index of the explained cell; axis: that of the rows, or null. */
  hides(index, focus, axis) {
    if (!this.hiding || this.cells.has(index.join()) || this.rows.has(index[axis])) return false;
    if (this.moment === 1) return !index.every((place, i) => place === focus?.[i]);
    if (this.moment === 2) return axis !== null && index[axis] !== focus?.[axis];
    return true;
  }
}

/** Lay a button over the label of each covered row, which uncovers that row. All are one stop of the Tab key; arrows move. */
export function fillAsks(root, { model, boxes, slices }, { moments, asks }) {
  const box = boxes.find(({ panel, small }) => panel.role === "result" && !small);
  const isAsked = box && !asks && moments.hiding && box.panel.rows !== null && box.left;
  const rows = isAsked ? Array.from({ length: box.rows.count }, (_, i) => box.rows.start + i).filter((row) => !moments.rows.has(row)) : [];
  const had = root.contains(root.getRootNode().activeElement) ? Number(root.getRootNode().activeElement.dataset.row) : null;
  root.replaceChildren(...rows.map((row) => askFor(row, box, nameAt(model, box.array, box.panel.rows, row, slices[box.panel.array]), moments)));
  root.onkeydown = (event) => moveAlong([...root.children], event, { ArrowUp: -1, ArrowDown: 1 }[event.key]);
  const first = [...root.children].find(({ dataset }) => had !== null && Number(dataset.row) >= had) ?? root.firstElementChild;
  if (first) first.tabIndex = 0;
  if (had !== null) first?.focus({ preventScroll: true });
}

/** Lay a question mark over each matrix that a question covers; its sizes may be the answer, too. */
export function fillCovered(root, { boxes, parts }, { asks, asked }) {
  const covered = asks ? boxes.filter(({ panel }) => asked.has(panel.array)) : [];
  const hidden = new Set(covered.map(({ panel }) => panel.id));
  for (const panel of parts.panels.children) panel.toggleAttribute("data-covered", hidden.has(panel.dataset.panel));
  root.replaceChildren(...covered.map(({ x, y, bodyWidth, bodyHeight }) => {
    const made = element("span", "soft over", "?");
    put(made, { x, y, width: bodyWidth, height: bodyHeight });
    return made;
  }));
}

function askFor(row, { x, y, left, rows, cell }, { text, word }, moments) {
  const made = button("ask", "", `Show row ${row}${word ? ` ${text}` : ""}`, () => moments.ask(null, row));
  made.tabIndex = -1;
  made.dataset.row = row;
  put(made, { x: x - left, y: y + (row - rows.start) * cell.height, width: left - 2, height: cell.height });
  return made;
}
