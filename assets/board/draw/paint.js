// The cells of a panel with their colours, numbers and marks.
import { paintChips } from "./chips.js";
import { faded, shadeOf } from "./colours.js";
import { fillBetween, fillBox } from "./elements.js";
import { indexIn } from "../place/geometry.js";
import { paintLabels } from "./lettering.js";
import { cellNumber, formed, longestTexts, percent, typeFor } from "../scene/numbers.js";
import { blockOf, hasMark, limitAt } from "../scene/scene.js";

const BAR_ROOM = 0.62; // of the width of a cell, for a share of 1
const PALE = 0.3; // the opacity of cells that were computed earlier

/** Draw one panel: its cells, numbers, marks and labels. look.blank(box, index) says which cells are not computed yet. */
export function paintPanel(context, box, look) {
  if (box.panel.chips) return paintChips(context, box, look);
  const sheets = box.tiles.map((tile) => sheetOf(box, tile, look));
  const large = box.panel.bars || (box.cell.width >= 16 && box.cell.height >= 12);
  if (!large && sheets.length) paintAsImages(context, sheets, look.palette);
  for (const sheet of sheets) paintTile(context, sheet, look, large);
  paintLabels(context, box, look);
}

function paintTile(context, sheet, look, large) {
  const { box, tile } = sheet;
  const shape = box.panel.bars ? paintBar : paintCellShape;
  if (large) eachCell(sheet, (cell) => shape(context, sheet, cell, look.palette));
  if (sheet.special) paintMarks(context, sheet, cellsOf(sheet), look.palette);
  paintBlocks(context, box, look.model, tile, look.palette);
  if (box.small) frame(context, sheet, look.palette.line);
  if (box.cell.digits >= 0) paintNumbers(context, sheet, look);
  else if (look.printed) paintSignsOf(context, sheet);
}

// The drawing of one tile: numbers, colours, and whether any cell needs more than a colour.
function sheetOf(box, tile, look) {
  const { array, panel, rows, columns, cell } = box;
  const slice = look.slices[array.name];
  const first = indexIn(box, slice, tile.place, rows.start, columns.start);
  const values = blockOf(look.model, array.name, first, { axis: panel.rows, ...rows }, { axis: panel.columns, ...columns });
  const scale = look.palette.scales[array.kind] ?? look.palette.scales.feature;
  const special = Boolean(look.blank || array.changed || array.hatched || panel.mark) || values.some((value) => !Number.isFinite(value));
  const indexAt = (row, column) => indexIn(box, slice, tile.place, rows.start + row, columns.start + column);
  const hatched = ({ value, row, column }) => value === -Infinity || (array.hatched && hasMark(array, "hatched", indexAt(row, column)));
  const varies = array.limit?.axis !== undefined && [panel.rows, panel.columns].includes(array.limit.axis);
  const limit = limitAt(array, first);
  const sequential = array.kind === "probability";
  const shade = ({ value, row, column }) => shadeOf(value, varies ? limitAt(array, indexAt(row, column)) : limit, sequential);
  const blank = look.blank ? (row, column) => look.blank(box, indexAt(row, column)) : () => false;
  const pale = ({ row, column }) => array.pale !== null && hasMark(array, "pale", indexAt(row, column));
  return { box, tile, values, scale, sequential, special, indexAt, shade, blank, hatched, pale, width: cell.width, height: cell.height };
}

function eachCell({ box: { rows, columns }, tile, values, width, height }, draw) {
  for (let row = 0, i = 0; row < rows.count; row += 1) {
    for (let column = 0; column < columns.count; column += 1, i += 1) {
      draw({ row, column, i, value: values[i], x: tile.x + column * width, y: tile.y + row * height });
    }
  }
}

function cellsOf(sheet) {
  const cells = [];
  eachCell(sheet, (cell) => cells.push(cell));
  return cells;
}

function paintCellShape(context, { scale, shade, blank, pale, width, height }, cell) {
  if (!Number.isFinite(cell.value) || blank(cell.row, cell.column)) return;
  const colour = scale.css[shade(cell)];
  fillBox(context, { ...cell, width, height }, pale(cell) ? faded(colour, PALE) : colour, 2.5, -0.5);
}

// A share as a bar, with room for its number at the right.
function paintBar(context, { scale, blank, pale, width, height }, cell, palette) {
  if (!Number.isFinite(cell.value) || blank(cell.row, cell.column)) return;
  const full = width * BAR_ROOM;
  for (const [colour, wide] of [[palette.line, full], [pale(cell) ? faded(scale.css.at(-1), PALE) : scale.css.at(-1), Math.max(2, full * cell.value)]]) {
    fillBox(context, { x: cell.x + 2, y: cell.y + height * 0.2, width: wide, height: height * 0.6 }, colour, 2.5);
  }
}

// Small cells are drawn as one picture with a pixel for each, enlarged, with lines in the colour of the background between them.
function paintAsImages(context, sheets, palette) {
  const { box, width, height } = sheets[0];
  const [rows, columns] = [box.rows.count, box.columns.count];
  const picture = new ImageData(columns, rows * sheets.length);
  sheets.forEach((sheet, place) => paintPixels(picture.data.subarray(4 * place * rows * columns), sheet));
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [picture.width, picture.height];
  canvas.getContext("2d").putImageData(picture, 0, 0);
  context.imageSmoothingEnabled = false;
  sheets.forEach(({ tile }, place) => {
    context.drawImage(canvas, 0, place * rows, columns, rows, tile.x, tile.y, columns * width, rows * height);
  });
  if (Math.min(width, height) < 6 || box.small) return;
  context.fillStyle = palette.background;
  for (const { tile } of sheets) {
    for (let i = 1; i < columns; i += 1) context.fillRect(tile.x + i * width - 0.5, tile.y, 1, rows * height);
    for (let i = 1; i < rows; i += 1) context.fillRect(tile.x, tile.y + i * height - 0.5, columns * width, 1);
  }
}

function paintPixels(pixels, sheet) {
  eachCell(sheet, (cell) => {
    if (!Number.isFinite(cell.value) || sheet.blank(cell.row, cell.column)) return;
    const at = 3 * sheet.shade(cell);
    for (let part = 0; part < 3; part += 1) pixels[4 * cell.i + part] = sheet.scale.shades[at + part];
    pixels[4 * cell.i + 3] = sheet.pale(cell) ? 255 * PALE : 255;
  });
}

// Paper may be grey: there a stroke marks a negative cell without a number, unless its colour is very pale.
function paintSignsOf(context, sheet) {
  if (sheet.sequential) return;
  context.lineWidth = Math.max(0.6, Math.min(1.5, sheet.height / 8));
  eachCell(sheet, (cell) => {
    const shade = sheet.shade(cell);
    if (!(cell.value < 0) || shade > 110 || sheet.blank(cell.row, cell.column)) return;
    context.strokeStyle = sheet.scale.inks[shade];
    context.beginPath();
    context.moveTo(cell.x + sheet.width * 0.25, cell.y + sheet.height / 2);
    context.lineTo(cell.x + sheet.width * 0.75, cell.y + sheet.height / 2);
    context.stroke();
  });
}

function paintBlocks(context, box, model, tile, palette) {
  const { rows, columns, cell, panel, array } = box;
  const [width, height] = [columns.count * cell.width, rows.count * cell.height];
  const [thick, over] = box.small ? [1, 0] : [Math.min(2, Math.max(0.75, Math.min(cell.width, cell.height) / 4)), 2]; // a line hides no column
  context.fillStyle = palette.muted;
  for (const at of blockEdges(model, array, panel.columns, columns, cell.width)) {
    context.fillRect(tile.x + at * cell.width - thick / 2, tile.y - over, thick, height + 2 * over);
  }
  for (const at of blockEdges(model, array, panel.rows, rows, cell.height)) {
    context.fillRect(tile.x - over, tile.y + at * cell.height - thick / 2, width + 2 * over, thick);
  }
}

const LEAST_BLOCK = 6; // px, of which a line leaves enough in sight

/** The places where a block of an axis ends; none if its blocks are so small that lines would hide them. size: of a cell. */
export function blockEdges(model, array, axis, { start, count }, size) {
  const block = axis === null ? null : model.axes[array.axes[axis]]?.block;
  if (!block || block * size < LEAST_BLOCK) return [];
  return Array.from({ length: count - 1 }, (_, i) => i + 1).filter((place) => (start + place) % block === 0);
}

function frame(context, { box: { rows, columns }, tile, width, height }, colour) {
  Object.assign(context, { strokeStyle: colour, lineWidth: 1 });
  context.strokeRect(tile.x - 1.5, tile.y - 1.5, columns.count * width + 3, rows.count * height + 3);
}

function paintNumbers(context, sheet, { model, palette, zoom, font }) {
  const { box, scale, shade, width, height } = sheet;
  const { size, texts: numbers } = lettersFor(context, sheet, zoom, font, model.stage);
  box.letters = size;
  if (!size) return;
  Object.assign(context, { font: `${size}px ${font}`, textAlign: "center", textBaseline: "middle" });
  const texts = (box.panel.bars && sharesBeside(context, sheet)) || numbers;
  eachCell(sheet, (cell) => {
    if (Number.isNaN(cell.value) || sheet.blank(cell.row, cell.column)) return;
    const known = !sheet.hatched(cell);
    const text = known ? texts[cell.i] : cellNumber(cell.value, 0);
    if (context.measureText(text).width > width - 1) return;
    const [x, y] = [cell.x + width / 2, cell.y + height / 2];
    if (!known) fillBox(context, { x: x - size * 0.95, y: y - size * 0.62, width: size * 1.9, height: size * 1.24 }, palette.hidden, 3);
    const wasted = box.panel.mark === "diagonal" && !onDiagonal(sheet, cell);
    context.fillStyle = !known || box.panel.bars || sheet.pale(cell) ? palette.text : wasted ? palette.muted : scale.inks[shade(cell)];
    context.fillText(text, cell.x + width * (box.panel.bars ? (1 + BAR_ROOM) / 2 : 0.5), cell.y + height / 2 + 0.5);
  });
}

// The shares of bars in percent if all of them have room beside their bars, else null: one column has one kind of number.
function sharesBeside(context, { values, width }) {
  const shares = Array.from(values, percent);
  return shares.every((share) => context.measureText(share).width < (1 - BAR_ROOM) * width - 4) ? shares : null;
}

const LARGE_SHARE = { plain: 0.82, lecture: 0.95 }; // of the largest type that fits the height of a cell

/** The numbers of a matrix as texts in one size, with the decimals that they need: {size, texts}; no texts if these have no room. */
export function lettersFor(context, { values, width, height }, zoom, font, staged = null) {
  const { most, least, room } = typeFor({ width, height }, zoom, Boolean(staged));
  context.font = `${most}px ${font}`;
  for (const { form, longest } of longestTexts(values)) {
    const size = Math.min(most, ...longest.map((text) => (most * room) / context.measureText(text).width));
    // On a stage larger type is better than the zero before the point, and than a third decimal.
    if (size >= (staged && (!form.brief || form.digits > 2) ? Math.max(least, LARGE_SHARE[staged.lecture ? "lecture" : "plain"] * most) : least)) return { size, texts: Array.from(values, (value) => formed(value, form)) };
  }
  return { size: 0, texts: [] };
}

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
  const changed = drawn.filter(({ row, column }) => hasMark(box.array, "changed", sheet.indexAt(row, column)));
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
  Object.assign(context, { strokeStyle: ink, lineWidth: width < 12 ? 0.7 : 1 });
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
  Object.assign(context, { strokeStyle: colour, lineWidth: thick });
  context.beginPath();
  for (const { x, y } of cells) context.rect(x + inset, y + inset, width - 2 * inset, height - 2 * inset);
  context.stroke();
}

function fillCorners(context, cells, { width, height }, colour) {
  const side = Math.max(3, Math.min(8, width / 3, height / 2));
  for (const { x, y } of cells) {
    const [right, top] = [x + width - 0.5, y + 0.5];
    fillBetween(context, [[right - side, top], [right, top], [right, top + side]], colour);
  }
}
