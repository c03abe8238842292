// The heads of a model in a window: a line of small matrices for each layer, its name at the left.
import { heightOfLine } from "./fit.js";
import { panelSize } from "./sizes.js";

const LINE_HEIGHTS = [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2.5, 2]; // px of a cell; smaller ones are not read, and the board is scrolled
const WIDE = 2; // a cell, at most, as a part of its height: captions need width
const LINE_TITLE = { type: 12.5, gap: 16 }; // px
const LINE_GAP = 6; // px between lines
const LINE_EDGE = 4;
const BELOW = 12; // px, above the arithmetic

/** Whether a board is nothing but lines of small matrices. */
export const areLines = ({ panels }) => panels.every(({ size, tiles, arrange }) => size === "small" && tiles !== null && arrange === "across");

/** The layout of lines in a window, as `fitStage` gives it; null if their cells would be too small to read. space: see `fitStage`. */
export function fitLines(model, space) {
  const { width, top, measure } = space;
  const left = LINE_EDGE + LINE_TITLE.gap + Math.max(...model.panels.map(({ title }) => measure(title, LINE_TITLE.type, true)));
  const low = space.height - space.bottom - heightOfLine(space) - BELOW;
  const within = (tile) => ({ ...space, zoom: 1, staged: true, tile, width: width - left });
  const linesOf = (tile) => below(model.panels.map((panel) => panelSize(model, within(tile), panel, tile, [])), left, top);
  const wide = (boxes) => Math.max(...boxes.map((box) => box.x + box.bodyWidth + LINE_EDGE));
  for (const height of LINE_HEIGHTS) {
    const found = [WIDE, 1.5, 1].map((times) => linesOf({ width: Math.floor(2 * times * height) / 2, height, digits: -1 }));
    const boxes = found.find((one) => wide(one) <= width);
    const last = boxes?.at(-1);
    if (!last || last.y + last.bodyHeight > low) continue;
    const arithmetic = { x: 0, y: last.y + last.bodyHeight + BELOW, width, height: heightOfLine(space) };
    return { boxes, signs: [], zoom: 1, form: "line", words: { x: 0, y: top, width, height: 0 }, arithmetic, cell: last.cell };
  }
  return null;
}

function below(sizes, x, top) {
  let at = top;
  return sizes.map((size) => {
    const y = at + size.caption;
    at = y + size.bodyHeight + LINE_GAP;
    const tiles = size.tiles.map((tile) => ({ ...tile, x: x + tile.dx, y: y + tile.dy }));
    return { ...size, x, y, left: x - LINE_EDGE, top: size.caption, tiles, titleX: LINE_EDGE, titleY: y, titleWidth: x - LINE_EDGE - LINE_TITLE.gap };
  });
}
