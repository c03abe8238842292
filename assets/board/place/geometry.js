// Which cell is at a point, and which rectangle belongs to a cell.
import { blockOf } from "../scene/scene.js";

/** The index of a cell of a panel: its tile, row and column, and the slice that is shown of all other axes. */
export function indexIn({ panel }, slice, tile, row, column) {
  const index = [...slice];
  if (panel.tiles !== null) index[panel.tiles] = tile;
  if (panel.rows !== null) index[panel.rows] = row;
  if (panel.columns !== null) index[panel.columns] = column;
  return index;
}

/** The indices of all cells that a panel draws. */
export function drawnCells(box, slice) {
  const { tiles, rows, columns } = box;
  const range = ({ start, count }) => Array.from({ length: count }, (_, i) => start + i);
  return tiles.flatMap(({ place }) => range(rows).flatMap((row) => range(columns).map((column) => indexIn(box, slice, place, row, column))));
}

/** The panel and the index of the cell under a point, or null. */
export function cellUnder(boxes, slices, x, y) {
  for (const box of boxes) {
    const { cell, rows, columns } = box;
    for (const tile of box.tiles) {
      const column = Math.floor((x - tile.x) / cell.width);
      const row = Math.floor((y - tile.y) / cell.height);
      if (column < 0 || row < 0 || column >= columns.count || row >= rows.count) continue;
      return { box, index: indexIn(box, slices[box.panel.array], tile.place, rows.start + row, columns.start + column) };
    }
  }
  return null;
}

/**
 * The rectangles {x, y, width, height, box, tile} that a range of cells, first to last index, fills in a panel.
 *
 * None if the slice that is shown lies outside the range; only the visible part of a range that the window cuts.
 */
export function rectanglesOf(box, slice, low, high) {
  const { panel, cell, rows, columns } = box;
  if (fixedAxes(box, slice.length).some((axis) => slice[axis] < low[axis] || slice[axis] > high[axis])) return [];
  const [top, bottom] = clipped(panel.rows, rows, low, high);
  const [left, right] = clipped(panel.columns, columns, low, high);
  if (top > bottom || left > right) return [];
  const inside = ({ place }) => panel.tiles === null || (place >= low[panel.tiles] && place <= high[panel.tiles]);
  const { gap = 0 } = box; // above each row
  const [width, height] = [(right - left + 1) * cell.width, (bottom - top + 1) * cell.height - gap];
  return box.tiles.filter(inside).map((tile) => ({ x: tile.x + left * cell.width, y: tile.y + top * cell.height + gap, width, height, box, tile }));
}

/** The rectangles of a range of cells of an array, or of one cell, in all panels that draw them. */
export function areasOf({ boxes, slices }, array, low, high = low) {
  return boxes.filter(({ panel }) => panel.array === array).flatMap((box) => rectanglesOf(box, slices[array], low, high));
}

/** The rectangle of a cell in the first full panel (of a role, if given) that draws it; null if none does. */
export function areaOf(look, { array, index }, role = null) {
  return areasOf(look, array, index).find(({ box: { panel, small } }) => !small && (!role || panel.role === role)) ?? null;
}

function clipped(axis, { start, count }, low, high) {
  if (axis === null) return [0, 0];
  return [Math.max(0, low[axis] - start), Math.min(count - 1, high[axis] - start)];
}

/** The axes that are fixed in a panel of an array with a rank: all but its tiles, rows and columns. */
export function fixedAxes({ panel }, rank) {
  const drawn = [panel.tiles, panel.rows, panel.columns];
  return Array.from({ length: rank }, (_, axis) => axis).filter((axis) => !drawn.includes(axis));
}

/** The middle of a rectangle. */
export function middleOf({ x, y, width, height }) {
  return [x + width / 2, y + height / 2];
}

/** The step from label to label, so that they are far enough apart: 1, 2, 5, 10, 20, 50, … */
export function labelStep(cell, room) {
  for (let power = 1; ; power *= 10) {
    for (const step of [power, 2 * power, 5 * power]) if (step * cell >= room) return step;
  }
}

/** The numbers of an array as they are drawn: {shape, data, letters, closeUp}, letters in px or 0; null if it is not drawn. */
export function numbersDrawn({ boxes, slices, model }, name) {
  const box = boxes.find(({ panel, small }) => panel.array === name && !small);
  if (!box) return null;
  const { panel, rows, columns, tiles } = box;
  const data = tiles.flatMap(({ place }) => {
    const first = indexIn(box, slices[name], place, rows.start, columns.start);
    return [...blockOf(model, name, first, { axis: panel.rows, ...rows }, { axis: panel.columns, ...columns })];
  });
  const shape = [...(panel.tiles === null ? [] : [tiles.length]), rows.count, columns.count];
  return { shape, data, letters: box.letters ?? 0, closeUp: box.closeUp ?? {} };
}
