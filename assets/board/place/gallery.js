// All matrices at once, however small.
import { cellsAlong, placeLine } from "./layout.js";

const WIDEST = 46; // px
const HIGHEST = 28;
const TINIEST = 1;
const HEIGHT = { numbered: 600, least: 380, most: 1000 }; // px, of all rows together; without numbers at least one window's
const AROUND = 325; // px of a window, for what stands above and below the rows: a lesson, titles, captions, the sum
const PHONE = 480; // px; narrower windows are scrolled anyway
const NUMBERED = { width: 24, height: 16 }; // px, the room for a number
const ABREAST = 700; // px; in narrower windows up to three matrices of different kinds stand in a row
const MAX_PER_ROW = 8;
const TRIES = 12;

/**
 * The layout of a gallery: {width, height, cell, boxes}; space: {width, zoom, measure, starts, window}.
 *
 * window: the height in which all rows are seen at once, where they have no numbers. All matrices are shown, however small; the number in a row is the one with the largest cells.
 */
export function layOutGallery(model, space) {
  const counts = model.panels.map((panel) => tilesShown(model, panel));
  const most = Math.min(MAX_PER_ROW, Math.max(...counts));
  const ways = model.panels.length > 1 && space.width < ABREAST ? [0, 1, 2, 3] : [0];
  const plans = ways.flatMap((abreast) => Array.from({ length: most }, (_, i) => galleryOf(model, { ...space, across: i + 1 }, abreast)));
  return plans.reduce((one, other) => (other.score > one.score ? other : one));
}

function tilesShown(model, { array, tiles, only }) {
  return tiles === null ? 1 : (only?.length ?? model.arrays[array].shape[tiles]);
}

// The largest cells with which everything fits the width. abreast: how many matrices stand in a row; 0 as in the scene.
function galleryOf(model, space, abreast) {
  const panels = abreast ? model.panels.map((panel, i) => ({ ...panel, place: [i % abreast, Math.floor(i / abreast)] })) : model.panels;
  let width = WIDEST * space.zoom;
  let plan = null;
  for (let turn = 0; turn < TRIES; turn += 1) {
    plan = gridAt(model, space, panels, width);
    const over = plan.width - space.width;
    if (over <= 0 || width <= TINIEST) break;
    width = Math.max(TINIEST, Math.min(width - 0.25, plan.cell.width - over / plan.columns));
  }
  return { ...plan, score: worthOf(plan, space) };
}

function gridAt(model, space, panels, widest) {
  const { zoom } = space;
  const trial = { width: 0, height: 0, cell: { width: 1, height: 1, digits: -1 }, boxes: [] };
  placeLine(model, space, trial, panels);
  const rows = cellsAlong(trial.boxes, 1, (box) => box.rows.count * box.tileRows);
  const columns = cellsAlong(trial.boxes, 0, (box) => box.columns.count * box.tileColumns);
  const high = (whole) => wholePixels(Math.min(HIGHEST * zoom, widest, space.width < PHONE ? Infinity : (whole * zoom) / rows));
  const numbered = widest >= NUMBERED.width * zoom && high(HEIGHT.numbered) >= NUMBERED.height * zoom;
  const seen = Math.max(HEIGHT.least, Math.min(HEIGHT.most, space.window - AROUND));
  const height = high(numbered ? HEIGHT.numbered : seen);
  const width = wholePixels(numbered ? widest : Math.min(widest, 1.7 * height));
  const plan = { width: 0, height: 0, cell: { width, height, digits: numbered ? 2 : -1 }, boxes: [] };
  placeLine(model, space, plan, panels);
  return { ...plan, width: Math.ceil(plan.width), height: Math.ceil(plan.height), columns };
}

function wholePixels(size) {
  return size > 6 ? Math.floor(size) : size;
}

// Legible numbers count most, then the size of the cells; a row with gaps, and height, count a little less.
function worthOf({ cell: { width, height, digits }, width: used, height: high, boxes }, space) {
  const gaps = boxes.some(({ tiles, tileColumns, tileRows }) => tiles.length < tileColumns * tileRows);
  const legible = digits < 0 ? 0 : Math.min(12, 0.6 * height, width / 2.6);
  return legible + 0.5 * Math.log2(Math.min(width, height, 16)) - (gaps ? 0.2 : 0) - high / (space.width < PHONE ? 20_000 : 1800) - (used > space.width ? 100 : 0);
}
