// Where the arithmetic stands while the page is scrolled, and the number beside a small cell.
import { areaOf, areasOf } from "../place/geometry.js";
import { number, shorten } from "../scene/numbers.js";
import { valueAt } from "../scene/scene.js";
import { coordinatesOf } from "../words/wording.js";

const LEAST_SEEN = 160; // px of a board above its dock
const BELOW_DOCK = 8; // px

/**
 * Keep the arithmetic of a board in sight while enough of the board is, and the current cell is not behind it.
 *
 * Else it stands at the foot of its board, where it would be without scrolling. A step has its own place for it.
 */
export class Dock {
  constructor(board) {
    Object.assign(this, { board, asked: 0 });
    this.place = () => {
      cancelAnimationFrame(this.asked);
      this.asked = requestAnimationFrame(() => this.settle());
    };
    const { signal } = board.gone;
    window.addEventListener("scroll", this.place, { signal, capture: true, passive: true }); // of any part of the page
    window.addEventListener("resize", this.place, { signal });
    signal.addEventListener("abort", () => cancelAnimationFrame(this.asked));
  }

  settle() {
    const { parts: { section, dock }, model, size } = this.board;
    if (model) section.classList.toggle("below", !model.stage && !size && this.isInTheWay(section.getBoundingClientRect(), dock.offsetHeight));
  }

  isInTheWay({ top, bottom }, height) {
    if (bottom <= window.innerHeight) return false;
    const end = window.innerHeight - BELOW_DOCK - height;
    return end - top < LEAST_SEEN || this.ofCell().some(({ low, high }) => high > end && low < window.innerHeight);
  }

  // Where on the screen the current cell is, in every panel that draws it.
  ofCell() {
    const cell = this.board.current();
    const { top } = this.board.parts.stage.getBoundingClientRect();
    const areas = cell ? areasOf(this.board, cell.array, cell.index) : [];
    return areas.map(({ y, height }) => ({ low: top + y, high: top + y + height }));
  }
}

const LONGEST = 14; // characters
const TIP_GAP = 8; // px between a cell and its number

/** Write the number of the cell that is pointed at beside it, where cells have no room for numbers; else hide the tip. */
export function showTip(tip, board) {
  const { model, hovered, boxes, size } = board;
  const box = hovered && boxes.find(({ panel }) => panel.array === hovered.array);
  const area = model.flow && box && box.cell.digits < 0 ? areaOf(board, hovered) : null;
  tip.hidden = !area;
  if (!area) return;
  const { axes } = model.arrays[hovered.array];
  const drawn = [box.panel.rows, box.panel.columns].map((axis) => model.axes[axes[axis]]?.word);
  const names = coordinatesOf(model, hovered).filter(({ word }) => drawn.includes(word)).map(({ label, place }) => (label === null ? place : shorten(label, LONGEST)));
  tip.textContent = `${names.join(" → ")}: ${number(valueAt(model, hovered.array, hovered.index))}`;
  const left = area.x + area.width / 2 > (size?.width ?? Infinity) - 140;
  Object.assign(tip.style, { left: `${left ? area.x - TIP_GAP : area.x + area.width + TIP_GAP}px`, top: `${area.y + area.height / 2}px` });
  tip.classList.toggle("before", left);
}
