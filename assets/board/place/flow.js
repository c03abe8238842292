import { heightOfLine } from "./fit.js";
import { panelSize } from "./sizes.js";

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
  const words = space.words(space.width, true);
  const line = heightOfLine(space);
  const area = { y: space.top + words + PANEL_GAP, width: space.width, height: space.height - space.top - words - PANEL_GAP - space.bottom - LANE_BELOW - line };
  const plans = ASPECTS.map((aspect) => largestFlow(model, space, area, aspect)).filter(Boolean);
  if (!plans.length) return null;
  const plan = plans.reduce((one, other) => (other.cell ** 2 * other.aspect > 1.05 * one.cell ** 2 * one.aspect ? other : one));
  const left = (area.width - plan.width) / 2;
  const boxes = plan.columns.flatMap(({ sizes, x, width, height }) => stackedIn(sizes, left + x, area.y + (area.height - height) / 2, width));
  const arithmetic = { x: 0, y: space.height - space.bottom - line, width: space.width, height: line };
  return { boxes, signs: [], zoom: plan.zoom, form: "line", words: { x: 0, y: space.top, width: space.width, height: words, wide: true }, arithmetic };
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
    const box = { ...size, flowing: true, x: left, y: body, titleX: x, titleY: top, titleWidth: width, tiles };
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
