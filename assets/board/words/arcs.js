// The places of the words of a sentence, its arcs, and what is said about a share.
import { button, element } from "../draw/elements.js";
import { figure, percentOf, shorten } from "../scene/numbers.js";
import { offsetOf, valueAt } from "../scene/scene.js";

/**
 * The places of the words of a sentence in one line: {size, words: [{place, x, width}], gaps: [{x, width, count}]}.
 *
 * widthOf(word, size): px; room: {from, width, continued: the places that continue a word}; sizes: {most, least} px of the type. All words are shown in the largest type
 * with which they fit; of a longer sentence the word in focus, those wanted, as long as there is room, and those around the word in focus. A gap stands for words that are left out.
 */
export function lineOfWords(words, focus, room, sizes, widthOf, wanted = []) {
  for (let size = sizes.most; size >= sizes.least; size -= 1) {
    const line = spread(words.map((_, place) => place), words, size, widthOf, room);
    if (line) return { size, ...line };
  }
  const size = sizes.least;
  let line = spread([focus], words, size, widthOf, room);
  let shown = [focus];
  const around = words.flatMap((_, turn) => [focus - turn - 1, focus + turn + 1]).filter((place) => place >= 0 && place < words.length);
  for (const place of [...wanted, ...around]) {
    if (shown.includes(place)) continue;
    const longer = [...shown, place].sort((a, b) => a - b);
    const longerLine = spread(longer, words, size, widthOf, room);
    if (!longerLine && !wanted.includes(place)) break;
    if (longerLine) [shown, line] = [longer, longerLine];
  }
  return { size, words: [], gaps: [], ...line };
}

const WORD_GAP = { least: 0.5, most: 2.2 }; // of the size of the type

/** What stands where a line leaves words out. */
export function leftOutWords(count) {
  return `… ${count} …`;
}

// The words side by side in the middle of the room, with what is left out between them; null if they do not fit. Between pieces of one word is no gap.
function spread(places, words, size, widthOf, { from, width, continued = [] }) {
  const parts = [];
  let next = 0;
  for (const place of [...places, words.length]) {
    if (place > next) parts.push({ count: place - next, width: widthOf(leftOutWords(place - next), size) });
    if (place < words.length) parts.push({ place, width: widthOf(words[place], size), joined: continued.includes(place) && place === next });
    next = place + 1;
  }
  const used = parts.reduce((sum, one) => sum + one.width, 0);
  const spaces = parts.slice(1).filter(({ joined }) => !joined).length;
  const space = spaces ? Math.min(WORD_GAP.most * size, (width - used) / spaces) : 0;
  if (used > width || (spaces && space < WORD_GAP.least * size)) return null;
  let x = from + (width - used - space * spaces) / 2;
  parts.forEach((part, i) => {
    x += i && !part.joined ? space : 0;
    part.x = x;
    x += part.width;
  });
  return { words: parts.filter(({ count }) => !count).map(({ place, x: at, width: wide }) => ({ place, x: at, width: wide })), gaps: parts.filter(({ count }) => count).map(({ count, x: at, width: wide }) => ({ count, x: at, width: wide })) };
}

const ARC = { thin: 1.25, thick: 13, lowest: 0.36, far: 240 }; // px; the height of the lowest arc as a share of the room

/**
 * The arcs of the word in focus: {place, share, thick, curve: four points, path, top: [x, y]}, the largest share first.
 *
 * shares: pairs of a place and its share; middles: the x of each place that is shown; base: the y of their ends; room: px above
 * it, or below it if side is 1; scale: of the thickness.
 */
export function arcsFrom(focus, shares, middles, { base, room, side, scale = 1 }) {
  const end = middles.get(focus);
  if (end === undefined) return [];
  const shown = shares.filter(([place]) => middles.has(place));
  const farthest = Math.max(ARC.far, ...shown.map(([place]) => Math.abs(end - middles.get(place))));
  return shown.map(([place, share]) => {
    const start = middles.get(place);
    const thick = scale * (ARC.thin + ARC.thick * share);
    const high = Math.max(4, room - thick / 2) * (ARC.lowest + ((1 - ARC.lowest) * Math.abs(end - start)) / farthest);
    const [y, bend] = [base + side * high, base + side * high * (4 / 3)];
    const wide = Math.min(14, 0.6 * high + 4);
    const [from, left, right, to] = place === focus ? [start - 3, start - wide, start + wide, start + 3] : [start, start, end, end];
    const path = `M${from} ${base}C${left} ${bend} ${right} ${bend} ${to} ${base}`;
    return { place, share, thick, curve: [[from, base], [left, bend], [right, bend], [to, base]], path, top: [(from + to) / 2, y] };
  });
}

const LABEL = { letter: 0.6, high: 0.8, apart: 3, others: 6 }; // of the size of the type; px between a label and its arc, and the least to others
const AT = [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82, 0.11, 0.89]; // of the way along an arc
const SAMPLES = 48; // points of an arc

/**
 * Where the percentages of arcs stand free, each nearest to its own arc: a map from each arc with such a place to the middle of its label [x, y]. An arc of a large
 * share has the first choice; the first label of a side may stand near another arc, and on one if it must.
 *
 * arcs: with `side`, see `arcsFrom`; size: px of the type of an arc's label; bounds(side): {left, right, top, bottom} of the labels of one side; wanted: the arcs to label.
 */
export function labelPlaces(arcs, size, bounds, wanted = arcs) {
  const points = arcs.map(({ curve }) => Array.from({ length: SAMPLES + 1 }, (_, i) => pointOf(curve, i / SAMPLES)));
  const places = new Map();
  const taken = [];
  for (const arc of [...wanted].sort((a, b) => b.share - a.share)) {
    const [wide, high] = [LABEL.letter * size(arc) * percentOf(arc.share).length, LABEL.high * size(arc)];
    const isFree = ([x, y], others) => {
      const [dx, dy] = [wide / 2, high / 2];
      const { left, right, top, bottom } = bounds(arc.side);
      if (x - dx < left || x + dx > right || y - dy < top || y + dy > bottom) return false;
      if (taken.some((one) => Math.abs(one.x - x) < one.dx + dx + LABEL.apart && Math.abs(one.y - y) < one.dy + dy)) return false;
      const apart = (i) => arcs[i].thick / 2 + (arcs[i] === arc ? 0 : others);
      return points.every((line, i) => line.every(([px, py]) => Math.max(Math.abs(px - x) - dx, Math.abs(py - y) - dy) >= apart(i)));
    };
    const tried = AT.flatMap((t) => besideCurve(arc, t, wide, high));
    const isFirst = ![...places.keys()].some(({ side }) => side === arc.side);
    const nearer = isFirst ? [0, -Infinity] : [];
    const place = [LABEL.others, ...nearer].map((others) => tried.find((at) => isFree(at, others))).find(Boolean);
    if (!place) continue;
    places.set(arc, place);
    taken.push({ x: place[0], y: place[1], dx: wide / 2, dy: high / 2 });
  }
  return places;
}

// The middles of a label outside and inside an arc, at a part of its way.
function besideCurve({ curve, thick, side }, t, wide, high) {
  const [x, y] = pointOf(curve, t);
  const [[ax, ay], [bx, by]] = [pointOf(curve, t - 0.01), pointOf(curve, t + 0.01)];
  const long = Math.hypot(bx - ax, by - ay) || 1;
  const out = Math.sign(bx - ax || 1) * side;
  const [nx, ny] = [(-(by - ay) / long) * out, ((bx - ax) / long) * out];
  const far = thick / 2 + LABEL.apart + (Math.abs(nx) * wide + Math.abs(ny) * high) / 2;
  return [1, -1].map((sign) => [x + sign * nx * far, y + sign * ny * far]);
}

// A point of a curve given by four points.
function pointOf(curve, t) {
  const parts = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t ** 3];
  return [0, 1].map((axis) => curve.reduce((sum, point, i) => sum + parts[i] * point[axis], 0));
}

/** The most characters of a word in the sentence. */
export const LONGEST_WORD = 16;

/** The place of a cell along an axis; null if its array has no such axis. */
export function placeAlong(model, cell, letter) {
  const axis = cell && model.arrays[cell.array] ? model.arrays[cell.array].axes.indexOf(letter) : -1;
  return axis < 0 ? null : cell.index[axis];
}

/** A cell with other places along some axes. */
export function withPlaces(model, { array, index }, places) {
  const { axes } = model.arrays[array];
  return { array, index: index.map((place, axis) => places[axes[axis]] ?? place) };
}

/** The shares of a row of an array of shares, the largest first. */
export function rowOf(model, cell, place) {
  if (!cell) return [];
  const { axes, whole } = model.arrays[cell.array];
  const at = withPlaces(model, cell, { T: place });
  const keys = Array.from({ length: whole[axes.indexOf("S")] }, (_, key) => key);
  const read = keys.map((key) => withPlaces(model, at, { S: key })).filter(({ array, index }) => offsetOf(model.arrays[array], index) >= 0);
  const shares = read.map(({ array, index }) => [index[axes.indexOf("S")], valueAt(model, array, index)]);
  return shares.filter(([, share]) => share > 0).sort((a, b) => b[1] - a[1]);
}

const LEAST = { word: 0.01, piece: 0.0005 }; // smaller shares have no arc
const MOST_ARCS = 24;

/**
 * The units of a sentence {from, to, text, parts, joined, piece}: its words, and in the place of the opened one its pieces. Pieces are its tokens.
 *
 * about: the sentence of a scene, with groups [first, after the last, text, parts] if words stand for pieces. joined: whether a unit touches the one before it;
 * piece: whether it is one of an opened word; parts: the letters of each piece of a word that has several.
 */
export function unitsOf({ words, groups, continued = [] }, opened = null) {
  const single = (place, joined, piece = false, text = words[place]) => ({ from: place, to: place + 1, text, parts: [], joined, piece });
  if (!groups) return words.map((_, place) => single(place, continued.includes(place)));
  return groups.flatMap(([from, to, text, parts = []]) => {
    const touches = continued.includes(from); // a mark behind a word
    if (to - from === 1) return [single(from, touches, false, text)];
    if (opened === from) return words.slice(from, to).map((_, i) => single(from + i, touches || i > 0, true));
    return [{ from, to, text, parts, joined: touches, piece: false }];
  });
}

/** The shares of units, each the sum of those of its pieces: pairs of the place of a unit and its share, the largest first. shares: pairs of a piece and its share. */
export function sharesOfUnits(units, shares) {
  const of = new Map(shares);
  const sums = units.map(({ from, to }, unit) => [unit, Array.from({ length: to - from }, (_, i) => of.get(from + i) ?? 0).reduce((sum, one) => sum + one, 0)]);
  const worth = ([unit, share]) => share >= (units[unit].piece ? LEAST.piece : LEAST.word);
  return sums.filter(worth).sort((a, b) => b[1] - a[1]).slice(0, MOST_ARCS);
}

/** The sentence about a word without names: whom it reads most. words, shares: of units. */
export function saidOf(says, words, focus, shares) {
  const [first, second] = shares;
  const even = second && first[1] - second[1] < 1e-4;
  const count = even ? shares.filter(([, share]) => first[1] - share < 1e-4).length : 0;
  const form = !first ? says.none : even ? says.even : says.most;
  const facts = { query: shorten(words[focus], LONGEST_WORD), key: first && shorten(words[first[0]], LONGEST_WORD), share: first && percentOf(first[1]), count };
  return filledIn(form, facts);
}

/** A text of the scene with facts in the places of their names. */
export function filledIn(form, facts) {
  return form.replace(/\{(\w+)\}/g, (_, name) => facts[name]);
}

/** The numbers from a score to the share of an arc, as buttons that open their steps; null for other cells. */
export function chainOf(model, cell, open) {
  if (!model.sentence?.chain || cell.array !== model.sentence.array) return null;
  const links = model.sentence.chain.map(({ array, title, link }) => {
    const made = button("option", "", `${title}: open the step`, () => open(link));
    made.append(`${title} `, element("b", "", figure(valueAt(model, array, cell.index))));
    return made;
  });
  return element("span", "chain", ...links);
}
