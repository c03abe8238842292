// The part of a long axis that is shown at a time.

export const MAX_CELLS = 64;
const MAX_UNNAMED = 32;

/** The name of a window: all panels that show the same axis of the same size share it. */
export function windowKey(letter, size) {
  return `${letter}·${size}`;
}

// The name of the window onto an axis of an array.
function keyOf({ axes, whole }, axis) {
  return windowKey(axes[axis], whole[axis]);
}

/**
 * The window onto one axis of an array: {key, letter, size, low, high, start, count}; low to high is the part sent.
 *
 * A long axis whose places have no names shows fewer of them, and larger; an axis may have a most of its own.
 */
export function windowOf(model, array, axis, starts, most = MAX_CELLS) {
  const letter = array.axes[axis];
  const size = array.whole[axis];
  const key = windowKey(letter, size);
  const [low, high] = partSent(model, key);
  const named = Boolean(model.axes[letter]?.labels) || size <= MAX_CELLS;
  const own = model.axes[letter]?.most ?? MAX_CELLS;
  const count = Math.max(1, Math.min(most, own, named ? MAX_CELLS : MAX_UNNAMED, high - low));
  return { key, letter, size, low, high, count, start: clamped(starts.get(key) ?? low, low, high, count) };
}

// The part of an axis that all arrays with it have.
function partSent(model, key) {
  return ((model.parts ??= {})[key] ??= commonPart(model, key));
}

function commonPart(model, key) {
  let [low, high] = [0, Infinity];
  for (const { axes, shape, start, whole } of Object.values(model.arrays)) {
    axes.forEach((letter, axis) => {
      if (windowKey(letter, whole[axis]) !== key) return;
      low = Math.max(low, start[axis]);
      high = Math.min(high, start[axis] + shape[axis]);
    });
  }
  return [low, Math.max(high, low + 1)];
}

function clamped(start, low, high, count) {
  return Math.max(low, Math.min(start, high - count));
}

/** The start that brings a place into a window, moved as little as needed. */
export function revealed({ start, count, low, high }, place) {
  if (place < start) return clamped(place, low, high, count);
  return clamped(place >= start + count ? place - count + 1 : start, low, high, count);
}

/** The places that a window shows, in words: "model feature 64–127 of 512"; with the matrices if another axis has the same name. */
export function windowWords(model, { letter, start, count, size }) {
  const word = model.axes[letter]?.word ?? "cells";
  const words = `${word} ${count > 1 ? `${start}–${start + count - 1}` : start} of ${size}`;
  const alike = Object.values(model.axes).filter((axis) => axis.word === word);
  return alike.length > 1 ? `${words} (${titlesWith(model, letter).join(", ")})` : words;
}

/** The same in the fewest words, where several windows of equal size stand in one line: "query from 24". */
export function briefWords(model, { letter, start }) {
  const whole = model.axes[letter]?.word ?? "cells";
  const isAlone = Object.values(model.axes).filter((axis) => axis.word === whole).length < 2;
  const word = isAlone ? whole.replace(/^model | position$/, "") : titlesWith(model, letter)[0];
  return `${word} from ${start}`;
}

function titlesWith(model, letter) {
  const shown = model.panels.map(({ array }) => model.arrays[array]).filter(({ axes }) => axes.includes(letter));
  return [...new Set(shown.map(({ title, name }) => title ?? name))];
}

/** How full panels use the axis of a window: as rows, as columns, as tiles; an axis may be used in several ways. */
export function usesOf(model, key) {
  const shows = ({ array, size }, axis) => size !== "small" && axis !== null && keyOf(model.arrays[array], axis) === key;
  const usesIn = () => ["rows", "columns", "tiles"].filter((use) => model.panels.some((panel) => shows(panel, panel[use])));
  return ((model.uses ??= {})[key] ??= usesIn());
}

/** The starts of windows, [[key, start], …], with which a cell is visible. */
function startsFor(model, boxes, starts, { array: name, index }) {
  const shifted = new Map();
  for (const { panel, array, rows, columns, stack } of boxes.filter((box) => box.panel.array === name && !box.small)) {
    for (const [axis, { count }] of [[panel.rows, rows], [panel.columns, columns], [panel.only ? null : panel.tiles, stack]]) {
      if (axis === null) continue;
      const seen = windowOf(model, array, axis, starts, count);
      const start = revealed(seen, index[axis]);
      if (start !== seen.start) shifted.set(seen.key, start);
    }
  }
  return [...shifted];
}

/** The same for a cell and the single cells that it reads (lights); windows of the cell's own axes show the cell first. */
export function startsToSee(model, boxes, starts, cell, lights) {
  const { axes, whole } = model.arrays[cell.array];
  const held = axes.map((letter, axis) => windowKey(letter, whole[axis]));
  const sources = lights.filter(({ kind, low, high }) => kind === "read" && low.every((place, axis) => place === high[axis]));
  const others = sources.flatMap(({ array, low }) => startsFor(model, boxes, starts, { array, index: low }));
  return [...startsFor(model, boxes, starts, cell), ...others.filter(([key]) => !held.includes(key))];
}

/** A cell, if possible of a result, at a place beyond the part sent of the axis that a window shows, or null. */
export function cellBeyond(boxes, slices, key, place) {
  const ordered = [...boxes].sort((a, b) => (b.panel.role === "result") - (a.panel.role === "result"));
  for (const { panel, array } of ordered) {
    const shows = (axis) => axis !== null && keyOf(array, axis) === key;
    const axis = [panel.rows, panel.columns].find((one) => shows(one) && array.shape[one] < array.whole[one]);
    if (axis === undefined) continue;
    return { array: panel.array, index: slices[panel.array].map((old, i) => (i === axis ? place : old)) };
  }
  return null;
}
