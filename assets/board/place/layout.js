// Panels in a grid, as large as a width allows.
import { panelSize, widthOf } from "./sizes.js";

// Cell sizes in px, and the number of rows up to which cells have numbers; more rows if two decimals fit. Larger type needs
// larger cells, but not so large that there would be no numbers.
const FIT = { most: 46, least: 7, clear: 12, numbers: 26, brief: 22, decimals: 30, lowest: 18, rows: 50, fewRows: 34 };
const NARROW = 480;
const EDGE = 4;
const FRAME = 3; // px, around a small picture
const MAX_HEIGHT = 520;
const MAX_ROWS = 112;
const SHRINKING = [0.8, 0.65, 0.5, 0.45, 0.4, 0.36, 0.32, 0.28, 0.25, 0.22, 0.2];
const TITLES = [300, 180, 130, 100];
const BESIDE = new Set(["tiles", "aside"]);

/**
 * The layout of a board: {width, height, cell, boxes, lines}.
 *
 * space: {width, zoom, measure, starts}. Panels keep their places in the grid. If that leaves no room for numbers, panels
 * beside the computation move below it, and in a narrow container every panel gets a line of its own. Badges and titles are
 * cut if they leave too little room; columns are hidden last, and only if that helps.
 */
export function layOut(model, space) {
  const plans = plansFor(model.panels);
  const rooms = plans.map((lines) => ({ lines, room: capped(model, space, lines) }));
  const [first, ...others] = rooms.map(({ lines, room }) => ({ lines, ...widest(model, room, lines) }));
  const best = others.reduce((one, other) => (isBetter(other, one, space) ? other : one), first);
  const narrow = space.width < NARROW;
  if (best.fits && (narrow || best.cell >= FIT.clear)) return best.plan;
  for (const shrink of model.panels.some(({ size }) => size !== "small") ? [] : SHRINKING) {
    const smaller = widest(model, { ...space, shrink }, plans[0]);
    if (smaller.fits) return smaller.plan;
  }
  const below = narrow ? stacked(model, space) : null;
  if (below?.fits) return below.plan;
  const brief = terse(model, rooms, FIT.clear) ?? (best.fits ? best : terse(model, rooms, FIT.least));
  return brief?.plan ?? shrunk(model, rooms.at(-1).room, plans.at(-1));
}

// The widest cells, with titles cut as little as possible; null if even the shortest titles leave no room.
function terse(model, rooms, cell) {
  const fits = ({ lines, room }, title) => arrange(model, { ...room, terse: title }, lines, cell).width <= room.width;
  const able = rooms.filter((one) => fits(one, TITLES.at(-1)));
  for (const title of able.length ? TITLES : []) {
    const roomy = able.find((one) => fits(one, title));
    if (roomy) return widest(model, { ...roomy.room, terse: title }, roomy.lines);
  }
  return null;
}

function stacked(model, space) {
  return widest(model, { ...space, stacked: true }, stackOf(model));
}

function stackOf({ panels }) {
  return [panels.map((panel, i) => ({ ...panel, place: [0, i] }))];
}

// If all rows would be much higher than the screen, fewer of them are shown at a time.
function capped(model, space, lines) {
  let caps = { ...space.caps };
  for (let rows = 64; rows >= 8 && rowsIn(model, { ...space, caps }, lines) > MAX_ROWS; rows -= 4) caps = { ...caps, rows };
  return { ...space, caps };
}

function isBetter(other, one, { width, zoom }) {
  if (!other.fits || other.cell <= one.cell) return other.fits && !one.fits;
  const steps = [FIT.numbers, FIT.decimals * zoom].filter((step) => other.cell >= step && one.cell < step);
  return !one.fits || width < NARROW || steps.length > 0;
}

// The arrangements: the grid; panels beside the computation moved below it in one line; or each in a line of its own.
function plansFor(panels) {
  const beside = panels.filter((panel) => BESIDE.has(panel.role) && isOutside(panel, panels));
  const rest = panels.filter((panel) => !beside.includes(panel));
  if (!beside.length || !rest.length) return [[panels]];
  const ordered = beside.sort((a, b) => a.place[0] - b.place[0] || a.place[1] - b.place[1]);
  const line = ordered.map((panel, i) => ({ ...panel, place: [i, 0] }));
  return [[panels], [rest, line], [rest, ...ordered.map((panel) => [panel])]];
}

// Beside the computation means right of or below every panel that takes part in it.
function isOutside(panel, panels) {
  const parts = panels.filter(({ role }) => !BESIDE.has(role));
  return [0, 1].some((side) => parts.every(({ place }) => place[side] < panel.place[side]));
}

function widest(model, space, lines) {
  const most = Math.round(FIT.most * space.zoom);
  for (let cell = most; cell >= FIT.least; cell -= 1) {
    const plan = arrange(model, space, lines, cell);
    if (plan.width <= space.width || cell === FIT.least) return { plan, cell, fits: plan.width <= space.width };
  }
  return null;
}

// If it is too wide even with the smallest cells: first fewer tiles at a time, then one panel below the other if all their
// rows can be seen, then fewer columns, then fewer rows and columns one panel below the other.
function shrunk(model, space, lines) {
  for (const tiles of [8, 6, 5, 4, 3, 2]) {
    const fewer = widest(model, { ...space, caps: { ...space.caps, tiles } }, lines);
    if (fewer.fits && (fewer.cell >= 10 || tiles === 2)) return fewer.plan;
  }
  const stack = stackOf(model);
  const below = rowsIn(model, space, stack) <= MAX_ROWS ? stacked(model, space) : null;
  if (below?.fits) return below.plan;
  const terse = TITLES.at(-1);
  const beside = fewerColumns(model, { ...space, terse }, lines);
  const few = beside ?? fewerColumns(model, { ...capped(model, space, stack), stacked: true, terse: TITLES[0] }, stack);
  return few ?? below?.plan ?? arrange(model, { ...space, terse }, lines, FIT.least);
}

function fewerColumns(model, space, lines) {
  for (let columns = 64; columns >= 4; columns -= columns > 16 ? 4 : 2) {
    const plan = arrange(model, { ...space, caps: { ...space.caps, columns, tiles: 1 } }, lines, FIT.least);
    if (plan.width <= space.width) return plan;
  }
  return null;
}

function arrange(model, space, lines, cell) {
  const { zoom } = space;
  const rows = Math.max(1, rowsIn(model, space, lines));
  const numbers = cell >= (model.stage ? FIT.brief : FIT.numbers) && rows <= (cell >= FIT.decimals * zoom ? FIT.rows : FIT.fewRows);
  const most = (space.stacked ? 2 : 1) * MAX_HEIGHT; // panels one below the other are scrolled
  const height = Math.round(Math.max(numbers ? FIT.lowest * zoom : FIT.least, Math.min(28 * zoom, cell, (most * zoom) / rows)));
  const width = numbers ? cell : Math.min(cell, Math.max(FIT.least, Math.round(height * 1.7)));
  const digits = !numbers ? -1 : width >= FIT.decimals * zoom ? 2 : 1;
  const plan = { width: 0, height: 0, cell: { width, height, digits }, boxes: [] };
  for (const line of lines) placeLine(model, space, plan, line);
  return { ...plan, width: Math.ceil(plan.width), height: Math.ceil(plan.height) };
}

function rowsIn(model, space, lines) {
  return lines.reduce((sum, line) => sum + rowsOf(model, space, line), 0);
}

function rowsOf(model, space, line) {
  const full = line.filter(({ size }) => size !== "small");
  const sizes = full.map((panel) => panelSize(model, space, panel, { width: 1, height: 1 }, line));
  return cellsAlong(sizes, 1, ({ tileRows, rows }) => tileRows * rows.count);
}

/** Add the panels of one grid to a plan {width, height, cell, boxes}, below what it has. */
export function placeLine(model, space, plan, line) {
  const { zoom, width } = space;
  const lines = line.every(({ size, tiles }) => size === "small" && tiles !== null); // close together, so that more are in sight
  const [across, down] = space.gaps ?? [width < NARROW ? 14 : 30 * zoom * (space.shrink ?? 1), (lines ? 8 : 22) * zoom];
  const sizes = line.map((panel) => panelSize(model, space, panel, plan.cell, line));
  const lefts = along(sizes, 0, (size) => size.left);
  const widths = along(sizes, 0, (size) => Math.max(size.left, lefts.get(size.panel.place[0])) + size.bodyWidth + size.close.across);
  for (const size of sizes) {
    const column = size.panel.place[0];
    widths.set(column, Math.max(widths.get(column), widthOf(space, size.panel)));
  }
  const tops = along(sizes, 1, (size) => size.top);
  const heights = along(sizes, 1, (size) => size.bodyHeight + size.close.down);
  const columns = starts(widths, across);
  const rows = starts(new Map([...tops].map(([row, top]) => [row, top + heights.get(row)])), down);
  const shift = plan.height ? plan.height + down : 0;
  for (const size of sizes) {
    const [column, row] = size.panel.place;
    const [x, y] = [columns.get(column) + lefts.get(column), shift + rows.get(row) + tops.get(row)];
    plan.boxes.push(boxOf(size, { x, y, left: columns.get(column), room: widths.get(column), over: tops.get(row) }));
    const beyond = Math.max(size.overhang, size.small ? FRAME : 0, size.close.across); // of labels or a frame, on the right
    plan.width = Math.max(plan.width, columns.get(column) + widths.get(column), x + size.bodyWidth + beyond);
  }
  plan.height = Math.max(...plan.boxes.map((box) => box.y + box.bodyHeight + box.close.down));
}

function along(sizes, side, measured) {
  const most = new Map();
  for (const size of sizes) {
    const place = size.panel.place[side];
    most.set(place, Math.max(most.get(place) ?? 0, measured(size)));
  }
  return new Map([...most].sort((a, b) => a[0] - b[0]));
}

/** The number of cells side by side (side 0) or one below another (side 1); measured: those of one box. */
export function cellsAlong(boxes, side, measured) {
  return [...along(boxes, side, measured).values()].reduce((a, b) => a + b, 0);
}

function starts(extents, gap) {
  let at = EDGE;
  const offsets = new Map();
  for (const [place, extent] of extents) {
    offsets.set(place, at);
    at += extent + gap;
  }
  return offsets;
}

function boxOf(size, { x, y, left, room, over }) {
  const tiles = size.tiles.map((tile) => ({ ...tile, x: x + tile.dx, y: y + tile.dy }));
  // If one title of a row has two lines, all titles begin at its height.
  const broken = size.broken || (size.tight && over > size.top);
  return { ...size, x, y, broken, titleX: left, titleY: y - (broken ? over : Math.min(over, size.top)), titleWidth: room, tiles };
}
