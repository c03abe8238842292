// What is lit with a cell: what it reads, what reads it, and their numbers where cells show none.
import { faded, roleColour, shadeOf } from "./colours.js";
import { fillBetween, fillBox, outlineBox } from "./elements.js";
import { areasOf, rectanglesOf } from "../place/geometry.js";
import { labelSpot, paintCaption, paintLabel, spotsBeside, STEEPNESS } from "./lettering.js";
import { paintBeams } from "./links.js";
import { cellNumber, isolated, shorten } from "../scene/numbers.js";
import { indexRead, solve, solveAll } from "../scene/rules.js";
import { explainedBy, limitAt, nameAt, valueAt } from "../scene/scene.js";
import { CLOSE, TYPE } from "../place/sizes.js";

const MAX_SINGLE_CELLS = 64;
const PILL = 15; // px, the height of the mark behind a label
const NEAR = 0.8; // of the height of the type: nearer labels overlap

/** The highlights of a cell: ranges {kind, array, low, high, role}, of kind "cell", "read", "reader" or "twin". */
export function highlightsOf(model, { array, index }) {
  const lights = [{ kind: "cell", array, low: index, high: index }];
  const rule = model.rules[array];
  for (const read of rule?.reads ?? []) lights.push(...rangesRead(model, rule, read, index, rule.length ?? 1));
  for (const read of rule?.adds ?? []) lights.push(...rangesRead(model, rule, read, index, 1));
  for (const { result, rule: reader, read, added } of model.readers[array] ?? []) {
    const { whole, role } = model.arrays[result];
    for (const ranges of solveAll(added ? { ...reader, length: 1 } : reader, read, index, whole)) {
      const [low, high] = [0, 1].map((end) => ranges.map((range) => range[end]));
      lights.push({ kind: "reader", array: result, low, high, role: role === "text" ? "output" : role });
    }
  }
  return [...lights, ...twinsOf(model, { array, index }, lights), ...alikeIn(model, { array, index }), ...behind(model, { array, index })];
}

// What the score behind a share reads, in the arrays that are drawn.
function behind(model, cell) {
  const score = explainedBy(model, cell);
  if (score === cell) return [];
  const rule = model.rules[score.array];
  return (rule?.reads ?? []).flatMap((read) => rangesRead(model, rule, read, score.index, rule.length ?? 1)).map((light) => drawnSource(model, light));
}

// A range of an array without a panel is that of the array from which it is copied.
function drawnSource(model, light) {
  const rule = model.rules[light.array];
  if (rule?.operation !== "copy" || model.panels.some(({ array }) => array === light.array)) return light;
  const [low, high] = [light.low, light.high].map((at) => indexRead(rule.reads[0], at));
  return drawnSource(model, { ...light, array: rule.reads[0].array, low, high });
}

// Other cells that hold the same number, because their arrays copy from the same source.
function twinsOf(model, { array, index }, lights) {
  const rule = model.rules[array];
  if (rule?.operation !== "copy") return [];
  const [{ array: source, low }] = lights.filter(({ kind }) => kind === "read");
  const copies = (model.readers[source] ?? []).filter((reader) => reader.rule.operation === "copy" && reader.result !== array);
  return copies.flatMap(({ result, rule: copy, read }) => {
    const { whole, role } = model.arrays[result];
    const ranges = solve(copy, read, low, whole);
    const at = ranges?.map((range) => range[0]);
    return at ? [{ kind: "twin", array: result, low: at, high: at, role }] : [];
  });
}

// The same place in all matrices of a gallery, whatever the tile.
function alikeIn({ gallery, arrays, panels }, { array, index }) {
  if (!gallery) return [];
  const at = new Map(arrays[array].axes.map((letter, axis) => [letter, index[axis]]));
  return panels.map(({ array: name, tiles }) => {
    const { axes, whole, role } = arrays[name];
    const ends = axes.map((letter, axis) => (axis === tiles || !at.has(letter) ? [0, whole[axis] - 1] : [at.get(letter), at.get(letter)]));
    return { kind: "twin", array: name, role, low: ends.map(([low]) => low), high: ends.map(([, high]) => high) };
  });
}

// One range if the cells that are read follow one another along an axis, else one for each cell.
function rangesRead(model, rule, read, index, length) {
  const { role } = model.arrays[read.array];
  const one = (low, high) => ({ kind: "read", array: read.array, low, high, role });
  const [first, last] = [indexRead(read, index, 0), indexRead(read, index, length - 1)];
  const steps = first.map((place, axis) => last[axis] - place).filter((step) => step !== 0);
  if (steps.length <= 1 && (!steps.length || steps[0] === length - 1)) return [one(first, last)];
  return Array.from({ length: Math.min(length, MAX_SINGLE_CELLS) }, (_, k) => indexRead(read, index, k)).map((at) => one(at, at));
}

/** Draw the highlights of the current cell over the panels. */
export function paintHighlights(context, look, current, highlights) {
  const { palette } = look;
  const placed = highlights.flatMap((light) => areasOf(look, light.array, light.low, light.high).map((area) => ({ ...area, light })));
  const [cells, reads, twins] = ["cell", "read", "twin"].map((kind) => placed.filter(({ light }) => light.kind === kind));
  for (const light of highlights.filter(({ kind }) => kind === "read" || kind === "reader")) {
    const areas = placed.filter((area) => area.light === light);
    if (areas.length) paintBeams(context, areas, cells, twins, look);
  }
  paintCaptions(context, look);
  for (const area of reads) {
    const colour = roleColour(palette, area.light.role);
    context.fillStyle = faded(colour, 0.08);
    context.fillRect(area.x, area.y, area.width, area.height);
    outlineBox(context, area, colour, 2);
  }
  context.setLineDash([4, 3]);
  for (const area of placed) {
    if (["reader", "twin"].includes(area.light.kind)) outlineBox(context, area, roleColour(palette, area.light.role), 1.75, 2, -0.5);
  }
  context.setLineDash([]);
  for (const area of sameColumn(look, current)) paintCell(context, { ...area, thick: 1.5 }, palette);
  for (const area of reads) paintPills(context, look, area, roleColour(palette, area.light.role));
  for (const area of cells) paintPills(context, look, area, palette.focus);
  paintCloseUps(context, look, placed);
  // The ring must be seen from the last row of a lecture room.
  const thick = look.model.stage?.lecture ? { thick: 6 } : {};
  for (const area of cells) paintCell(context, { ...area, ...(area.box.small ? {} : thick) }, palette);
}

// The captions of tiles once more, over the links from matrix to matrix.
function paintCaptions(context, look) {
  Object.assign(context, { font: `${TYPE * look.zoom}px ${look.font}`, textBaseline: "middle" });
  for (const box of look.boxes) {
    if (box.small || box.panel.tiles === null) continue;
    for (const tile of box.tiles) paintCaption(context, box, tile, look, look.palette.background);
  }
}

// The cell for the place of the current one in a row that is opened below a matrix.
function sameColumn({ model, boxes, slices }, { array, index }) {
  const { axes, whole } = model.arrays[array];
  return boxes
    .filter(({ panel }) => panel.role === "row" && panel.array !== array && panel.columns !== null)
    .flatMap((box) => {
      const across = box.panel.columns;
      const axis = axes.findIndex((letter, i) => letter === box.array.axes[across] && whole[i] === box.array.whole[across]);
      if (axis < 0) return [];
      const at = slices[box.panel.array].map((place, i) => (i === across ? index[axis] : place));
      return rectanglesOf(box, slices[box.panel.array], at, at);
    });
}

/** Frame the tile that the slice of its array shows, in every panel of tiles; if several lines show it, in one of them. */
export function paintTileFrames(context, { boxes, slices, palette }, current) {
  const lines = boxes.filter(({ small, panel }) => small && panel.tiles !== null && panel.arrange === "across");
  for (const box of boxes) {
    const { panel, tiles, tileWidth, tileHeight, small } = box;
    if (panel.tiles === null || (lines.length > 1 && lines.includes(box) && panel.array !== current?.array)) continue;
    const tile = tiles.find(({ place }) => place === slices[panel.array][panel.tiles]);
    if (!tile) continue;
    outlineBox(context, { ...tile, width: tileWidth, height: tileHeight }, palette.primary, 2, 4, small ? 2.5 : 1);
  }
}

function paintCell(context, { box, thick = box.small ? 1.5 : 3, ...area }, palette) {
  outlineBox(context, area, palette.background, thick + 2.5);
  outlineBox(context, area, palette.focus, thick);
}

// The labels of the row and the column of an area, bold on a background.
function paintPills(context, look, { box, tile, light }, colour) {
  const { panel } = box;
  if (box.small) return;
  for (const axis of [panel.rows, panel.columns]) {
    if (axis === null || light.low[axis] !== light.high[axis] || !box.labelled.includes(axis)) continue;
    const [rowHead, columnHead] = [box.tiles.find(({ dy }) => dy === tile.dy), box.tiles.find(({ dx }) => dx === tile.dx)];
    const head = axis === panel.rows ? rowHead : columnHead;
    const slice = look.slices[box.array.name];
    const spot = labelSpot(box, look.model, head, axis, light.low[axis], look.zoom, slice);
    paintPill(context, look, spot, spotsBeside(box, look.model, head, spot, look.zoom, slice), colour);
  }
}

// Labels that the mark would cover in part are hidden; from labels a little farther away it keeps a distance.
function paintPill(context, { palette, zoom, font }, spot, beside, colour) {
  Object.assign(context, { font: `bold ${TYPE * zoom}px ${font}`, textBaseline: "middle" });
  const widthOf = ({ text }) => context.measureText(text).width;
  const inLine = spot.align === "center";
  const tooNear = (other) => other.apart < (inLine ? (widthOf(spot) + widthOf(other)) / 2 : NEAR * TYPE * zoom);
  for (const other of beside.filter(tooNear)) paintPatch(context, other, [widthOf(other), PILL * zoom], zoom, [palette.background]);
  const room = Math.min(...beside.filter((other) => !tooNear(other)).map(({ apart }) => 2 * apart - 0.8 * TYPE * zoom));
  const height = inLine ? PILL * zoom : Math.max(TYPE * zoom, Math.min(PILL * zoom, room));
  paintPatch(context, spot, [widthOf(spot), height], zoom, [palette.background, faded(colour, 0.16)]);
  paintLabel(context, spot, colour);
}

// A rounded rectangle behind a label, turned with it.
function paintPatch(context, { x, y, turned, align }, [width, height], zoom, fills) {
  const from = { right: -width, left: 0, center: -width / 2 }[align] - 3 * zoom;
  context.save();
  context.translate(x, y);
  if (turned) context.rotate(STEEPNESS);
  for (const fill of fills) fillBox(context, { x: from, y: -height / 2, width: width + 6 * zoom, height }, fill, 4);
  context.restore();
}

/** Write the numbers of the lit row and column beside each matrix whose cells are too small for numbers, as many as fit. */
function paintCloseUps(context, look, placed) {
  for (const box of look.boxes) {
    if (!box.close?.across && !box.close?.down) continue;
    const areas = placed.filter((area) => area.box === box);
    const area = ["cell", "read"].map((kind) => areas.find(({ light }) => light.kind === kind)).find(Boolean);
    box.closeUp = area ? paintBoth(context, look, box, area.light) : {};
  }
}

function paintBoth(context, look, box, light) {
  const { panel, x, y, bodyWidth, bodyHeight, cell, titleX, titleWidth, close } = box;
  const isOne = (axis) => axis !== null && light.low[axis] === light.high[axis];
  const at = (axis) => (light.kind === "cell" ? light.low : look.slices[box.array.name])[axis];
  const [width, height] = [CLOSE.width * look.zoom, CLOSE.height * look.zoom];
  const paintFan = (corners) => fillBetween(context, corners, faded(colourOf(look.palette, light), 0.14));
  const told = {};
  if (close.down && isOne(panel.rows)) {
    context.font = `${TYPE * look.zoom}px ${look.font}`;
    const room = Math.max(bodyWidth, titleX + titleWidth - x);
    const seen = pageOf(box.columns, at(panel.columns), room, Math.max(width, cell.width), context.measureText(partWords(box.columns).join(" ")).width + 6);
    const top = y + bodyHeight + CLOSE.gap * look.zoom;
    const cells = seen.places.map((place, i) => ({ place, x: x + i * seen.side, y: top, width: seen.side, height }));
    paintFan([[x + seen.from * cell.width, y + bodyHeight], [x + seen.to * cell.width, y + bodyHeight], [x + seen.places.length * seen.side, top], [x, top]]);
    told.row = paintCells(context, look, { box, light, axis: panel.columns, cells });
    paintName(context, look, box, light, [x - 6 * look.zoom, top + height / 2]);
    told.rowPart = paintPart(context, look, seen, box.columns, (words) => [[words.join(" "), x + seen.places.length * seen.side + 5, top + height / 2, "left"]]);
  }
  if (close.across && isOne(panel.columns)) {
    const side = cell.height >= CLOSE.least * look.zoom ? cell.height : height;
    const line = 1.2 * TYPE * look.zoom;
    const seen = pageOf(box.rows, at(panel.rows), bodyHeight, side, 2 * line);
    const left = x + bodyWidth + CLOSE.gap * look.zoom;
    const cells = seen.places.map((place, i) => ({ place, x: left, y: y + i * seen.side, width, height: seen.side }));
    paintFan([[x + bodyWidth, y + seen.from * cell.height], [x + bodyWidth, y + seen.to * cell.height], [left, y + seen.places.length * seen.side], [left, y]]);
    told.column = paintCells(context, look, { box, light, axis: panel.rows, cells });
    const below = y + seen.places.length * seen.side + line / 2;
    told.columnPart = paintPart(context, look, seen, box.rows, (words) => words.map((text, i) => [text, left + width / 2, below + i * line, "center"]));
  }
  return told;
}

// Which places of an axis a close-up shows, in two parts; without places those that take the most room.
function partWords({ size }, places = [size - 1, size - 1]) {
  return [places.length === 1 ? `${places[0]}` : `${places[0]}–${places.at(-1)}`, `of ${size}`];
}

// Say which part of an axis a close-up shows, if it is not all; gives the words.
function paintPart(context, { palette, zoom, font }, { places }, window, linesOf) {
  if (places.length === window.size) return "";
  const words = partWords(window, places);
  Object.assign(context, { font: `${TYPE * zoom}px ${font}`, textBaseline: "middle", fillStyle: palette.muted });
  for (const [text, x, y, textAlign] of linesOf(words)) {
    context.textAlign = textAlign;
    context.fillText(text, x, y);
  }
  return words.join(" ");
}

/** The neighbouring places that have room, in pages as of a book: the page is turned only at its end. tail: px that words need after some of the places. */
export function pageOf({ start, count }, place, room, side, tail = 0) {
  const fits = (px) => Math.max(1, Math.min(count, Math.floor(px / side + 0.01)));
  const size = fits(room) < count ? fits(room - tail) : count;
  const from = Math.max(0, Math.min(count - size, Math.floor((place - start) / size) * size));
  return { side, from, to: from + size, places: Array.from({ length: size }, (_, i) => start + from + i) };
}

// The numbers along one axis, at the lit places of the others; gives the cells as they are drawn.
function paintCells(context, look, { box, light, axis, cells }) {
  const { model, palette, slices, zoom, font } = look;
  const { array } = box;
  const index = slices[array.name].map((place, i) => (light.low[i] === light.high[i] ? light.low[i] : place));
  const values = cells.map(({ place }) => valueAt(model, array.name, index.with(axis, place)));
  context.font = `${TYPE * zoom}px ${font}`;
  const texts = numbersWithin(context, values, cells[0].width - 3);
  Object.assign(context, { textAlign: "center", textBaseline: "middle" });
  cells.forEach(({ place, x, y, width, height }, i) => {
    const covered = look.blank?.(box, index.with(axis, place));
    if (covered) texts[i] = "";
    paintCloseCell(context, look, { array, index: index.with(axis, place), value: values[i], text: texts[i] }, [x, y, width, height]);
  });
  frameCells(context, palette, light, axis, cells);
  return texts;
}

/** Numbers as texts for cells of a width, with as many decimals as the longest number leaves room for. */
export function numbersWithin(context, values, room) {
  for (const digits of [2, 1, 0]) {
    const texts = values.map((value) => (Number.isNaN(value) ? "" : cellNumber(value, Number.isInteger(value) ? 0 : digits)));
    if (!digits || texts.every((text) => context.measureText(text).width <= room)) return texts;
  }
  return [];
}

/** Draw one cell with its number, or covered if it has no text. */
export function paintCloseCell(context, { palette }, { array, index, value, text }, [x, y, width, height]) {
  const scale = palette.scales[array.kind] ?? palette.scales.feature;
  const shade = text && Number.isFinite(value) ? shadeOf(value, limitAt(array, index), array.kind === "probability") : -1;
  context.fillStyle = shade < 0 ? palette.hidden : scale.css[shade];
  context.fillRect(x, y, width - 1, height - 1);
  context.fillStyle = shade < 0 ? palette.text : scale.inks[shade];
  context.fillText(text, x + width / 2 - 0.5, y + height / 2 + 0.5);
}

function frameCells(context, palette, light, axis, cells) {
  const lit = light.kind === "cell" ? cells.filter(({ place }) => place === light.low[axis]) : cells;
  if (!lit.length) return;
  const [first, last] = [lit[0], lit.at(-1)];
  Object.assign(context, { strokeStyle: colourOf(palette, light), lineWidth: 2 });
  context.strokeRect(first.x - 0.5, first.y - 0.5, last.x + last.width - first.x, last.y + last.height - first.y);
}

function paintName(context, { model, palette, zoom, font }, { array, panel, left, longest }, light, [x, y]) {
  if (!left) return;
  const { text, word } = nameAt(model, array, panel.rows, light.low[panel.rows], light.low);
  Object.assign(context, { font: `bold ${TYPE * zoom}px ${font}`, textAlign: "right", textBaseline: "middle", fillStyle: colourOf(palette, light) });
  context.fillText(word ? isolated(shorten(text, longest)) : text, x, y);
}

function colourOf(palette, { kind, role }) {
  return kind === "cell" ? palette.focus : roleColour(palette, role);
}
