import { isNamed } from "../scene/scene.js";

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
export function ribbonBoxes(model, ribbons, { x = 0, y, width, zoom = 1 }) {
  return ribbons.map((panel, line) => {
    const array = model.arrays[panel.array];
    const [count, columns] = [array.shape[panel.tiles], array.shape[panel.columns]];
    const left = x + Math.max(90, NAMES * width);
    const step = (x + width - left) / count;
    const tileWidth = step - Math.min(6, 0.15 * step);
    const top = y + GAP + line * RIBBON_LINE + RIBBON_LINE - BAR - 2;
    const tiles = Array.from({ length: count }, (_, place) => ({ place, dx: place * step, dy: 0, x: left + place * step, y: top }));
    const one = { start: 0, count: 1, low: 0, high: 1, size: 1 };
    return {
      panel, array, tiles, tileWidth, zoom, small: true, tight: false, broken: false, worded: false, labelled: [],
      rows: one, columns: { ...one, count: columns, high: columns, size: columns }, stack: { ...one, count, high: count, size: count },
      cell: { width: tileWidth / columns, height: BAR, digits: -1 }, longest: isNamed(model, array, panel.tiles) ? 14 : 3,
      x: left, y: top, left: 0, top: 0, labelTop: 0, caption: 0, overhang: 0, turned: false,
      tileColumns: count, tileRows: 1, tileHeight: BAR, bodyWidth: width - (left - x), bodyHeight: BAR,
      titleX: x, titleY: top - 4, titleWidth: left - x - 8,
    };
  });
}
