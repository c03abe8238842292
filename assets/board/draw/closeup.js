import { faded, roleColour, shadeOf } from "./colours.js";
import { cellNumber, isolated, shorten } from "../scene/numbers.js";
import { limitAt, nameAt, valueAt } from "../scene/scene.js";
import { CLOSE, TYPE } from "../place/sizes.js";

/** Write the numbers of the lit row and column beside each matrix whose cells are too small for numbers, as many as fit. */
export function paintCloseUps(context, look, placed) {
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
  const told = {};
  if (close.down && isOne(panel.rows)) {
    const room = Math.max(bodyWidth, titleX + titleWidth - x);
    const seen = pageOf(box.columns, at(panel.columns), room, Math.max(width, cell.width));
    const top = y + bodyHeight + CLOSE.gap * look.zoom;
    const cells = seen.places.map((place, i) => ({ place, x: x + i * seen.side, y: top, width: seen.side, height }));
    paintFan(context, look, light, [[x + seen.from * cell.width, y + bodyHeight], [x + seen.to * cell.width, y + bodyHeight], [x + seen.places.length * seen.side, top], [x, top]]);
    told.row = paintCells(context, look, { box, light, axis: panel.columns, cells });
    paintName(context, look, box, light, [x - 6 * look.zoom, top + height / 2]);
  }
  if (close.across && isOne(panel.columns)) {
    const side = cell.height >= CLOSE.least * look.zoom ? cell.height : height;
    const seen = pageOf(box.rows, at(panel.rows), bodyHeight, side);
    const left = x + bodyWidth + CLOSE.gap * look.zoom;
    const cells = seen.places.map((place, i) => ({ place, x: left, y: y + i * seen.side, width, height: seen.side }));
    paintFan(context, look, light, [[x + bodyWidth, y + seen.from * cell.height], [x + bodyWidth, y + seen.to * cell.height], [left, y + seen.places.length * seen.side], [left, y]]);
    told.column = paintCells(context, look, { box, light, axis: panel.rows, cells });
  }
  return told;
}

// The neighbouring places that have room, in pages as of a book: the page is turned only at its end.
function pageOf({ start, count }, place, room, side) {
  const size = Math.max(1, Math.min(count, Math.floor(room / side + 0.01)));
  const from = Math.max(0, Math.min(count - size, Math.floor((place - start) / size) * size));
  return { side, from, to: from + size, places: Array.from({ length: size }, (_, i) => start + from + i) };
}

function paintFan(context, { palette }, light, corners) {
  context.fillStyle = faded(colourOf(palette, light), 0.14);
  context.beginPath();
  for (const [x, y] of corners) context.lineTo(x, y);
  context.fill();
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
    const texts = values.map((value) => cellNumber(value, Number.isInteger(value) ? 0 : digits));
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
  context.font = `bold ${TYPE * zoom}px ${font}`;
  Object.assign(context, { textAlign: "right", textBaseline: "middle", fillStyle: colourOf(palette, light) });
  context.fillText(word ? isolated(shorten(text, longest)) : text, x, y);
}

function colourOf(palette, { kind, role }) {
  return kind === "cell" ? palette.focus : roleColour(palette, role);
}
