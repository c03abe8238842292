import { button } from "../draw/elements.js";
import { drawnCells } from "../place/geometry.js";
import { Moments } from "./moments.js";
import { cellsRead } from "../scene/rules.js";

const ABOUT = "Cover the result until a cell or a row is asked for";

/** The cover of a step's result: which cells it hides, and in which order a lecture uncovers them. */
export class Cover {
  constructor(board) {
    Object.assign(this, { board, moments: new Moments(() => board.width && board.refresh(true)), button: null, below: new Set() });
  }

  /** Cover the result of a scene, as its stage says. choose: sends a choice to the server, if there is one. */
  adopt(model, choose) {
    const { stage, flow, panels } = model;
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

// The names of an array and of all that are computed from it; none for no array.
function followers({ readers }, name) {
  const found = new Set(name ? [name] : []);
  for (const one of found) for (const { result } of readers[one] ?? []) found.add(result); // a set goes on to what is added
  return found;
}
