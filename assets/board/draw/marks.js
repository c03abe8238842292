import { faded } from "./colours.js";
import { isChanged } from "../scene/scene.js";

/** Draw the marks of cells besides their colours: hatching if hidden, frames if marked, changed or not computed yet. */
export function paintMarks(context, sheet, cells, palette) {
  const { box, blank } = sheet;
  const isBlank = ({ row, column }) => blank(row, column);
  const [empty, drawn] = [cells.filter(isBlank), cells.filter((cell) => !isBlank(cell))];
  if (sheet.width > 5) frameAll(context, empty, sheet, 1.5, palette.line, 1);
  hatch(context, drawn.filter(sheet.hatched), sheet, palette.hidden, palette.hatch);
  if (box.panel.mark === "diagonal") {
    hatch(context, drawn.filter((cell) => !onDiagonal(sheet, cell)), sheet, faded(palette.background, 0.5), faded(palette.hatch, 0.5));
    frameAll(context, drawn.filter((cell) => onDiagonal(sheet, cell)), sheet, 1.5, palette.output, 2);
  }
  if (!box.array.changed) return;
  const changed = drawn.filter(({ row, column }) => isChanged(box.array, sheet.indexAt(row, column)));
  frameAll(context, changed, sheet, 1.25, palette.primary, 1.5);
  fillCorners(context, changed, sheet, palette.primary);
}

/** Whether a cell lies on the diagonal of its matrix. */
export function onDiagonal({ box: { rows, columns } }, { row, column }) {
  return rows.start + row === columns.start + column;
}

// All backgrounds are one path, and all strokes one: drawn and clipped one by one, 4,096 cells took 80 ms.
function hatch(context, cells, { width, height }, ground, ink) {
  if (!cells.length) return;
  context.fillStyle = ground;
  context.beginPath();
  for (const { x, y } of cells) context.rect(x + 0.5, y + 0.5, width - 1, height - 1);
  context.fill();
  context.strokeStyle = ink;
  context.lineWidth = width < 12 ? 0.7 : 1;
  context.beginPath();
  const strokes = strokesOf(width - 1, height - 1, Math.max(4, Math.min(7, width / 3)));
  for (const { x, y } of cells) {
    for (const [left, low, right, high] of strokes) {
      context.moveTo(x + 0.5 + left, y + 0.5 + low);
      context.lineTo(x + 0.5 + right, y + 0.5 + high);
    }
  }
  context.stroke();
}

/** The strokes that hatch an area at 45°: [left, low, right, high] of each, clipped at its edges. */
export function strokesOf(width, height, step) {
  const strokes = [];
  for (let at = step / 2 - height; at < width; at += step) {
    const [from, to] = [Math.max(0, -at), Math.min(height, width - at)];
    strokes.push([at + from, height - from, at + to, height - to]);
  }
  return strokes;
}

function frameAll(context, cells, { width, height }, inset, colour, thick) {
  if (!cells.length) return;
  context.strokeStyle = colour;
  context.lineWidth = thick;
  context.beginPath();
  for (const { x, y } of cells) context.rect(x + inset, y + inset, width - 2 * inset, height - 2 * inset);
  context.stroke();
}

function fillCorners(context, cells, { width, height }, colour) {
  const side = Math.max(3, Math.min(8, width / 3, height / 2));
  context.fillStyle = colour;
  context.beginPath();
  for (const { x, y } of cells) {
    context.moveTo(x + width - 0.5 - side, y + 0.5);
    context.lineTo(x + width - 0.5, y + 0.5);
    context.lineTo(x + width - 0.5, y + 0.5 + side);
  }
  context.fill();
}
