import { chipArea, chipUnder, readsOf } from "../../assets/board/draw/chips.js";
import { fitWhole, leastHeight, stackWhole } from "../../assets/board/place/whole.js";
import { frameOf, indexInOrder, placeInOrder, rowMoment } from "../../assets/board/play/player.js";
import { firstSlices, openScene } from "../../assets/board/scene/scene.js";
import { sayPlace } from "../../assets/board/words/place.js";
import { anyOverlap, array, words } from "./scenes.js";
import { assert, test } from "./testing.js";

// Three layers on some words: every word reads the first one, and the last one also the second.
function modelOf(count, rows = 4) {
  const size = rows * count;
  const arcs = [];
  for (let row = 0; row < rows - 1; row += 1) for (let word = 0; word < count; word += 1) arcs.push([row, word, 0, 0.5]);
  arcs.push([0, count - 1, 1, 0.9, 0.2, "head 2"]);
  const texts = (n, more = {}) => ({ words: words(n, "t"), tones: Array(n).fill(0), kind: "probability", limit: 1, ...more });
  const panel = (id, name, more) => ({ id, array: name, rows: 0, columns: 1, place: [0, 0], role: "aside", size: "full", title: id, chips: true, bare: true, ...more });
  return openScene({
    arrays: {
      chips: array([rows, count], ["layer", "word"], Array(size).fill(0.5), texts(size)),
      arcs: array([rows, count, count], ["layer", "word", "word"]),
      parts: array([4 * (rows - 1), 1], ["part", "alone"], Array(4 * (rows - 1)).fill(0), texts(4 * (rows - 1))),
      next: array([rows, 3], ["layer", "next"], Array(3 * rows).fill(0.2), texts(3 * rows)),
    },
    axes: { layer: { word: "layer", labels: words(rows, "layer ") }, word: { word: "word", labels: words(count) }, part: { word: "part" }, alone: { word: "alone" }, next: { word: "next" } },
    panels: [panel("chips", "chips", { role: "result", arcs }), panel("parts", "parts", {}), panel("strip", "chips", { strip: true }), panel("next", "next", { rows: null })],
    rules: { chips: { operation: "given", length: 0 } },
    whole: { says: { chip: "{row}, {word}:", reads: "By {who}: {reads}.", arc: "{row}, {word}, {who}:", who: ["all", "head 7", "all"], opens: {} }, written: 0 },
  });
}

const measure = (text, size) => 0.55 * size * text.length;
const windowOf = (width, height) => ({ width, height, top: 0, bottom: 44, measure, starts: new Map() });
const areaOf = ({ x, y, bodyWidth: width, bodyHeight: height }) => ({ x, y, width, height });
const lookOf = (model, boxes) => ({ model, boxes, slices: firstSlices(model), blank: undefined });

test("sixteen words, their start and five layers are whole in the room of a small window", () => {
  for (const [width, height] of [[1034, 470], [948, 422]]) {
    const model = modelOf(17, 6);
    assert.ok(height >= leastHeight(model));
    const { boxes, arithmetic } = fitWhole(model, windowOf(width, height));
    const [next, parts, chips] = boxes;
    assert.equal(chips.columns.count, 17);
    assert.ok(chips.x + chips.bodyWidth <= width && chips.y + chips.bodyHeight <= arithmetic.y && arithmetic.y + arithmetic.height <= height - 44);
    assert.ok(chips.cell.width >= 46);
    assert.ok(!anyOverlap([areaOf(parts), areaOf(chips)]));
    const first = chipArea(chips, 0, 0);
    assert.ok(next.y + next.bodyHeight <= first.y, "what comes next stands above the first row");
    assert.equal(fitWhole(model, windowOf(width, 300)), null);
  }
});

test("of more words a window shows seventeen, on a phone one beside a strip of all", () => {
  const model = modelOf(30);
  assert.equal(fitWhole(model, windowOf(1200, 600)).boxes.at(-1).columns.count, 17);
  const { boxes, width } = stackWhole(model, { width: 360, zoom: 1, measure, starts: new Map() });
  const [strip, , chips] = boxes;
  assert.equal(strip.columns.count, 30);
  assert.equal(chips.columns.count, 1);
  assert.ok(boxes.every((box) => box.x + box.bodyWidth <= width));
  assert.ok(strip.y + strip.bodyHeight <= chips.y);
});

test("of few words what comes next has its full width", () => {
  for (const count of [1, 2, 9]) {
    const [next, , chips] = fitWhole(modelOf(count), windowOf(1034, 470)).boxes;
    assert.equal(next.cell.width, 148);
    assert.ok(next.x >= chips.x && next.x + next.bodyWidth <= 1034);
  }
});

test("the parts of a layer stand between its chips and those below it", () => {
  const model = modelOf(5);
  const [, parts, chips] = fitWhole(model, windowOf(900, 500)).boxes;
  for (const row of [0, 1, 2]) {
    const [above, below] = [chipArea(chips, row, 0), chipArea(chips, row + 1, 0)];
    assert.ok(Math.abs(parts.y + 4 * row * parts.cell.height - (above.y + above.height / 2)) < 1);
    assert.ok(Math.abs(parts.y + 4 * (row + 1) * parts.cell.height - (below.y + below.height / 2)) < 1);
  }
});

test("a pointer finds a chip, between two rows the nearest arc, elsewhere nothing", () => {
  const model = modelOf(5);
  const { boxes } = fitWhole(model, windowOf(900, 500));
  const chips = boxes.at(-1);
  const look = lookOf(model, boxes);
  const at = (row, column) => ({ box: chips, index: [row, column] });
  const { x, y, width, height } = chipArea(chips, 2, 3);
  assert.deepEqual(chipUnder(look, at(2, 3), [x + 5, y + 5]), { array: "chips", index: [2, 3] });
  const foot = chipArea(chips, 1, 1);
  assert.deepEqual(chipUnder(look, at(1, 1), [foot.x + foot.width / 2, foot.y - 2]), { array: "arcs", index: [0, 4, 1] });
  assert.deepEqual(chipUnder(look, at(3, 3), [x + width / 2, y + height + 3]), { array: "arcs", index: [2, 3, 0] });
  assert.equal(chipUnder(look, at(3, 3), [x + 2, chipArea(chips, 3, 3).y - 4]), null);
  const blank = (_, [row]) => row < 1;
  assert.equal(chipUnder({ ...look, blank }, at(1, 1), [foot.x + foot.width / 2, foot.y - 2]), null, "an arc that has not grown is no door");
});

test("what a chip reads is told without the arc of a single head", () => {
  const model = modelOf(5);
  const { boxes } = fitWhole(model, windowOf(900, 500));
  assert.deepEqual(readsOf({ model, boxes }, [0, 4]), [{ key: 0, share: 0.5, word: "w0" }]);
});

test("an arc is told as that of its own head, or of those that its row shows", () => {
  const model = modelOf(5);
  const { boxes } = fitWhole(model, windowOf(900, 500));
  const said = (...index) => sayPlace({ model, boxes }, { array: "arcs", index });
  assert.equal(said(0, 4, 1), "layer 0, w4, head 2: w1 90 %");
  assert.equal(said(0, 4, 0), "layer 0, w4, all: w0 50 %");
  assert.equal(said(1, 2, 0), "layer 1, w2, head 7: w0 50 %");
  assert.ok(sayPlace({ model, boxes }, { array: "chips", index: [1, 2] }).endsWith("By head 7: w0 50 %."));
});

test("a wave goes up row by row", () => {
  const model = modelOf(5);
  const box = fitWhole(model, windowOf(900, 500)).boxes.at(-1);
  const frame = frameOf(box);
  let moment = { cell: 4, beat: 0 };
  const seen = [];
  for (; moment; moment = rowMoment(moment, frame, 0, 1)) {
    const index = indexInOrder(frame, [0, 2], moment.cell);
    assert.equal(placeInOrder(frame, index), moment.cell);
    seen.push(index[0]);
  }
  assert.deepEqual(seen, [3, 2, 1, 0]);
});
