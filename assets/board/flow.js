import { panelSize } from "./sizes.js";

const CELLS = { most: 30, least: 1 }; // px
const COLUMN_GAP = 30; // px between the columns of the picture, for arrows
const PANEL_GAP = 18;
const SHOWN_TITLE = 130; // px, the part of a title that is always shown
const NUMBER_CELL = 21;
const LANE_BELOW = 24; // px, for arrows that pass below a column

/**
 * The layout of a whole layer: its matrices in columns, from the inputs to the output, as large as the window allows.
 *
 * model.flow: the ids of the panels of each column. A panel's scale is the size of its cells relative to the others.
 * space: as for `fitStage`.
 */
export function fitFlow(model, space) {
  const words = space.words(space.width, true);
  const area = { y: space.top + words + PANEL_GAP, width: space.width, height: space.height - space.top - words - PANEL_GAP - space.bottom - LANE_BELOW };
  for (let cell = CELLS.most; cell >= CELLS.least; cell -= cell > 8 ? 1 : 0.5) {
    const plan = columnsOf(model, space, cell);
    if (plan.width > area.width || plan.height > area.height) continue;
    const left = (area.width - plan.width) / 2;
    const boxes = plan.columns.flatMap(({ sizes, x, width, height }) => stackedIn(sizes, left + x, area.y + (area.height - height) / 2, width));
    const empty = { x: 0, y: 0, width: 0, height: 0 };
    return { boxes, signs: [], zoom: plan.zoom, form: "line", words: { x: 0, y: space.top, width: space.width, height: words, wide: true }, arithmetic: empty };
  }
  return null;
}

function columnsOf(model, space, cell) {
  const zoom = Math.min(1.25, Math.max(1, cell / 16));
  const inner = { ...space, zoom, staged: true, gaps: [PANEL_GAP, PANEL_GAP], terse: 90 };
  const columns = [];
  let x = 0;
  for (const ids of model.flow) {
    const panels = ids.map((id) => model.panels.find((panel) => panel.id === id));
    const sizes = panels.map((panel) => sized(model, inner, panel, cell));
    const width = Math.max(...sizes.map((size) => columnWidth(size, inner)));
    const height = sizes.reduce((sum, size) => sum + size.top + size.bodyHeight + PANEL_GAP * zoom, -PANEL_GAP * zoom);
    columns.push({ sizes, x, width, height });
    x += width + COLUMN_GAP;
  }
  return { columns, zoom, width: x - COLUMN_GAP, height: Math.max(...columns.map(({ height }) => height)) };
}

function sized(model, space, panel, cell) {
  const side = Math.max(1, Math.round((panel.scale ?? 1) * cell * 2) / 2);
  const size = { width: side, height: side, digits: side >= NUMBER_CELL ? 2 : -1 };
  return panelSize(model, { ...space, width: Infinity }, { ...panel, size: "full" }, size, []);
}

function columnWidth({ panel, left, bodyWidth, overhang }, { measure, zoom }) {
  return Math.max(left + bodyWidth + overhang, Math.min(SHOWN_TITLE, measure(`${panel.title} →`, 14 * zoom, true)));
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
