// Labels of rows and columns, captions of tiles, signs between matrices.
import { faded } from "./colours.js";
import { labelStep } from "../place/geometry.js";
import { isolated, shorten } from "../scene/numbers.js";
import { isNamed, labelAt, nameAt } from "../scene/scene.js";
import { TYPE } from "../place/sizes.js";

const CAPTION_LINE = 12; // px, from line to line of a caption
export const STEEPNESS = -Math.PI / 4;

/** Draw the labels of a panel's rows and columns and the captions of its tiles. */
export function paintLabels(context, box, look) {
  const { palette, font } = look;
  const zoom = box.zoom ?? look.zoom;
  Object.assign(context, { font: `${TYPE * zoom}px ${font}`, textBaseline: "middle" });
  if (box.panel.tiles !== null) for (const tile of box.tiles) paintCaption(context, box, tile, { ...look, zoom });
  if (box.small) return;
  paintWords(context, box, look.model, zoom, palette.muted);
  for (const spot of labelSpots(box, look.model, zoom, look.slices?.[box.array.name])) {
    if (spot.block % 2) paintBand(context, box, spot, palette, zoom);
    paintLabel(context, spot, isPadding(box, look.model, spot) ? palette.muted : spot.block % 2 ? palette.primary : palette.text);
  }
}

// Whether a place is padding of a sequence of a batch.
function isPadding({ array }, model, { axis, place }) {
  return place >= (model.axes[array.axes[axis]]?.real ?? Infinity);
}

// A line along the labels of pieces that make one word.
function paintWords(context, box, model, zoom, colour) {
  const first = box.tiles.filter((_, i) => i % box.tileColumns === 0);
  const parts = [[panelAxis(box, "rows"), box.rows, first], [panelAxis(box, "columns"), box.columns, box.tiles.slice(0, box.tileColumns)]];
  context.fillStyle = colour;
  for (const [axis, { start, count }, tiles] of parts) {
    for (const [from, to] of axis === null ? [] : wordsOf(model.axes[box.array.axes[axis]]?.continued ?? [], start, start + count)) {
      for (const tile of tiles) {
        const along = (size) => [(from - start + 0.25) * size, (to - from + 0.5) * size];
        const [[x, width], [y, height]] = [along(box.cell.width), along(box.cell.height)];
        if (axis === box.panel.rows) context.fillRect(tile.x - 4 * zoom, tile.y + y, 1.5, height);
        else context.fillRect(tile.x + x, tile.y - 4 * zoom, width, 1.5);
      }
    }
  }
}

function panelAxis({ panel, labelled }, side) {
  return labelled.includes(panel[side]) ? panel[side] : null;
}

// The first and the last place of each word of several pieces.
function wordsOf(continued, start, end) {
  const words = [];
  for (const place of continued) {
    if (place <= start || place >= end) continue;
    if (words.at(-1)?.[1] === place - 1) words.at(-1)[1] = place;
    else words.push([place - 1, place]);
  }
  return words;
}

/** Write the signs between the matrices of a row. */
export function paintSigns(context, { palette, zoom, font }, signs) {
  Object.assign(context, { font: `${24 * zoom}px ${font}`, textAlign: "center", textBaseline: "middle", fillStyle: palette.text });
  for (const { text, x, y } of signs) context.fillText(text, x, y);
}

/** The labels of a panel and their places: {text, x, y, turned, align, axis, place, block}. */
function labelSpots(box, model, zoom, slice) {
  const { panel, rows, columns, tiles, tileColumns } = box;
  const spots = (axis, seen, shown) => {
    if (!box.labelled.includes(axis)) return [];
    const places = placesWritten(box, model, axis, seen, zoom);
    return shown.flatMap((tile) => places.map((place) => labelSpot(box, model, tile, axis, place, zoom, slice)));
  };
  const firstColumn = tiles.filter((_, i) => i % tileColumns === 0);
  return [...spots(panel.rows, rows, firstColumn), ...spots(panel.columns, columns, tiles.slice(0, tileColumns))];
}

/** The position of the label of one place along an axis, at a tile. */
export function labelSpot(box, model, tile, axis, place, zoom, slice = []) {
  const { panel, rows, columns, cell, array, turned } = box;
  const letter = array.axes[axis];
  const block = model.axes[letter]?.block;
  const at = panel.tiles === null ? slice : slice.map((old, i) => (i === panel.tiles ? tile.place : old));
  const spot = { axis, place, text: written(nameAt(model, array, axis, place, at), box.longest), block: block ? Math.floor(place / block) : 0 };
  const y = tile.y + (place - rows.start + 0.5) * cell.height;
  if (axis === panel.rows) return { ...spot, x: tile.x - 6 * zoom, y, align: "right", turned: false };
  const x = tile.x + (place - columns.start + 0.5) * cell.width;
  return { ...spot, x, y: tile.y - (turned ? 6 : 8) * zoom, align: turned ? "left" : "center", turned };
}

/** The neighbours of a label, each with the distance of their lines, or of their middles if they stand in one line. */
export function spotsBeside(box, model, tile, { axis, place, x, y, turned }, zoom, slice = []) {
  const { start, count } = axis === box.panel.rows ? box.rows : box.columns;
  const places = placesWritten(box, model, axis, { start, count }, zoom);
  return [places.findLast((other) => other < place), places.find((other) => other > place)]
    .filter((other) => other !== undefined)
    .map((other) => labelSpot(box, model, tile, axis, other, zoom, slice))
    .map((spot) => ({ ...spot, apart: Math.hypot(spot.x - x, spot.y - y) * (turned ? Math.abs(Math.sin(STEEPNESS)) : 1) }));
}

function placesWritten(box, model, axis, { start, count }, zoom) {
  const { panel, cell, turned, array } = box;
  const digits = Math.max(2, String(start + count - 1).length);
  const words = isNamed(model, array, axis);
  const across = turned ? TYPE * 1.1 : words ? 1 : (digits + 1) * TYPE * 0.6;
  const step = axis === panel.rows ? labelStep(cell.height, TYPE * zoom) : labelStep(cell.width, across * zoom);
  return Array.from({ length: count }, (_, i) => start + i).filter((place) => place % step === 0);
}

/** The text of a label as it is drawn: shortened, and isolated from the direction of its surroundings. */
function written({ text, word }, longest) {
  return word ? isolated(shorten(text, longest)) : text;
}

/** Write one label. */
export function paintLabel(context, { text, x, y, turned, align }, colour) {
  Object.assign(context, { fillStyle: colour, textAlign: align });
  if (!turned) {
    context.fillText(text, x, y);
    return;
  }
  context.save();
  context.translate(x, y);
  context.rotate(STEEPNESS);
  context.fillText(text, 0, 0);
  context.restore();
}

// Every other block of labels stands on a band, so that blocks can be distinguished outside the matrix, too.
function paintBand(context, box, { axis, x, y, turned }, palette, zoom) {
  if (turned) return;
  const { panel, cell, left } = box;
  context.fillStyle = faded(palette.primary, 0.1);
  if (axis === panel.rows) context.fillRect(x - left + 8 * zoom, y - cell.height / 2, left - 4 * zoom, cell.height);
  else context.fillRect(x - cell.width / 2, y - 8 * zoom, cell.width, 14 * zoom);
}

/** Write the caption of a tile; with a background, lines from matrix to matrix pass behind it. */
export function paintCaption(context, box, tile, { model, palette, zoom, covered }, ground = null) {
  const letter = box.array.axes[box.panel.tiles];
  const place = written(labelAt(model, letter, tile.place), 14);
  const more = covered?.has(box.panel.array) ? null : box.panel.captions?.[tile.place];
  const label = more && !box.small ? `${place} · ${more}` : place;
  const long = `${model.axes[letter]?.word ?? ""} ${label}`.trim();
  const fits = (one, beyond = 2) => context.measureText(one).width <= box.tileWidth + beyond * zoom;
  const { brief } = box.panel;
  const short = brief ? brief[tile.place] : place;
  const text = !brief && fits(long) ? long : fits(label, brief ? 2 : 18) ? label : short;
  const low = tile.y - (tile.dy === 0 ? box.labelTop : 0) - 8 * zoom;
  const y = more && box.small ? low - CAPTION_LINE * zoom : low;
  if (ground) {
    context.fillStyle = ground;
    context.fillRect(tile.x - 3 * zoom, y - 7 * zoom, context.measureText(text).width + 6 * zoom, 14 * zoom);
  }
  Object.assign(context, { fillStyle: palette.muted, textAlign: "left" });
  context.fillText(text, tile.x, y);
  if (more && box.small) context.fillText(cutTo(context, more, box.tileWidth + 6 * zoom), tile.x, low);
}

// A text cut to its room.
function cutTo(context, text, width) {
  let cut = isolated(text);
  for (let end = text.length - 1; end > 0 && context.measureText(cut).width > width; end -= 1) cut = isolated(`${text.slice(0, end)}…`);
  return cut;
}
