// The size of one panel: its cells, tiles, labels and title.
import { haveRoom, shorten } from "../scene/numbers.js";
import { isNamed, labelAt } from "../scene/scene.js";
import { MAX_CELLS, usesOf, windowKey, windowOf } from "./windows.js";

export const TYPE = 11;
const TITLE = 22;
const TWO_LINES = 31;
const WORDS = 15;
const CAPTION = 15;
const TWO_CAPTIONS = 27; // px, the name of a small picture and a sentence below it
const APART = 8;
const PHONE_PICTURE = 72; // px, a small picture of many, with its distance to the next
const STEEP = Math.SQRT1_2;
/** A close-up of a row or column whose cells have no room for numbers. */
export const CLOSE = { width: 36, height: 16, least: 13, gap: 6 }; // px, a cell of a close-up, its smallest height, its distance

/** The size of a panel with a cell size, among the others of its grid: windows, tiles, labels, the extent of each part. */
export function panelSize(model, space, panel, cell, others) {
  const { zoom } = space;
  const array = model.arrays[panel.array];
  const small = panel.size === "small";
  const seen = (axis) => (axis === null ? wholeSpan(1) : windowOf(model, array, axis, space.starts, mostOf(model, array, axis, space.caps)));
  const [rows, columns] = [seen(panel.rows), seen(panel.columns)];
  const stack = panel.only ? wholeSpan(panel.only.length) : small && panel.tiles !== null ? wholeSpan(array.shape[panel.tiles], array.start[panel.tiles]) : seen(panel.tiles);
  const wide = panel.bars ? { ...cell, width: Math.round(panel.bars * cell.width) } : cell;
  const shown = small ? smallCell(panel, [rows, columns, stack], space, others) : numberedCell(model, array, wide, space);
  const labelled = small || panel.bare === true ? [] : axesLabelled(model, panel, others, space.width);
  const labels = labelSizes(model, space, panel, array, labelled, shown);
  const tiled = tilesOf(space, panel, stack, [columns.count * shown.width, rows.count * shown.height], small);
  const worded = labelled.length > 0 && !space.staged;
  const tight = space.shrink < 1;
  const broken = tight && space.measure(panel.title ?? "", 11 * zoom, true) > Math.max(tiled.bodyWidth, 300 * zoom * space.shrink);
  const top = zoom * ((broken ? TWO_LINES : TITLE) + (worded ? WORDS + 4 : 0)) + tiled.caption + labels.top;
  const close = closeUpRoom(space, panel, { rows, columns, tiled: small || panel.tiles !== null, bare: shown.digits >= 0 });
  const parts = { panel, array, small, close, tight, broken, rows, columns, stack, labelled, worded };
  return { ...parts, cell: shown, ...labels, ...tiled, top, labelTop: labels.top };
}

// Without numbers where they have no room: fewer decimals would tell them falsely.
function numberedCell(model, array, cell, space) {
  return cell.digits >= 0 && !haveRoom(model, array, cell, space) ? { ...cell, digits: -1 } : cell;
}

// The room of the close-ups of a matrix without numbers, {across, down}: its lit column beside it, its lit row below it.
function closeUpRoom({ closeUps, zoom }, panel, { rows, columns, tiled, bare }) {
  if (!closeUps || tiled || bare || !["operand", "result"].includes(panel.role)) return { across: 0, down: 0 };
  return {
    across: rows.count > 1 ? (CLOSE.gap + CLOSE.width) * zoom : 0,
    down: columns.count > 1 ? (CLOSE.gap + CLOSE.height) * zoom : 0,
  };
}

/** The window that shows all of so many places, from a first one on. */
export function wholeSpan(count, start = 0) {
  return { start, count, low: start, high: start + count, size: count };
}

// The smallest number of places among the uses of an axis.
function mostOf(model, array, axis, caps = {}) {
  const uses = usesOf(model, windowKey(array.axes[axis], array.whole[axis]));
  return Math.min(MAX_CELLS, ...uses.map((use) => caps[use] ?? MAX_CELLS));
}

/** The width of a panel's title, within bounds. terse: the bound of titles if room is short; then badges are left out. */
export function widthOf({ measure, zoom, width, shrink = 1, terse }, { title, badge, size, link }) {
  const badgeWidth = badge && shrink === 1 && !terse ? measure(badge, 11 * zoom) + 20 * zoom : 0;
  const words = (title ?? "") + (link ? " →" : "");
  const most = (terse ?? 300) * zoom * shrink;
  return Math.min(measure(words, (size === "small" ? 12.5 : 14) * zoom, true) + badgeWidth + 4, most, width);
}

// Thumbnails: a tile has at most 96 px, a single picture at most 150; less if room is short; a line of tiles fits. tile: the cells that a window has chosen.
function smallCell(panel, [rows, columns, { count }], { zoom, width, shrink = 1, tile }, others) {
  if (tile) return tile;
  const short = shrink === 1 && width < 480 ? 0.7 : 1;
  const most = zoom * short * (panel.tiles === null ? Math.min(panel.most ?? 150, 300 * shrink) : 96 * shrink);
  const line = panel.tiles !== null && panel.arrange === "across";
  const beside = others.some(({ size }) => size !== "small") ? (width < 480 ? 56 : 96) * zoom : 0; // labels of others
  const room = line ? Math.min(most, (width - 12 - beside) / perLine(count, width) - APART * zoom) : most;
  const side = Math.max(line ? 0.2 : 1, Math.min(12 * zoom, room / Math.max(rows.count, columns.count)));
  const whole = side > 3 ? Math.floor(side) : side;
  return { width: whole, height: whole, digits: -1 };
}

// How many small pictures stand in one line: on a phone only as many as can be read.
function perLine(count, width) {
  const most = width < 480 ? Math.max(1, Math.floor((width - 12) / PHONE_PICTURE)) : count;
  return Math.ceil(count / Math.ceil(count / most));
}

// A row opened below a matrix repeats no labels; in a narrow container neither does a panel to the right with the same rows.
function axesLabelled(model, panel, others, width) {
  const letter = (one, axis) => (one[axis] === null ? null : model.arrays[one.array].axes[one[axis]]);
  const same = (axis, beside) =>
    others.some((one) => one.id !== panel.id && beside(one) && letter(one, axis) === letter(panel, axis));
  const [column, row] = panel.place;
  const below = panel.role === "row" && same("columns", ({ place }) => place[0] === column && place[1] < row);
  const beside = (width < 480 || panel.bare === "rows") && same("rows", ({ place }) => place[1] === row && place[0] < column);
  return [beside ? null : panel.rows, below ? null : panel.columns].filter((axis) => axis !== null);
}

function labelSizes(model, space, panel, array, labelled, cell) {
  const { measure, zoom, width } = space;
  const size = TYPE * zoom;
  const longest = width < 480 ? 7 : 14;
  const widest = (axis) => (labelled.includes(axis) ? widestLabel(model, array, axis, longest, measure, size) : 0);
  const [across, down] = [widest(panel.columns), widest(panel.rows)];
  const words = across > 0 && isNamed(model, array, panel.columns);
  const turned = words && across > cell.width - 3;
  const top = across === 0 ? 0 : turned ? across * STEEP + size : size + 5 * zoom;
  const overhang = turned ? Math.max(0, across * STEEP + size * 0.5 - cell.width / 2) : 0;
  return { left: down === 0 ? 0 : down + 8 * zoom, top, overhang, turned, longest };
}

function widestLabel(model, array, axis, most, measure, size) {
  const letter = array.axes[axis];
  const whole = array.whole[axis];
  const names = array.names?.[axis]?.labels.flat();
  if (names) return Math.max(...names.map((name) => measure(shorten(name, most), size, true)));
  if (!model.axes[letter]?.labels) return measure(String(whole - 1), size, true);
  model.widest ??= new Map();
  const key = `${letter} ${whole} ${most} ${size}`;
  if (!model.widest.has(key)) {
    const widths = Array.from({ length: Math.min(whole, 512) }, (_, place) => measure(shorten(labelAt(model, letter, place).text, most), size, true));
    model.widest.set(key, Math.max(...widths));
  }
  return model.widest.get(key);
}

function tilesOf(space, panel, { start, count }, [tileWidth, tileHeight], small) {
  const { zoom, width } = space;
  const alone = panel.tiles === null;
  const caption = alone ? 0 : (small && panel.captions?.length ? TWO_CAPTIONS : CAPTION) * zoom;
  const gap = (small ? APART : 18) * zoom;
  const fitting = Math.max(1, Math.floor((width - 8 + gap) / (tileWidth + gap)));
  const square = space.across ?? (width < 480 ? fitting : Math.min(Math.ceil(Math.sqrt(count)), fitting));
  const tileColumns = Math.min(count, { across: small ? perLine(count, width) : count, down: 1 }[panel.arrange ?? "across"] ?? square);
  const tileRows = Math.ceil(count / tileColumns);
  const [stepX, stepY] = [tileWidth + gap, tileHeight + gap * 0.6 + caption];
  const tiles = Array.from({ length: count }, (_, i) => ({
    place: alone ? null : (panel.only?.[i] ?? start + i),
    dx: (i % tileColumns) * stepX,
    dy: Math.floor(i / tileColumns) * stepY,
  }));
  const [bodyWidth, bodyHeight] = [(tileColumns - 1) * stepX + tileWidth, (tileRows - 1) * stepY + tileHeight];
  return { tiles, tileRows, tileColumns, caption, bodyWidth, bodyHeight, tileWidth, tileHeight };
}
