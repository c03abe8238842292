// What a model would say at each place, as chips with a word and its share, and the arcs of attention between two rows.
import { faded } from "./colours.js";
import { fillBox, outlineBox } from "./elements.js";
import { indexIn } from "../place/geometry.js";
import { percentOf } from "../scene/numbers.js";
import { offsetOf, valueAt } from "../scene/scene.js";

// What a chip is: of no answer, of the last answer of its column, of the answer of the text, a word of the text, the same as the answer, a part of a layer, what comes next.
const [, SETTLED, ANSWER, WORD, FOUND, PART, COMES] = [0, 1, 2, 3, 4, 5, 6];
const WEAVE = { thin: 0.6, thick: 9, pale: 0.12, told: 0.1, near: 7 }; // px; the opacity of a share of 0; shares that are written; how near a pointer is
const TOLD_SIZE = 11; // px
const CURVE_POINTS = 16; // points of an arc

/** The area of a chip in its cell, whose upper part is for arcs. */
export function chipArea({ tiles: [tile], cell, rows, columns, gap = 0 }, row, column) {
  const [across, down] = [gap || columns.count > 1 ? 2 : 0, gap ? 0 : 1];
  const [x, y] = [tile.x + (column - columns.start) * cell.width, tile.y + (row - rows.start) * cell.height];
  return { x: x + across, y: y + gap + down, width: cell.width - 2 * across, height: cell.height - gap - 2 * down };
}

const toneOf = ({ array }, index) => array.tones[offsetOf(array, index)];
const wordOf = ({ array }, index) => array.words[offsetOf(array, index)];

/** Draw a panel of chips: its arcs below them. */
export function paintChips(context, box, look) {
  const slice = look.slices[box.array.name];
  if (isAlone(box)) for (let row = 0; row < box.rows.count - 1; row += 1) paintReadWords(context, box, look, row);
  else for (const arc of arcsShown(box, look)) paintArc(context, box, look, arc);
  if (box.named) paintLineName(context, box, look);
  for (let row = box.rows.start; row < box.rows.start + box.rows.count; row += 1) {
    if (box.panel.strip === undefined && box.gap) paintRowName(context, box, look, row);
    for (let column = box.columns.start; column < box.columns.start + box.columns.count; column += 1) {
      const index = indexIn(box, slice, null, row, column);
      paintChip(context, box, look, index, chipArea(box, row, column));
    }
  }
}

// On a narrow page one column stands alone, and what it reads is written between its chips.
const isAlone = ({ columns, panel }) => Boolean(panel.arcs) && columns.count === 1 && columns.size > 1;

function paintReadWords(context, box, look, row) {
  const { x, y, width, height } = chipArea(box, row, box.columns.start);
  const [first] = strongest(box, row);
  if (!first || look.blank?.(box, [row, box.columns.start])) return;
  const middle = [x + width / 2, y + height + box.gap / 2];
  const words = first.added ? `${first.name}, “${look.model.axes.word.labels[first.key]}”` : readsOf(look, [row, box.columns.start], 2).map(({ word, share }) => `${word} ${percentOf(share)}`).join(", ");
  writeAt(context, look, middle, `↑ ${cutText(context, words, width)}`, first.added ? look.palette.output : look.palette.muted, 12);
}

// The arcs into a column that stands alone, the one that adds to the answer or has the largest share first.
const strongest = (box, row) => box.panel.arcs.map(arcOf).filter((arc) => arc.row === row && arc.query === box.columns.start).sort((a, b) => b.added - a.added || b.share - a.share);

// What a line of chips is, before it.
function paintLineName(context, { x, y, bodyHeight, named }, { palette, font }) {
  Object.assign(context, { font: `600 12px ${font}`, textAlign: "right", textBaseline: "middle", fillStyle: palette.muted });
  context.fillText(named, x - 10, y + bodyHeight / 2);
}

function paintRowName(context, box, { model, palette, font, zoom }, row) {
  const { x, y, height } = chipArea(box, row, box.columns.start);
  Object.assign(context, { font: `600 ${12 * Math.min(zoom, 1.2)}px ${font}`, textAlign: "right", textBaseline: "middle", fillStyle: palette.muted });
  context.fillText(model.axes.layer.labels[row], x - 10, y + height / 2);
}

function paintChip(context, box, look, index, area) {
  const { palette } = look;
  const [tone, share] = [toneOf(box, index), valueAt(look.model, box.array.name, index)];
  if (look.blank?.(box, index)) {
    return dashed(context, () => outlineBox(context, area, palette.line, 1, 6, -0.5));
  }
  const colour = { [SETTLED]: palette.primary, [ANSWER]: palette.output, [FOUND]: palette.output, [COMES]: palette.output }[tone] ?? palette.muted;
  if (box.panel.strip) return fillBox(context, area, faded(colour, tone === WORD ? 0.5 : 0.15 + 0.75 * share), 2, -1);
  if (tone !== WORD) fillBox(context, area, palette.background, 6, -0.5);
  fillBox(context, area, faded(colour, tone === PART ? 0.07 : 0.09), 6, -0.5);
  if (Number.isFinite(share)) {
    context.save();
    context.beginPath();
    context.rect(area.x, area.y, area.width * share, area.height);
    context.clip();
    fillBox(context, area, faded(colour, palette.dark ? 0.38 : 0.24), 6, -0.5);
    context.restore();
  }
  const strong = [ANSWER, FOUND].includes(tone);
  if (tone !== PART) outlineBox(context, area, faded(colour, strong ? 1 : tone === SETTLED ? 0.55 : 0.3), strong ? 2 : 1, 6, -0.5);
  const was = box.array.before?.[offsetOf(box.array, index)];
  if (was) dashed(context, () => outlineBox(context, area, palette.focus, 2, 6, -0.5));
  writeChip(context, look, { text: wordOf(box, index), share, was, tone, colour: strong ? palette.output : palette.text }, area);
}

function dashed(context, draw) {
  context.setLineDash([3, 3]);
  draw();
  context.setLineDash([]);
}

function writeChip(context, { palette, font }, { text, share, was, tone, colour }, { x, y, width, height }) {
  const part = Number.isFinite(share) ? percentOf(share) : "";
  const told = was ? `was ${was}` : part;
  const size = tone === PART ? TOLD_SIZE : Math.max(12, Math.min(17, 0.42 * height));
  const bold = [PART, COMES].includes(tone) ? "" : "650 ";
  const write = (words, px, weight, ink, at) => {
    Object.assign(context, { font: `${weight}${px}px ${font}`, fillStyle: ink, textAlign: "center", textBaseline: "middle" });
    context.fillText(cutText(context, words, width - 6), x + width / 2, at);
  };
  context.font = `${bold}${size}px ${font}`;
  const line = part ? `${text} ${part}` : text;
  if (!was && (context.measureText(line).width <= width - 8 || height < 24)) return write(line, size, bold, colour, y + height / 2 + 0.5);
  const word = told ? Math.min(size, height * 0.42) : size;
  write(was ? line : text, word, bold, colour, y + height * (told ? 0.33 : 0.5) + 0.5);
  if (told) write(told, Math.max(10, 0.86 * word), "", palette.text, y + height * 0.74);
}

function cutText(context, text, width) {
  let cut = text;
  for (let end = text.length - 1; end > 0 && context.measureText(cut).width > width; end -= 1) cut = `${text.slice(0, end)}…`;
  return cut;
}

// The arcs of a panel that can be drawn: of rows that were reached, between columns that are shown.
function arcsShown(box, look, only = () => true) {
  const { panel, columns, array } = box;
  const isIn = (column) => column >= columns.start && column < columns.start + columns.count;
  return (panel.arcs ?? []).map(arcOf).filter((arc) => isIn(arc.query) && isIn(arc.key) && only(arc) && !look.blank?.(box, [arc.row, arc.query].slice(0, array.axes.length)));
}

const arcOf = ([row, query, key, share, added = 0, who = ""]) => ({ row, query, key, share, added, who, name: `${who}: ${percentOf(share)}` });

// An arc from the chip that is read, below, to the one that reads.
function curveOf(box, { row, query, key }) {
  const [from, to] = [chipArea(box, row + 1, key), chipArea(box, row, query)];
  const [[x1, y1], [x2, y2]] = [[from.x + from.width / 2, from.y], [to.x + to.width / 2, to.y + to.height]];
  const bend = 0.55 * (y1 - y2);
  return [[x1, y1], [x1, y1 - bend], [x2, y2 + bend], [x2, y2]];
}

function trace(context, [from, ...points]) {
  context.beginPath();
  context.moveTo(...from);
  context.bezierCurveTo(...points.flat());
  context.stroke();
}

function paintArc(context, box, look, arc) {
  const { palette } = look;
  const { share, added, name } = arc;
  const [colour, opacity] = added ? [palette.output, 0.9] : [palette.muted, WEAVE.pale + 0.5 * share];
  Object.assign(context, { strokeStyle: faded(colour, opacity), lineWidth: WEAVE.thin + (added ? WEAVE.thick * Math.max(0.35, share) : 3.5 * share), lineCap: "round" });
  trace(context, curveOf(box, arc));
  if (added) writeAt(context, look, nameAtArc(box, arc), name, palette.output, 12);
}

// Names of several arcs stand at several heights.
function nameAtArc(box, arc) {
  const place = box.panel.arcs.filter(([row, , , , added]) => added && row === arc.row).findIndex(([, , key]) => key === arc.key);
  return curvePoint(curveOf(box, arc), [0.5, 0.2, 0.8, 0.35][place % 4]);
}

function writeAt(context, { palette, font, boxes }, [middle, y], text, colour, size = TOLD_SIZE) {
  Object.assign(context, { font: `650 ${size}px ${font}`, textAlign: "center", textBaseline: "middle" });
  const width = context.measureText(text).width + 10;
  const chips = boxes.at(-1);
  const x = Math.min(middle, chips.x + chips.bodyWidth - width / 2);
  fillBox(context, { x: x - width / 2, y: y - 0.7 * size, width, height: 1.4 * size }, palette.background, 5);
  context.fillStyle = colour;
  context.fillText(text, x, y + 0.5);
}

function curvePoint(curve, t) {
  const parts = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t ** 3];
  return [0, 1].map((axis) => curve.reduce((sum, point, i) => sum + parts[i] * point[axis], 0));
}

/** Draw what is lit with a chip or an arc: what it reads, as far as it has grown. */
export function paintReads(context, look, { array, index }, grown = 1) {
  const box = look.boxes.find(({ panel }) => panel.arcs);
  if (!box || isAlone(box) || !["chips", "arcs"].includes(array)) return;
  const { palette } = look;
  const lit = arcsShown(box, look, ({ row, query, key }) => row === index[0] && query === index[1] && (array === "chips" || key === index[2]));
  for (const arc of lit) {
    const colour = arc.added ? palette.output : palette.primary;
    Object.assign(context, { strokeStyle: colour, lineWidth: 1 + WEAVE.thick * arc.share, lineCap: "round" });
    const whole = curveOf(box, arc);
    trace(context, grown < 1 ? grownPart(whole, grown) : whole);
  }
  for (const arc of lit.filter(({ added }) => added)) writeAt(context, look, nameAtArc(box, arc), arc.name, palette.output, 12);
  const named = lit.filter(({ added }) => added).map(({ key }) => key);
  for (const arc of lit.filter(({ share, key }) => !named.includes(key) && grown === 1 && (share >= WEAVE.told || array === "arcs"))) {
    writeAt(context, look, curvePoint(curveOf(box, arc), 0.2), percentOf(arc.share), palette.primary);
  }
}

// The first part of a curve.
function grownPart(points, t) {
  const between = ([a, b], [c, d]) => [a + (c - a) * t, b + (d - b) * t];
  const [p, q, r, s] = points;
  const [pq, qr, rs] = [between(p, q), between(q, r), between(r, s)];
  const [one, two] = [between(pq, qr), between(qr, rs)];
  return [p, pq, one, between(one, two)];
}

/** What is at a point of a cell: its chip, or above it the nearest arc as a cell {array, index}; null for nothing. */
export function chipUnder(look, { box, index }, [x, y]) {
  const [row, column] = index;
  if (!box.gap || y >= chipArea(box, row, column).y) return { array: box.array.name, index };
  const [first] = isAlone(box) ? strongest(box, row - 1) : [];
  if (first) return { array: "arcs", index: [first.row, first.query, first.key] };
  const arcs = arcsShown(box, look, (arc) => arc.row === row - 1);
  const far = (arc) => Math.min(...Array.from({ length: CURVE_POINTS + 1 }, (_, i) => curvePoint(curveOf(box, arc), i / CURVE_POINTS)).map(([a, b]) => Math.hypot(a - x, b - y))) - (arc.added ? 4 : 0);
  const near = arcs.map((arc) => [far(arc), arc]).filter(([distance]) => distance < WEAVE.near).sort(([a], [b]) => a - b);
  return near.length ? { array: "arcs", index: [near[0][1].row, near[0][1].query, near[0][1].key] } : null;
}

/** The arcs into a place, the largest share first. */
export function arcsInto({ model, boxes }, [row, query]) {
  const arcs = boxes.find(({ panel }) => panel.arcs)?.panel.arcs ?? [];
  const found = arcs.map(arcOf).filter((arc) => arc.row === row && arc.query === query);
  return found.sort((a, b) => b.share - a.share).map((arc) => ({ ...arc, word: model.axes.word.labels[arc.key] }));
}

/** The same without those of single heads: {word, share, key}. */
export function readsOf(board, index, most = 3) {
  return arcsInto(board, index).filter(({ added }) => !added).slice(0, most).map(({ key, share, word }) => ({ key, share, word }));
}
