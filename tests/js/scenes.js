import { openScene } from "../../assets/board/scene/scene.js";

/** Numbers as base64 of float32, least significant byte first. */
export function encoded(numbers) {
  const view = new DataView(new ArrayBuffer(4 * numbers.length));
  numbers.forEach((value, i) => view.setFloat32(4 * i, value, true));
  return btoa(String.fromCharCode(...new Uint8Array(view.buffer)));
}

/** Flags as base64 bits, least significant first. */
export function flagged(flags) {
  const bytes = new Uint8Array(Math.ceil(flags.length / 8));
  flags.forEach((flag, i) => {
    if (flag) bytes[i >> 3] |= 1 << (i & 7);
  });
  return btoa(String.fromCharCode(...bytes));
}

/** A scene as the byte string that the app sends; its bytes begin at a place of a longer buffer. */
export function written(scene, place = 0) {
  const parts = [];
  let size = 0;
  const placed = (part) => {
    const bytes = Uint8Array.from(atob(part), (sign) => sign.charCodeAt(0));
    const start = Math.ceil(size / 4) * 4;
    parts.push([start, bytes]);
    size = start + bytes.length;
    return [start, bytes.length];
  };
  const isPart = (name, value) => ["data", "masked", "hatched", "changed"].includes(name) && typeof value === "string";
  const text = JSON.stringify(scene, (name, value) => (isPart(name, value) ? placed(value) : value));
  const utf8 = new TextEncoder().encode(text);
  const start = 4 + Math.ceil(utf8.length / 4) * 4;
  const message = new Uint8Array(new ArrayBuffer(place + start + size + 5), place, start + size);
  new DataView(message.buffer, place).setUint32(0, start - 4, true);
  message.fill(32, 4, start).set(utf8, 4);
  for (const [at, bytes] of parts) message.set(bytes, start + at);
  return message;
}

/** An array of a scene from plain numbers. */
export function array(shape, axes, numbers, more = {}) {
  const data = numbers ? { data: encoded(numbers) } : {};
  return { shape, axes: [...axes], title: axes, role: "text", kind: "feature", limit: 10, ...data, ...more };
}

/** Positions: along result axis i, the running index, the sum of parts. */
export const along = (axis, more = {}) => ({ parts: [[axis, 1]], ...more });
export const running = along(-1);
export const linear = (parts, more = {}) => ({ parts, ...more });

/** Words for so many places: w0, w1, … */
export const words = (count, stem = "w") => Array.from({ length: count }, (_, i) => `${stem}${i}`);

/** Whether any two areas {x, y, width, height} share more than an edge. */
export const anyOverlap = (areas) => areas.some((one, i) => areas.slice(i + 1).some((other) => meet(one, other, "x", "width") && meet(one, other, "y", "height")));

const meet = (one, other, at, size) => one[at] < other[at] + other[size] - 0.5 && other[at] < one[at] + one[size] - 0.5;

/** The model of a product with these parts besides its own, or in their place. */
export const opened = (more) => openScene(productScene(more));

/** A product of matrices: 2 heads; left 2 × 3, right 5 × 3, result 2 × 5; head 1 of the left array is head 0 times ten. */
export function productScene({ axes, arrays, rules, ...more } = {}) {
  const left = [1, 2, 3, 4, 5, 6];
  const right = Array.from({ length: 15 }, (_, i) => i % 4);
  const dot = (i, j, scale) => [0, 1, 2].reduce((sum, k) => sum + scale * left[3 * i + k] * right[3 * j + k], 0);
  const products = [1, 10].flatMap((scale) => [0, 1].flatMap((i) => [0, 1, 2, 3, 4].map((j) => dot(i, j, scale))));
  const reads = [{ array: "left", at: [along(0), along(1), running] }, { array: "right", at: [along(2), running] }];
  const result = { array: "result", rows: 1, columns: 2 };
  return {
    description: "a product",
    player: true,
    arithmetic: true,
    axes: {
      H: { word: "head", labels: null, block: null },
      T: { word: "row", labels: ["a", "b"], block: null },
      S: { word: "column", labels: ["p", "q", "r", "s", "t"], block: null },
      K: { word: "feature", labels: null, block: null },
      ...axes,
    },
    arrays: {
      left: array([2, 2, 3], "HTK", [...left, ...left.map((value) => 10 * value)], { title: "left", role: "query" }),
      right: array([5, 3], "SK", right, { title: "right", role: "key" }),
      result: array([2, 2, 5], "HTS", products, { title: "result" }),
      ...arrays,
    },
    rules: { result: { operation: "sum", length: 3, reads }, ...rules },
    panels: [
      { id: "left", array: "left", rows: 1, columns: 2, place: [0, 1], title: "Left", role: "operand", size: "full" },
      { id: "right", array: "right", rows: 1, columns: 0, place: [1, 0], title: "Right", role: "operand", size: "full" },
      { ...result, id: "result", place: [1, 1], title: "Result", role: "result", size: "full" },
      { ...result, id: "all", tiles: 0, arrange: "grid", place: [2, 1], title: "All", role: "tiles", size: "small" },
    ],
    cell: { array: "result", index: [0, 1, 2] },
    ...more,
  };
}
