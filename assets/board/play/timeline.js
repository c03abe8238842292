const MAX_BEATS = 40;

/** The cells of a panel's slice that were sent, in reading order: {tiles, rows, columns, count}. */
export function frameOf({ panel, array }) {
  const span = (axis) => (axis === null ? { start: 0, count: 1 } : { start: array.start[axis], count: array.shape[axis] });
  const [tiles, rows, columns] = [span(panel.tiles), span(panel.rows), span(panel.columns)];
  return { panel, tiles, rows, columns, count: tiles.count * rows.count * columns.count };
}

/** The index of the cell at a place of the reading order; slice gives the axes that are not drawn. */
export function indexInOrder({ panel, tiles, rows, columns }, slice, place) {
  const index = [...slice];
  const within = place % (rows.count * columns.count);
  if (panel.tiles !== null) index[panel.tiles] = tiles.start + Math.floor(place / (rows.count * columns.count));
  if (panel.rows !== null) index[panel.rows] = rows.start + Math.floor(within / columns.count);
  if (panel.columns !== null) index[panel.columns] = columns.start + (within % columns.count);
  return index;
}

/** The place of a cell in the reading order. */
export function placeInOrder({ panel, tiles, rows, columns }, index) {
  const at = (axis, { start }) => (axis === null ? 0 : index[axis] - start);
  return (at(panel.tiles, tiles) * rows.count + at(panel.rows, rows)) * columns.count + at(panel.columns, columns);
}

/** How many terms are known after each beat of a cell; long sums take several terms at a time. */
export function beatsOf(length) {
  const stride = Math.max(1, Math.ceil(length / MAX_BEATS));
  const beats = [];
  for (let known = stride; known < length; known += stride) beats.push(known);
  if (length > 0) beats.push(length);
  return beats;
}

/**
 * The moment {cell, beat} after another one, or null after the last.
 *
 * Beats 0 to beats − 1 add terms, beat number beats shows the result; whole skips the terms.
 */
export function nextMoment({ cell, beat }, { count, beats }, whole = false) {
  if (!whole && beat < beats) return { cell, beat: beat + 1 };
  if (whole && beat < beats) return { cell, beat: beats };
  return cell + 1 < count ? { cell: cell + 1, beat: whole ? beats : 0 } : null;
}

/** The moment of the row of another moment, or of the row `by` further; null if there is none. */
export function rowMoment({ cell }, { columns, count }, beats, by) {
  const row = Math.floor(cell / columns.count) + by;
  const end = (row + 1) * columns.count - 1;
  return row < 0 || end >= count ? null : { cell: end, beat: beats };
}

/** The moment before another one, or null before the first. */
export function previousMoment({ cell, beat }, { beats }, whole = false) {
  if (!whole && beat > 0) return { cell, beat: beat - 1 };
  return cell > 0 ? { cell: cell - 1, beat: beats } : null;
}
