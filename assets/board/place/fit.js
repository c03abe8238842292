// A step in one window, the picture of a whole layer, and lines of the memory below a step.
import { cellsAlong, placeLine } from "./layout.js";
import { isNamed } from "../scene/scene.js";
import { panelSize, wholeSpan } from "./sizes.js";

const CELL_BOUNDS = { width: 92, height: 64, least: 3 }; // px, the largest and the smallest cell
const LETTERS = { least: 11, level: 14, most: 18 }; // px, the type of labels; it grows with the height of the cells
const NUMBER_SIZE = { width: 22, height: 13 }; // px, the room for two decimals
const ROOM = 12;
const SIDE = { least: 220, most: 320, share: 0.24 }; // the column at the right: words, arithmetic, all heads
const LINE = { wide: 720, one: 46, two: 78 }; // px, the arithmetic in one line, or in two on a narrower board
const SHOWN_ROWS = [64, 48, 32, 24, 16, 8]; // rows and columns of a matrix that are shown at a time if more have no room
const WHOLE_TITLE = 300; // px, the largest width of a column that only its title needs
const PRICE_OF_TITLES = 0.7; // of the size of cells, which is kept when titles get whole
const LINE_OF_TITLE = 22; // px
const MEETING = 1.5; // px of the score: operands whose row and column meet at the result are worth smaller type
const LEAST_TERMS = 150; // px, the smallest height of the arithmetic in a column

/**
 * The layout of a step in a window: {zoom, boxes, signs, words, arithmetic, form}.
 *
 * space: {width, height, top, bottom, measure, starts, words, column}. Words, matrices and arithmetic stand
 * between top and bottom, which the strip and the player take, and do not overlap. The words stand above the matrices, in the
 * same place in every step; of the rest the arrangement with the largest legible type is chosen. words: the height of the words; column: whether the arithmetic stands in a column. For a
 * board without a step: letters and title, the largest px of the type and of a title; number, the smallest width of a cell
 * with a number; slack, how far matrices move down if there is room.
 */
export function fitStage(model, space) {
  const [panels, ribbons] = ribbonsApart(model);
  const bottom = space.bottom + heightOfRibbons(ribbons);
  for (const most of SHOWN_ROWS) {
    const plan = fitted({ ...model, panels }, { ...space, bottom, caps: { rows: most, columns: most, tiles: most } });
    if (plan) return { ...plan, boxes: [...plan.boxes, ...ribbonBoxes(model, ribbons, { y: space.height - bottom, width: space.width })] };
  }
  return null;
}

function fitted(model, space) {
  const main = model.panels.filter(({ size }) => size !== "small");
  const plans = arrangements(main, model.stage?.signs).flatMap((arranged) => plansOf(model, space, arranged));
  if (!plans.length) return null;
  const best = plans.reduce((one, other) => (other.score > one.score ? other : one));
  return withTiles(model, space, best);
}

// The arrangements: as in the scene, in a row, or one below another; lines of heads also two in a row.
function arrangements(panels, signs = []) {
  const given = { panels, signs: [] };
  const isRow = panels.every(({ place }) => place[1] === 0);
  const areHeads = panels.length > 2 && panels.every(({ tiles, place }) => tiles !== null && place[0] === 0);
  if (areHeads) return [given, { panels: panels.map((panel, i) => ({ ...panel, place: [i % 2, Math.floor(i / 2)] })), signs: [], forms: ["line"] }];
  const plain = panels.every(({ role }) => role !== "row");
  const inRow = { panels: panels.map((panel, i) => ({ ...panel, place: [i, 0] })), signs };
  const stacked = { panels: oneBelowAnother(panels), signs: [] };
  if (isRow) return [{ ...given, signs }, stacked];
  return plain ? [{ ...given, worth: MEETING }, inRow, stacked] : [given, stacked];
}

// Panels one below another; the totals of a panel stay beside its rows.
function oneBelowAnother(panels) {
  let place = [0, -1];
  return panels.map((panel) => {
    place = panel.role === "total" && place[1] >= 0 ? [place[0] + 1, place[1]] : [0, place[1] + 1];
    return { ...panel, place };
  });
}

function plansOf(model, space, arranged) {
  const forms = space.column ? ["column"] : (arranged.forms ?? ["column", "line"]);
  return forms.map((form) => planned(model, space, arranged, form)).filter(Boolean);
}

function planned(model, space, arranged, form) {
  const side = form === "column" ? Math.round(Math.min(SIDE.most, Math.max(SIDE.least, SIDE.share * space.width))) : 0;
  const width = space.width - (side ? side + 2 * ROOM : 0);
  const above = space.words && space.words + ROOM;
  const below = form === "line" ? heightOfLine(space) + ROOM : 0;
  const area = { x: 0, y: space.top + above, width, height: space.height - space.top - space.bottom - above - below };
  const grid = level(model, space, arranged.panels, area);
  return grid && placed(space, arranged, { form, side, area, grid });
}

// Turned labels take much height: in smaller type they may stand level, which is better where numbers get larger by that.
function level(model, space, panels, area) {
  const plan = largest(model, space, panels, area);
  if (!plan?.boxes.some(({ turned }) => turned)) return plan;
  const small = largest(model, { ...space, letters: LETTERS.level }, panels, area);
  return small && scoreOf(small) > scoreOf(plan) + 1 ? small : plan;
}

/** The height of the arithmetic in a line, which a narrow board breaks. */
export function heightOfLine({ width }) {
  return width > LINE.wide ? LINE.one : LINE.two;
}

// The largest cells with which all panels fit an area; null if none do. Whole titles may cost some of their size.
function largest(model, space, panels, area) {
  const grid = searched(model, space, panels, area);
  const isCut = ({ panel, titleWidth }) => titleWidth < widthOfTitle(space, panel, grid.zoom);
  if (!grid?.boxes.some(isCut)) return grid;
  const whole = searched(model, { ...space, title: WHOLE_TITLE }, panels, area);
  const side = ({ cell }) => Math.min(cell.width, cell.height);
  return whole && whole.cell.digits === grid.cell.digits && side(whole) > PRICE_OF_TITLES * side(grid) ? whole : grid;
}

function widthOfTitle({ measure }, { title = "", link, size }, zoom) {
  return measure(link ? `${title} →` : title, (size === "small" ? 12.5 : 14) * zoom, true) + 4;
}

// The cells shrink until all fits; what was too much of that is given back, first in their height, which letters need.
function searched(model, space, panels, area) {
  const gridAt = ([width, height]) => gridOf(model, space, panels, area, width, height);
  let size = [CELL_BOUNDS.width, CELL_BOUNDS.height];
  for (let turn = 0; turn < 40; turn += 1) {
    const grid = gridAt(size);
    const much = [grid.width - area.width, grid.height - area.height];
    if (much.every((one) => one <= 0)) return [1, 0].reduce((best, axis) => grown(gridAt, area, best, axis), { grid, size }).grid;
    if (size.some((one, axis) => one <= CELL_BOUNDS.least && much[axis] > 0)) return null;
    size = size.map((one, axis) => (much[axis] > 0 ? smaller(one, much[axis] / Math.max(1, [grid.columns, grid.rows][axis])) : one));
  }
  return null;
}

// A grid with cells as wide or as high as has room.
function grown(gridAt, area, best, axis) {
  let [low, high] = [best.size[axis], [CELL_BOUNDS.width, CELL_BOUNDS.height][axis]];
  while (high - low >= 1) {
    const size = best.size.with(axis, (low + high) / 2);
    const grid = gridAt(size);
    const fits = grid.width <= area.width && grid.height <= area.height;
    if (fits) [best, low] = [{ grid, size }, size[axis]];
    else high = size[axis];
  }
  return best;
}

// A size less what is too much: at most a half at a time, because the type and its gaps shrink, too.
function smaller(size, much) {
  return Math.max(CELL_BOUNDS.least, Math.min(size - 0.5, size - much), 0.5 * size);
}

function gridOf(model, space, panels, area, wide, high) {
  const [height, width] = [tidy(Math.min(high, 1.1 * wide)), tidy(Math.min(wide, 3 * high))];
  const letters = Math.min(space.letters ?? LETTERS.most, Math.max(LETTERS.least, 0.45 * height, 0.28 * width));
  const zoom = Math.min(letters, Math.max(LETTERS.least, 0.6 * height)) / LETTERS.least;
  const digits = width >= (space.number ?? NUMBER_SIZE.width) && height >= NUMBER_SIZE.height ? 2 : -1;
  const plan = { width: 0, height: 0, cell: { width, height, digits }, boxes: [] };
  const inner = { ...space, staged: true, closeUps: true, zoom, width: area.width, gaps: [26 * Math.min(zoom, 1.3), ROOM], terse: space.title ?? 90 };
  placeLine(model, inner, plan, panels);
  const columns = cellsAlong(plan.boxes, 0, (box) => box.columns.count * box.tileColumns * (box.panel.bars ?? 1));
  return { ...plan, zoom, columns, rows: cellsAlong(plan.boxes, 1, (box) => box.rows.count * box.tileRows) };
}

function tidy(size) {
  return size > 12 ? Math.floor(size) : size;
}

function placed(space, arranged, { form, side, area, grid }) {
  const total = grid.width + (side ? side + 2 * ROOM : 0);
  const left = Math.max(0, Math.floor((space.width - total) / 2));
  const [dx, dy] = [left, area.y + Math.max(0, Math.floor(Math.min(space.slack ?? 24, (area.height - grid.height) / 3)))];
  const boxes = withTitles(space, grid.boxes.map((box) => moved(box, dx, dy)), grid.zoom, side ? left + grid.width + ROOM : space.width);
  const column = { x: left + grid.width + 2 * ROOM, y: area.y, width: side, height: area.height };
  const words = { x: 0, y: space.top, width: space.width, height: Math.max(0, area.y - ROOM - space.top) };
  const line = { x: left, y: dy + grid.height + ROOM, width: space.width - 2 * left, height: heightOfLine(space) };
  return { boxes, words, arithmetic: form === "column" ? column : line, form, zoom: grid.zoom, cell: grid.cell, signs: signsOf(arranged, boxes), score: scoreOf(grid, form) + (arranged.worth ?? 0) };
}

/** The boxes with titles and sizes that use the free room beside them, up to the next matrix or an end. */
export function withTitles(space, boxes, zoom, end) {
  const meets = (box, other) => other !== box && other.titleX > box.titleX && other.titleY < box.titleY + LINE_OF_TITLE * zoom && other.y + other.bodyHeight > box.titleY;
  return boxes.map((box) => {
    const { panel, titleX, titleWidth } = box;
    const sizes = panel.badge ? space.measure(panel.badge.split(", ")[0], 11 * zoom) + 24 * zoom : 0;
    const room = Math.min(end, ...boxes.filter((other) => meets(box, other)).map((other) => other.titleX - ROOM)) - titleX;
    return { ...box, zoom, titleWidth: Math.max(titleWidth, Math.min(widthOfTitle(space, panel, zoom) + sizes, room)) };
  });
}

function moved(box, dx, dy) {
  const tiles = box.tiles.map((tile) => ({ ...tile, x: tile.x + dx, y: tile.y + dy }));
  return { ...box, x: box.x + dx, y: box.y + dy, titleX: box.titleX + dx, titleY: box.titleY + dy, tiles };
}

// Legibility: the size of the numbers, up to that of a lecture; of matrices without numbers the size of the cells.
function scoreOf({ cell: { width, height }, boxes }, form) {
  const letters = Math.min(20, 0.5 * height, width / 2.6);
  const numbered = boxes.filter(({ cell: { digits } }) => digits >= 0).length / boxes.length;
  const legible = numbered * letters + ((1 - numbered) * Math.min(Math.sqrt(width * height), 20)) / 10;
  return legible + (form === "column" ? 0.4 : 0) + Math.min(width, height) / 500;
}

// The signs between the matrices of a row: "·" and "=".
function signsOf({ signs }, boxes) {
  return signs.slice(0, boxes.length - 1).map((text, i) => {
    const [one, other] = [boxes[i], boxes[i + 1]];
    const middle = Math.max(one.bodyHeight, other.bodyHeight) / 2;
    return { text, x: (one.x + one.bodyWidth + one.close.across + other.titleX) / 2, y: Math.min(one.y, other.y) + middle };
  });
}

// Small pictures stand below the arithmetic if its column has room; those of a batch, side by side, come first.
function withTiles(model, space, plan) {
  const small = model.panels.filter(({ size }) => size === "small");
  if (plan.form !== "column" || !small.length) return plan;
  const batch = small.filter(({ abreast }) => abreast !== undefined);
  const ways = batch.length ? [small, batch, small.filter((panel) => !batch.includes(panel))] : [small];
  return ways.reduce((more, panels) => more ?? (panels.length ? tiled(model, space, plan, panels) : null), null) ?? plan;
}

function tiled(model, space, plan, panels) {
  const { arithmetic, zoom, boxes } = plan;
  const inner = { ...space, staged: true, zoom: Math.min(zoom, 1.2), width: arithmetic.width, terse: 90, gaps: [ROOM, ROOM] };
  const line = { width: 0, height: 0, cell: plan.cell, boxes: [] };
  const alone = panels.filter(({ abreast }) => abreast === undefined).length;
  placeLine(model, inner, line, panels.map((panel, i) => ({ ...panel, place: panel.abreast === undefined ? [0, i] : [panel.abreast, alone] })));
  const room = arithmetic.height - line.height - ROOM;
  if (line.width > arithmetic.width || room < Math.max(LEAST_TERMS + 50, 0.45 * arithmetic.height)) return null;
  const places = line.boxes.map((box) => moved(box, arithmetic.x, arithmetic.y + arithmetic.height - line.height));
  const tiles = withTitles(space, places, inner.zoom, arithmetic.x + arithmetic.width);
  return { ...plan, boxes: [...boxes, ...tiles], arithmetic: { ...arithmetic, height: room } };
}

const CELLS = { most: 30, least: 1 }; // px, the height of a cell
const ASPECTS = [1, 0.6, 0.8, 1.25, 1.6]; // width by height of a cell
const COLUMN_GAP = 30; // px between the columns of the picture, for arrows
const PANEL_GAP = 18;
const SHOWN_TITLE = 130; // px, the part of a title that is always shown
const NUMBER_CELL = 21; // px, the least width and height of a cell with a number
const NUMBER_ROW = 15;
const LANE_BELOW = 24; // px, for arrows that pass below a column
const STACKED = { from: 40, to: 5, high: 26, number: 24 }; // px, the cells of matrices one below another; number: wide enough for two decimals

/**
 * The layout of a whole layer: its matrices in columns, from the inputs to the output, as large as the window allows.
 *
 * model.flow: the ids of the panels of each column. A panel's scale is the size of its cells relative to the others.
 * space: as for `fitStage`.
 */
export function fitFlow(model, space) {
  const { words } = space;
  const line = heightOfLine(space);
  const area = { y: space.top + words + PANEL_GAP, width: space.width, height: space.height - space.top - words - PANEL_GAP - space.bottom - LANE_BELOW - line };
  const plans = ASPECTS.map((aspect) => largestFlow(model, space, area, aspect)).filter(Boolean);
  if (!plans.length) return null;
  const plan = plans.reduce((one, other) => (other.cell ** 2 * other.aspect > 1.05 * one.cell ** 2 * one.aspect ? other : one));
  const left = (area.width - plan.width) / 2;
  const boxes = plan.columns.flatMap(({ sizes, x, width, height }) => stackedIn(sizes, left + x, area.y + (area.height - height) / 2, width));
  const arithmetic = { x: 0, y: space.height - space.bottom - line, width: space.width, height: line };
  return { boxes, signs: [], zoom: plan.zoom, form: "line", words: { x: 0, y: space.top, width: space.width, height: words }, arithmetic };
}

function largestFlow(model, space, area, aspect) {
  for (let cell = CELLS.most; cell >= CELLS.least; cell -= cell > 8 ? 1 : 0.5) {
    const plan = columnsOf(model, space, cell, aspect);
    if (plan.width <= area.width && plan.height <= area.height) return { ...plan, cell, aspect };
  }
  return null;
}

function columnsOf(model, space, cell, aspect) {
  const zoom = Math.min(1.25, Math.max(1, cell / 16));
  const inner = { ...space, zoom, staged: true, gaps: [PANEL_GAP, PANEL_GAP], terse: 90 };
  const columns = [];
  let x = 0;
  for (const ids of model.flow) {
    const panels = ids.map((id) => model.panels.find((panel) => panel.id === id));
    const sizes = panels.map((panel) => sized(model, inner, panel, cell, aspect));
    const width = Math.max(...sizes.map((size) => columnWidth(size, inner)));
    const height = sizes.reduce((sum, size) => sum + size.top + size.bodyHeight + PANEL_GAP * zoom, -PANEL_GAP * zoom);
    columns.push({ sizes, x, width, height });
    x += width + COLUMN_GAP;
  }
  return { columns, zoom, width: x - COLUMN_GAP, height: Math.max(...columns.map(({ height }) => height)) };
}

function sized(model, space, panel, cell, aspect) {
  const [width, height] = [aspect, 1].map((times) => Math.max(1, Math.round(times * (panel.scale ?? 1) * cell * 2) / 2));
  const size = { width, height, digits: width >= NUMBER_CELL && height >= NUMBER_ROW ? 2 : -1 };
  return panelSize(model, { ...space, width: Infinity }, { ...panel, size: "full" }, size, []);
}

function columnWidth({ panel, left, bodyWidth, overhang }, { measure, zoom }) {
  return Math.max(left + bodyWidth + overhang, Math.min(SHOWN_TITLE * zoom, measure(`${panel.title} →`, 14 * zoom, true)));
}

function stackedIn(sizes, x, y, width) {
  let top = y;
  return sizes.map((size) => {
    const [left, body] = [x + size.left, top + size.top];
    const tiles = size.tiles.map((tile) => ({ ...tile, x: left + tile.dx, y: body + tile.dy }));
    const box = { ...size, x: left, y: body, titleX: x, titleY: top, titleWidth: width, tiles };
    top = body + size.bodyHeight + PANEL_GAP;
    return box;
  });
}

/**
 * The same matrices one below another, each as large as the width allows, with words at its rows; the one in focus comes first.
 * Gives {width, height, cell, boxes}.
 */
export function stackFlow(model, space) {
  const { array } = model.cell ?? {};
  const panels = [...model.panels].sort((one, other) => Number(other.array === array) - Number(one.array === array));
  let y = 0;
  const boxes = panels.flatMap((panel) => {
    const size = widestIn(model, { ...space, staged: true, across: 1 }, { ...panel, bare: false, arrange: "down" });
    const placed = stackedIn([size], STACK_EDGE, y, space.width - 2 * STACK_EDGE);
    y += size.top + size.bodyHeight + 1.5 * PANEL_GAP;
    return placed;
  });
  return { width: space.width, height: y, cell: boxes[0].cell, boxes };
}

const STACK_EDGE = 4; // px at the sides

function widestIn(model, space, panel) {
  let size = null;
  for (let width = STACKED.from; width >= STACKED.to; width -= 1) {
    const cell = { width, height: Math.min(width, STACKED.high), digits: width >= STACKED.number ? 2 : -1 };
    size = panelSize(model, { ...space, width: Infinity }, { ...panel, size: "full" }, cell, []);
    if (2 * STACK_EDGE + size.left + size.bodyWidth + size.overhang <= space.width) break;
  }
  return size;
}

const RIBBON_LINE = 32; // px, the height of a ribbon with the words above it
const BAR = 13; // px, the height of its cells
const NAMES = 0.15; // of the width, for the names of the ribbons
const GAP = 10; // px between matrices and ribbons

/** The panels of a scene that are matrices, and its ribbons: numbers in pieces, as they lie in memory. */
export function ribbonsApart({ panels }) {
  const ribbons = panels.filter(({ role }) => role === "ribbon");
  return [panels.filter((panel) => !ribbons.includes(panel)), ribbons];
}

/** The height of the ribbons in px. */
export function heightOfRibbons(ribbons) {
  return ribbons.length ? ribbons.length * RIBBON_LINE + GAP : 0;
}

/** The boxes of ribbons, one below another from a height on, in a width. Pieces above each other have the same place in memory. */
export function ribbonBoxes(model, ribbons, { y, width }) {
  return ribbons.map((panel, line) => {
    const array = model.arrays[panel.array];
    const [count, columns] = [array.shape[panel.tiles], array.shape[panel.columns]];
    const left = Math.max(90, NAMES * width);
    const step = (width - left) / count;
    const tileWidth = step - Math.min(6, 0.15 * step);
    const top = y + GAP + line * RIBBON_LINE + RIBBON_LINE - BAR - 2;
    const tiles = Array.from({ length: count }, (_, place) => ({ place, dx: place * step, dy: 0, x: left + place * step, y: top }));
    return {
      panel, array, tiles, tileWidth, zoom: 1, small: true, tight: false, broken: false, worded: false, labelled: [],
      rows: wholeSpan(1), columns: wholeSpan(columns), stack: wholeSpan(count),
      cell: { width: tileWidth / columns, height: BAR, digits: -1 }, longest: isNamed(model, array, panel.tiles) ? 14 : 3,
      x: left, y: top, left: 0, top: 0, labelTop: 0, caption: 0, overhang: 0, turned: false,
      tileColumns: count, tileRows: 1, tileHeight: BAR, bodyWidth: width - left, bodyHeight: BAR,
      titleX: 0, titleY: top - 4, titleWidth: left - 8,
    };
  });
}
