// From the bytes of a message to arrays whose cells have numbers, labels and places that follow one another.
import { derive, indexRead, ownPlace, solve } from "./rules.js";

const MAX_CACHED = 2 ** 18;
const CELL_MARKS = ["masked", "hatched", "changed", "pale"]; // of cells, as bits

/** The scene with decoded arrays, transposed panels if the scene is transposed, and for each array its readers. */
export function openScene(scene) {
  const arrays = {};
  for (const [name, array] of Object.entries(scene.arrays)) arrays[name] = openArray(name, array);
  const rules = scene.rules ?? {};
  const readers = {};
  for (const [result, rule] of Object.entries(rules)) {
    for (const read of [...(rule.reads ?? []), ...(rule.adds ?? [])]) {
      (readers[read.array] ??= []).push({ result, rule, read, added: (rule.adds ?? []).includes(read) });
    }
  }
  const plain = scene.panels.map((panel) => ({ rows: null, columns: null, tiles: null, place: [0, 0], ...panel }));
  const panels = scene.transposed ? plain.map(turned) : plain;
  return { ...scene, arrays, rules, readers, panels, axes: scene.axes ?? {} };
}

/** The signature of a scene without its cell: a text, and the bytes for which the text has only numbers. */
export function signatureOf(scene) {
  const parts = [];
  const apart = (_, value) => (ArrayBuffer.isView(value) ? { part: parts.push(value) } : value);
  return [JSON.stringify({ ...scene, cell: null }, apart), ...parts];
}

/** Whether two signatures are those of equal scenes. */
export function sameSignature(one, other) {
  const sameBytes = (part, others) => part.length === others.length && part.every((byte, i) => byte === others[i]);
  return one.length === other.length && one[0] === other[0] && one.slice(1).every((part, i) => sameBytes(part, other[i + 1]));
}

function openArray(name, array) {
  const { shape } = array;
  const strides = shape.map((_, axis) => shape.slice(axis + 1).reduce((a, b) => a * b, 1));
  return {
    ...array,
    name,
    strides,
    start: array.start ?? shape.map(() => 0),
    whole: array.whole ?? shape,
    data: array.data === undefined ? null : floatsOf(array.data),
    ...Object.fromEntries(CELL_MARKS.map((mark) => [mark, array[mark] ? bytesOf(array[mark]) : null])),
    kept: null,
  };
}

function turned(panel) {
  if (panel.role === "ribbon") return panel; // an order in memory
  const [column, row] = panel.place;
  const arrange = { across: "down", down: "across" }[panel.arrange] ?? panel.arrange;
  return { ...panel, rows: panel.columns, columns: panel.rows, place: [row, column], arrange };
}

/** The place of a cell in the numbers that were sent, or −1 outside them. */
export function offsetOf(array, index) {
  let offset = 0;
  for (let axis = 0; axis < index.length; axis += 1) {
    const place = index[axis] - array.start[axis];
    if (!(place >= 0 && place < array.shape[axis])) return -1;
    offset += place * array.strides[axis];
  }
  return offset;
}

/** The number in a cell: sent, or computed by its rule; NaN if it was not sent. */
export function valueAt(model, name, index) {
  const array = model.arrays[name];
  const offset = offsetOf(array, index);
  if (offset < 0) return NaN;
  if (array.masked && bitAt(array.masked, offset)) return -Infinity;
  if (array.data) return array.data[offset];
  const rule = model.rules[name];
  if (!rule) return NaN;
  const size = array.shape.reduce((a, b) => a * b, 1);
  if (!array.kept && size <= MAX_CACHED) array.kept = new Float64Array(size).fill(NaN);
  if (array.kept && !Number.isNaN(array.kept[offset])) return array.kept[offset];
  const { result } = derive(rule, index, (read, at) => valueAt(model, read, at));
  if (array.kept) array.kept[offset] = result;
  return result;
}

/** The numbers of a block of cells, row by row: first is the index of its first cell. */
export function blockOf(model, name, first, rows, columns) {
  const array = model.arrays[name];
  const values = new Float64Array(rows.count * columns.count);
  const offset = offsetOf(array, first);
  const [down, across] = [rows, columns].map(({ axis }) => (axis === null ? 0 : array.strides[axis]));
  for (let row = 0, i = 0; row < rows.count; row += 1) {
    for (let column = 0; column < columns.count; column += 1, i += 1) {
      const at = offset + row * down + column * across;
      if (!array.data) values[i] = valueAt(model, name, shifted(first, rows.axis, row, columns.axis, column));
      else values[i] = array.masked && bitAt(array.masked, at) ? -Infinity : array.data[at];
    }
  }
  return values;
}

function shifted(index, down, row, across, column) {
  return index.map((place, axis) => place + (axis === down ? row : 0) + (axis === across ? column : 0));
}

/** Whether a cell has a mark: masked, it is minus infinity; hatched, 0 because its key is hidden; changed, to be outlined; pale, computed earlier. */
export function hasMark(array, mark, index) {
  const offset = array[mark] ? offsetOf(array, index) : -1;
  return offset >= 0 && bitAt(array[mark], offset);
}

/** How a cell is computed, with its own number as the result. */
export function derivationOf(model, { array: name, index }) {
  const array = model.arrays[name];
  const rule = model.rules[name] ?? { operation: "given" };
  const derivation = derive(rule, index, (read, at) => valueAt(model, read, at), hasMark(array, "masked", index));
  return { ...derivation, computed: derivation.result, result: valueAt(model, name, index) };
}

/** The cell whose arithmetic explains a cell: of an arc the first of its chain, else the cell itself. */
export function explainedBy({ sentence }, cell) {
  if (!sentence?.chain || cell.array !== sentence.array) return cell;
  return { array: sentence.chain[0].array, index: cell.index };
}

/** The value of the strongest colour of an array, at an index. */
export function limitAt(array, index) {
  const { limit } = array;
  if (limit && typeof limit === "object") return limit.values[index[limit.axis]] || 1;
  return limit || 1;
}

/** The label of a place along an axis, and whether it is a word of the data. */
export function labelAt(model, letter, place) {
  const labels = model.axes[letter]?.labels;
  return labels ? { text: String(labels[place] ?? place), word: true } : { text: String(place), word: false };
}

/** The label of a place along an axis of an array: the name of the column if it has one, which may depend on the head. */
export function nameAt(model, array, axis, place, index = []) {
  const names = array.names?.[axis];
  if (!names) return labelAt(model, array.axes[axis], place);
  const labels = names.by === null ? names.labels : (names.labels[index[names.by] ?? 0] ?? []);
  return { text: String(labels[place] ?? place), word: true };
}

/** Whether the places along an axis of an array have names. */
export function isNamed(model, array, axis) {
  return Boolean(array.names?.[axis] ?? model.axes[array.axes[axis]]?.labels);
}

/** The first slice of every array. */
export function firstSlices(model) {
  return Object.fromEntries(Object.entries(model.arrays).map(([name, { start }]) => [name, [...start]]));
}

/**
 * The slices for a current cell: arrays that it reads and that read it follow; other axes keep their last index.
 *
 * An array that no rule joins to it follows along the axes that both have, so that all panels show the same head.
 */
export function follow(model, last, { array, index }) {
  const slices = { [array]: index };
  const up = (names) => closure(model, slices, last, names, upstream);
  const down = (names) => closure(model, slices, last, names, downstream);
  up([array]);
  down([array]);
  for (let known = 0; known !== Object.keys(slices).length;) {
    known = Object.keys(slices).length;
    up(Object.keys(slices));
    down(Object.keys(slices));
  }
  return { ...last, ...alongside(model, last, { array, index }), ...slices };
}

function alongside(model, last, { array, index }) {
  const at = new Map(model.arrays[array].axes.map((letter, axis) => [letter, index[axis]]));
  const moved = ({ name, axes, start, shape }) =>
    last[name].map((old, axis) => {
      const place = at.get(axes[axis]) ?? old;
      return place >= start[axis] && place < start[axis] + shape[axis] ? place : old;
    });
  return Object.fromEntries(Object.keys(last).map((name) => [name, moved(model.arrays[name])]));
}

function closure(model, slices, last, names, step) {
  const queue = [...names];
  for (let i = 0; i < queue.length; i += 1) {
    for (const [name, index] of step(model, slices, last, queue[i])) {
      if (slices[name] || !model.arrays[name]) continue;
      slices[name] = index;
      queue.push(name);
    }
  }
}

function upstream(model, slices, last, name) {
  const rule = model.rules[name];
  if (!rule) return [];
  const index = slices[name];
  const k = ownPlace(rule, index);
  const reads = (rule.reads ?? []).map((read) => [read.array, indexRead(read, index, k)]);
  return [...reads, ...(rule.adds ?? []).map((read) => [read.array, indexRead(read, index, 0)])];
}

// A result may read several arrays with known slices: each of them decides some of its axes.
function downstream(model, slices, last, name) {
  const results = [];
  for (const reader of model.readers[name] ?? []) {
    const own = rangesOf(model, reader, slices[name]);
    if (!own) continue;
    const isSibling = ({ result, read }) => result === reader.result && read !== reader.read;
    const others = Object.keys(slices).flatMap((known) => (model.readers[known] ?? []).filter(isSibling).map((other) => rangesOf(model, other, slices[known])));
    const ranges = others.filter(Boolean).reduce(narrowed, own);
    const keep = last[reader.result];
    results.push([reader.result, ranges.map(([low, high], axis) => Math.min(high, Math.max(low, keep[axis])))]);
  }
  return results;
}

function rangesOf(model, { result, rule, read, added }, index) {
  return solve(added ? { ...rule, length: 1 } : rule, read, index, model.arrays[result].whole);
}

// If two ranges have nothing in common, the first counts.
function narrowed(ranges, others) {
  return ranges.map(([low, high], axis) => {
    const [from, to] = [Math.max(low, others[axis][0]), Math.min(high, others[axis][1])];
    return from <= to ? [from, to] : [low, high];
  });
}

/** The scene in a byte string: the length of a JSON text, the text, and the bytes whose places it names. Nothing is copied. */
export function openMessage(message) {
  const head = partOf(message, [0, 4]);
  const text = partOf(message, [4, new DataView(head.buffer, head.byteOffset).getUint32(0, true)]);
  const rest = message.subarray(4 + text.length);
  const scene = JSON.parse(new TextDecoder().decode(text));
  for (const array of Object.values(scene.arrays)) {
    for (const name of ["data", ...CELL_MARKS]) if (array[name]) array[name] = partOf(rest, array[name]);
  }
  return scene;
}

function partOf(bytes, [start, length]) {
  const whole = start >= 0 && length >= 0 && start + length <= bytes.length;
  if (!whole) throw new RangeError(`${length} bytes from byte ${start} on are no part of ${bytes.length} bytes`);
  return bytes.subarray(start, start + length);
}

/** The bytes of a part of a scene: decoded from base64, or as they are. */
export function bytesOf(part) {
  if (typeof part !== "string") return part;
  return Uint8Array.from(atob(part), (sign) => sign.charCodeAt(0));
}

/** The little-endian float32 numbers of a part of a scene, at any offset. */
export function floatsOf(part) {
  const bytes = bytesOf(part);
  if (bytes.length % 4) throw new RangeError(`${bytes.length} bytes are no whole number of float32 numbers`);
  return new Float32Array(bytes.slice().buffer); // browsers run on little-endian machines alone
}

/** Whether the bit at a place is set; the least significant bit of each byte comes first. */
export function bitAt(bytes, place) {
  return ((bytes[place >> 3] >> (place & 7)) & 1) === 1;
}
