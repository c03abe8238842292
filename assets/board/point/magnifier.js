import { sizeCanvas } from "../draw/canvas.js";
import { numbersWithin, paintCloseCell } from "../draw/closeup.js";
import { element } from "../draw/elements.js";
import { cellUnder } from "../place/geometry.js";
import { valueAt } from "../scene/scene.js";

const FINGER = 24; // px; a finger covers smaller cells
const GLASS = { width: 48, height: 28, across: 2, down: 1, away: 44 }; // px of a cell, the number of cells around the lit one, and px above the finger

/** Show the numbers around a small cell above the finger that moves across it. board: see `attachInput`, with picture and step. */
export function attachMagnifier(board, stage) {
  const glass = element("canvas", "glass");
  glass.hidden = true;
  stage.append(glass);
  const hide = () => (glass.hidden = true);
  stage.addEventListener("pointermove", (event) => {
    if (event.pointerType !== "touch" || !event.isPrimary) return;
    const frame = stage.getBoundingClientRect();
    const [x, y] = [event.clientX - frame.left, event.clientY - frame.top];
    const found = cellUnder(board.boxes, board.slices, x, y);
    glass.hidden = !found || found.box.panel.link || Math.min(found.box.cell.width, found.box.cell.height) >= FINGER;
    if (!glass.hidden) paintGlass(glass, board, found, [x, y, frame.width]);
  });
  for (const act of ["pointerup", "pointercancel", "pointerleave"]) stage.addEventListener(act, hide);
}

function paintGlass(glass, { picture, slices, step }, { box, index }, [x, y, room]) {
  const look = picture.look(slices, step.blanks());
  const [wide, high] = [2 * GLASS.across + 1, 2 * GLASS.down + 1];
  const [width, height] = [wide * GLASS.width, high * GLASS.height];
  const context = sizeCanvas(glass, width, height);
  context.fillStyle = look.palette.background;
  context.fillRect(0, 0, width, height);
  context.font = `12px ${look.font}`;
  Object.assign(context, { textAlign: "center", textBaseline: "middle" });
  for (const cell of cellsAround(box, index)) paintCellAt(context, look, box, cell);
  Object.assign(context, { strokeStyle: look.palette.focus, lineWidth: 3 });
  context.strokeRect(GLASS.across * GLASS.width, GLASS.down * GLASS.height, GLASS.width - 1, GLASS.height - 1);
  const above = y - GLASS.away - height;
  Object.assign(glass.style, { left: `${Math.max(0, Math.min(room - width, x - width / 2))}px`, top: `${above < 0 ? y + GLASS.away : above}px` });
}

// The lit cell and its neighbours in the matrix: {index, x, y}, counted from the corner of the magnifier.
function cellsAround({ panel, array }, index) {
  const cells = [];
  for (let down = -GLASS.down; down <= GLASS.down; down += 1) {
    for (let across = -GLASS.across; across <= GLASS.across; across += 1) {
      const moved = index.map((place, axis) => place + (axis === panel.rows ? down : axis === panel.columns ? across : 0));
      const isOff = (panel.rows === null && down) || (panel.columns === null && across);
      const isIn = moved.every((place, axis) => place >= array.start[axis] && place < array.start[axis] + array.shape[axis]);
      if (!isOff && isIn) cells.push({ index: moved, x: (across + GLASS.across) * GLASS.width, y: (down + GLASS.down) * GLASS.height });
    }
  }
  return cells;
}

function paintCellAt(context, look, box, { index, x, y }) {
  const { array } = box;
  const value = valueAt(look.model, array.name, index);
  const [text] = look.blank?.(box, index) ? [""] : numbersWithin(context, [value], GLASS.width - 4);
  paintCloseCell(context, look, { array, index, value, text }, [x, y, GLASS.width, GLASS.height]);
}
