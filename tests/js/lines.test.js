import { areLines, fitLines } from "../../assets/board/place/lines.js";
import { openScene } from "../../assets/board/scene/scene.js";
import { array } from "./scenes.js";
import { assert, test } from "./testing.js";

// Layers of heads on so many tokens.
function modelOf(layers, heads, tokens, more = {}) {
  const names = Array.from({ length: layers }, (_, i) => `layer ${i}`);
  const entry = (name) => [name, array([heads, tokens, tokens], ["H", "T", "S"], Array(heads * tokens * tokens).fill(0.5))];
  const panel = (name, line) => ({ id: name, array: name, title: name, rows: 1, columns: 2, tiles: 0, arrange: "across", size: "small", role: "aside", place: [0, line], captions: Array(heads).fill("mixed"), ...more });
  return openScene({ arrays: Object.fromEntries(names.map(entry)), axes: { H: { word: "head" }, T: { word: "query" }, S: { word: "key" } }, panels: names.map(panel), rules: {} });
}

const measure = (text, size) => 0.55 * size * text.length;
const planned = (model, width, height) => fitLines(model, { width, height, top: 50, bottom: 4, measure, starts: new Map() });

test("all heads of a model stand in a window, with the arithmetic below them and the names of layers at the left", () => {
  for (const [layers, heads, width, height] of [[5, 8, 1034, 545], [5, 8, 948, 500], [6, 12, 948, 500]]) {
    const { boxes, arithmetic, cell } = planned(modelOf(layers, heads, 16), width, height);
    assert.deepEqual([boxes.length, boxes.every(({ tiles }) => tiles.length === heads)], [layers, true]);
    assert.ok(boxes.every(({ x, bodyWidth, titleX, titleWidth }) => titleX + titleWidth < x && x + bodyWidth <= width));
    assert.ok(boxes.every(({ y, caption }, i) => y - caption >= (i ? boxes[i - 1].y + boxes[i - 1].bodyHeight : 50)));
    const last = boxes.at(-1);
    assert.ok(arithmetic.y > last.y + last.bodyHeight && arithmetic.y + arithmetic.height <= height - 4);
    assert.ok(cell.height >= 2 && cell.width >= cell.height && cell.width <= 2 * cell.height);
  }
});

test("heads whose cells would be too small to see have no layout in a window", () => [planned(modelOf(12, 2, 32), 948, 500), null]);

test("only a board of small heads alone is one of lines", () =>
  [[modelOf(2, 2, 3), modelOf(2, 2, 3, { size: "full" }), modelOf(2, 2, 3, { tiles: null })].map(areLines), [true, false, false]]);
