import { paintAround } from "./around.js";
import { columnsOf, isStacked, paintStacked } from "./bars.js";
import { MIDDLE, onPlane, planeOf, writeWords } from "./paper.js";

// Room around a number in its cell, the width of a sign as a part of its height, and the least height that can be read,
// as a part of the height that the chart would like.
const ROOM = 3;
const BREADTH = 0.53;
const LEAST = 2 / 3;

/**
 * The traces of a figure without what is faster drawn here: stacked bars, texts in cells and at points, and the lines
 * between cells. Of cells that touch plotly.js makes a picture of one pixel each, else one as large as on the screen.
 */
export function forPlotly({ data, layout }, board) {
  if (isStacked(layout)) return [columnsOf(data, board)];
  return data.map((trace) => {
    if (isWritten(trace)) return { ...trace, visible: false };
    const plain = trace.xgap ? { ...trace, xgap: 0, ygap: 0 } : trace;
    return isLettered(trace) ? { ...plain, text: undefined, texttemplate: "" } : plain;
  });
}

/** The traces of a figure with the texts in their cells as they are now on the screen, for a picture of it. */
export function withTexts(host, data, board) {
  const letters = lettersFor(tilesOf(host, data, board), board);
  const texttemplate = letters ? `%{z:.${letters.digits}f}` : "";
  const textfont = { size: letters?.size };
  return data.map((trace) => (isLettered(trace) && !trace.text ? { ...trace, texttemplate, textfont } : trace));
}

/**
 * Whenever the chart is drawn, write into its cells: numbers in one size on all tiles, or the trace's own signs; and
 * at the points of traces that are nothing but texts. Draw what stands around cells, and stacked bars.
 *
 * figure(): what is drawn. board: the functions by which the board writes its numbers. Cells too narrow for two
 * decimals get one, and those too narrow for that nothing, until one zooms in. Gives back how to stop.
 */
export function attachTexts(host, figure, board) {
  const paper = document.createElement("canvas");
  paper.className = "cell-texts";
  const write = () => {
    const { data, layout } = figure();
    const [tiles, written] = [tilesOf(host, data, board), data.filter(isWritten)];
    const stacked = isStacked(layout);
    if (!tiles.length && !written.length && !stacked) {
      paper.remove();
      return;
    }
    const { width, height } = host._fullLayout;
    host.querySelector(".gl-container").append(paper); // above the cells, below what shows when one points at them
    const context = board.sizeCanvas(paper, width, height);
    context.clearRect(0, 0, width, height);
    const letters = lettersFor(tiles, board);
    const draw = (tile, act) => onPlane(context, tile.plane, () => act(context, tile, layout, board, letters));
    for (const tile of tiles) if (tile.trace.xgap) draw(tile, paintGaps);
    paintAround(context, host, layout, board);
    for (const tile of tiles) if (tile.trace.text || letters) draw(tile, writeTile);
    if (stacked) paintStacked(context, host, data, layout, board);
    for (const trace of written) writePoints(context, trace, host, layout, board);
  };
  for (const event of ["plotly_afterplot", "plotly_relayouting"]) host.on(event, write);
  document.fonts.addEventListener("loadingdone", write);
  write();
  return () => document.fonts.removeEventListener("loadingdone", write);
}

function isLettered({ type, textfont }) {
  return type === "heatmap" && Boolean(textfont);
}

function isWritten({ type, mode }) {
  return type === "scatter" && mode === "text";
}

function tilesOf(host, data, { floatsOf }) {
  return data.filter(isLettered).map((trace) => {
    const plane = planeOf(host, trace);
    const [width, height] = [plane.xaxis, plane.yaxis].map((axis) => Math.abs(axis.l2p(1) - axis.l2p(0)));
    const [rows, columns] = trace.z.shape.split(",").map(Number);
    return { trace, plane, rows, columns, width, height, values: () => floatsOf(trace.z.bdata) };
  });
}

// One size and one number of decimals for the numbers of all tiles, such that the longest fits.
function lettersFor(tiles, { cellNumber }) {
  const numbered = tiles.filter(({ trace }) => !trace.text);
  const least = (side) => Math.min(...numbered.map((tile) => tile[side]));
  const liked = Math.min(...numbered.map(({ trace }) => trace.textfont.size));
  const sizeOf = (signs) => Math.min(liked, 0.8 * least("height"), (least("width") - ROOM) / (BREADTH * signs));
  if (!numbered.length || sizeOf("0.0".length) < LEAST * liked) return null;
  for (const digits of [2, 1]) {
    const lengths = numbered.flatMap(({ values }) => Array.from(values(), (value) => textOf(value, digits, cellNumber).length));
    const size = sizeOf(lengths.reduce((longest, length) => Math.max(longest, length), 1));
    if (size >= LEAST * liked) return { digits, size: Math.floor(2 * size) / 2 };
  }
  return null;
}

function textOf(value, digits, cellNumber) {
  return Number.isFinite(value) ? cellNumber(value, digits) : "";
}

// The lines between cells, in the colour of the page.
function paintGaps(context, { trace, rows, columns, plane: { xaxis, yaxis } }, { hoverlabel }) {
  const { xgap: gap } = trace;
  context.fillStyle = hoverlabel.bgcolor;
  for (const [, x] of placesOf(xaxis, columns - 1, 0.5)) context.fillRect(Math.round(x - gap / 2), yaxis._offset, gap, yaxis._length);
  for (const [, y] of placesOf(yaxis, rows - 1, 0.5)) context.fillRect(xaxis._offset, Math.round(y - gap / 2), xaxis._length, gap);
}

// Write the texts of the cells that are in view.
function writeTile(context, { trace, rows, columns, plane: { xaxis, yaxis }, values }, layout, board, letters) {
  const size = trace.text ? trace.textfont.size : letters.size;
  const inkOf = trace.textfont.color ? () => trace.textfont.color : inksOf(trace, layout, board);
  context.textAlign = "center";
  context.font = `${size}px ${layout.font.family}`;
  const numbers = values();
  for (const [row, y] of placesOf(yaxis, rows)) {
    for (const [column, x] of placesOf(xaxis, columns)) {
      const value = numbers[row * columns + column];
      context.fillStyle = inkOf(value);
      context.fillText(trace.text ? trace.text[row][column] : textOf(value, letters.digits, board.cellNumber), x, y + MIDDLE * size);
    }
  }
}

// Write the texts of a trace at its points, to the left of them or to the right.
function writePoints(context, trace, host, layout, { floatsOf }) {
  const { xaxis, yaxis } = planeOf(host, trace);
  const [xs, ys] = [trace.x, trace.y].map((places) => (places.bdata ? floatsOf(places.bdata) : places));
  const { size } = trace.textfont;
  context.textAlign = trace.textposition.endsWith("left") ? "right" : "left";
  context.fillStyle = trace.textfont.color ?? layout.font.color;
  for (const [i, text] of trace.text.entries()) {
    writeWords(context, text, size, layout.font.family, xaxis._offset + xaxis.l2p(xs[i]), yaxis._offset + yaxis.l2p(ys[i]) + MIDDLE * size);
  }
}

// The cells of an axis whose middle, or what lies so far beyond it, is in view, each with its place on the chart.
function placesOf(axis, count, beyond = 0) {
  const places = Array.from({ length: count }, (_, i) => [i, axis.l2p(i + beyond)]);
  return places.filter(([, place]) => place > 0 && place < axis._length).map(([i, place]) => [i, axis._offset + place]);
}

// The ink on the colour that a trace gives to a number.
function inksOf(trace, layout, { inkOn, shadeOf, shadesOf }) {
  const { cmin, cmax, colorscale } = trace.coloraxis
    ? layout[trace.coloraxis]
    : { cmin: trace.zmin, cmax: trace.zmax, colorscale: trace.colorscale };
  const shades = shadesOf(colorscale);
  return (value) => {
    const at = 3 * shadeOf(value, cmax, cmin === 0);
    return inkOn([...shades.slice(at, at + 3)]);
  };
}
