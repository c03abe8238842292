import { areaOf } from "../place/geometry.js";
import { number, shorten } from "../scene/numbers.js";
import { valueAt } from "../scene/scene.js";
import { coordinatesOf } from "../words/wording.js";

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
