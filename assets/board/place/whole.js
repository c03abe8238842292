// A whole model in one picture: words as columns, layers as rows upwards, and on top what comes next.
import { panelSize } from "./sizes.js";

const CELL = { words: 17, most: 116, least: 46, high: 108, low: 46 }; // at a time, with the start of the text; px, a column, and a row with the arcs below it
const CHIP = { share: 0.42, most: 40, least: 24 }; // of a row, and px
const PARTS = 84; // px, the parts of a layer
const NEXT_CELL = { width: 148, height: 26 };
const PLACE_LINE = 34; // px, what is said of a place
const NARROW_PAGE = 640; // px
const ONE_COLUMN = { high: 92, strip: 9 }; // px, on a phone: a row, and one of the strip

/** The least height of a whole model in a window. */
export const leastHeight = ({ arrays }) => CELL.low * arrays.chips.shape[0] + PLACE_LINE + 58;

/** The layout of a whole model in a window, as `fitStage` gives it. Of many words those are shown that have room. */
export function fitWhole(model, space) {
  const { width, height, top, bottom } = space;
  const area = height - top - bottom - PLACE_LINE - 6;
  const rows = model.arrays.chips.shape[0];
  const high = Math.min(CELL.high * zoomOf(model), Math.floor(area / rows));
  if (high < CELL.low) return null;
  const left = (PARTS + 12) * zoomOf(model) + labelWidth(model, space);
  const boxes = boxesOf(model, space, { left, top: top + 2, high, columns: Math.min(CELL.words, Math.floor((width - left) / (CELL.least * zoomOf(model)))) });
  const arithmetic = { x: 0, y: top + high * rows + 4, width, height: PLACE_LINE };
  return { boxes, signs: [], zoom: zoomOf(model), form: "line", words: { x: 0, y: 0, width, height: 0 }, arithmetic, cell: boxes.at(-1).cell };
}

const zoomOf = ({ zoom = 1 }) => Math.min(zoom, 1.2);

function labelWidth({ axes }, { measure }) {
  return Math.max(...axes.layer.labels.map((text) => measure(text, 12))) + 18;
}

function boxesOf(model, space, { left, top, high, columns }) {
  const zoom = zoomOf(model);
  const panel = (id) => model.panels.find((one) => one.id === id);
  const sized = (one, width, height) => panelSize(model, { ...space, zoom, staged: true, caps: { columns } }, one, { width, height, digits: -1 }, []);
  const { count } = sized(panel("chips"), 1, 1).columns;
  const wide = Math.min(CELL.most * zoom, Math.floor((space.width - left) / count));
  const chip = Math.max(CHIP.least, Math.min(CHIP.most * zoom, CHIP.share * high));
  const chips = at(sized(panel("chips"), wide, high), left, top, { gap: high - chip });
  const parts = panel("parts") && at(sized(panel("parts"), PARTS * zoom, (high * (model.arrays.chips.shape[0] - 1)) / model.arrays.parts.shape[0]), 0, top + high - chip / 2);
  return [...nextOf(model, sized, chips, space.width), ...(parts ? [parts] : []), chips];
}

// What comes next stands on top, above the last words; of few words it begins above the first one.
function nextOf(model, sized, chips, width) {
  const next = model.panels.find(({ id }) => id === "next");
  if (!next) return [];
  const count = model.arrays.next.shape[1];
  const wide = Math.min(NEXT_CELL.width, Math.floor((0.8 * (width - chips.x)) / count));
  return [at(sized(next, wide, NEXT_CELL.height), chips.x + Math.max(0, chips.bodyWidth - wide * count), chips.y + Math.max(0, chips.gap - NEXT_CELL.height - 6), { named: next.title })];
}

function at(size, x, y, more = {}) {
  const tiles = size.tiles.map((tile) => ({ ...tile, x: x + tile.dx, y: y + tile.dy }));
  return { ...size, ...more, x, y, left: 0, labelTop: 0, top: 0, untitled: true, titleX: x, titleY: y, titleWidth: size.bodyWidth, tiles };
}

/** The layout of a whole model in a width. On a narrow page one word at a time, and all words as a strip above it. */
export function stackWhole(model, space) {
  if (space.width >= NARROW_PAGE) {
    const high = ONE_COLUMN.high * model.arrays.chips.shape[0];
    return { ...fitWhole(model, { ...space, height: high + PLACE_LINE + 6, top: 0, bottom: 0 }), width: space.width, height: high };
  }
  const strip = model.panels.find(({ id }) => id === "strip");
  const [words, rows] = [model.arrays.chips.shape[1], model.arrays.chips.shape[0]];
  const size = panelSize(model, { ...space, staged: true }, strip, { width: (space.width - 4) / words, height: ONE_COLUMN.strip, digits: -1 }, []);
  const above = at(size, 2, 2);
  const top = above.bodyHeight + 12;
  const left = PARTS + labelWidth(model, space);
  const boxes = boxesOf(model, space, { left, top, high: ONE_COLUMN.high, columns: 1 });
  const chips = boxes.at(-1);
  const wide = space.width - left - 2;
  const alone = at({ ...chips, cell: { ...chips.cell, width: wide }, bodyWidth: wide, tileWidth: wide }, left, top, { gap: chips.gap });
  return { boxes: [above, ...boxes.filter(({ panel }) => panel.id === "parts"), alone], width: space.width, height: top + rows * ONE_COLUMN.high };
}
