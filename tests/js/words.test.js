import { arcsFrom, labelPlaces, lineOfWords, sharesOfUnits, unitsOf } from "../../assets/board/words/arcs.js";
import { percentOf } from "../../assets/board/scene/numbers.js";
import { openScene } from "../../assets/board/scene/scene.js";
import { equalsOf, placeWords, spokenOf } from "../../assets/board/words/wording.js";
import { along, array, flagged, opened, running, words } from "./scenes.js";
import { assert, test } from "./testing.js";

test("a cell is named by axis, number and label; axes of one place are left out", () => {
  const model = opened({ arrays: { single: array([1, 2], "HT", [1, 2]) } });
  assert.equal(placeWords(model, { array: "result", index: [1, 0, 4] }), "head 1, row 0 a, column 4 t");
  assert.equal(placeWords(model, { array: "single", index: [0, 1] }), "row 1 b");
});

test("a screen reader hears the number and how it came about", () => {
  const said = spokenOf(opened(), { array: "result", index: [0, 0, 1] });
  assert.equal(said, "result, head 0, row 0 a, column 1 q, 6 = 3 + 0 + 3");
});

test("beside a rounded number nothing is said to be equal; what is exactly 0 or hidden is not rounded", () => {
  const sign = (result, ...values) => equalsOf({ terms: [{ factors: values.map((value) => ({ value })) }], result }, 4);
  assert.deepEqual([sign(0.0625, 0.25, 0.25), sign(Math.fround(0.1) * 2, Math.fround(0.1), 2)], ["=", "="]);
  assert.deepEqual([sign(0.03125, 0.125, 0.25), sign(2 / 3, 1 / 3, 2)], ["≈", "≈"]);
  assert.deepEqual([sign(0, 1 / 3, 0), sign(-Infinity, 1 / 3)], ["=", "="]);
});

test("a share is spoken as a quotient, an empty slice as such", () => {
  const share = { operation: "softmax", length: 3, reads: [{ array: "left", at: [{ parts: [] }, along(0), running] }], position: along(1) };
  const arrays = { share: array([2, 3], "TK", null, { kind: "probability", title: "share" }) };
  const said = spokenOf(opened({ arrays, rules: { share } }), { array: "share", index: [0, 2] });
  assert.equal(said, "share, row 0 a, feature 2, 0.665 ≈ exp(3 minus 3) divided by 1.503");
});

test("every operation is spoken in its own words", () => {
  const one = { array: "given", at: [{ parts: [] }] };
  const said = (operation, more = {}, hidden = false) => {
    const masked = hidden ? { masked: flagged([true]) } : {};
    const arrays = { given: array([2], "K", [0.5, 2], { title: "given" }), made: array([1], "T", [0.5], { title: "made", ...masked }) };
    const rules = { made: { operation, length: 1, reads: [one], ...more } };
    return spokenOf(openScene({ panels: [], axes: {}, arrays, rules }), { array: "made", index: [0] }).replace(/^made, /, "");
  };
  assert.deepEqual([said("mask"), said("mask", {}, true), said("copy")], ["0.500, unchanged", "−∞, not allowed", "0.500, copied from given, K 0"]);
  assert.equal(said("mask", { adds: [one] }), "0.500 = 0.500 + 0.500");
  const two = { reads: [one, one] };
  assert.deepEqual([said("product", two), said("difference", two)], ["0.500 = 0.500 × 0.500", "0.500 = 0.500 minus 0.500"]);
  assert.deepEqual([said("softcap", { softcap: 3 }), said("exp")], ["0.500 = 3 times tanh(0.500 divided by 3)", "0.500 = exp(0.500)"]);
  assert.deepEqual([said("relu"), said("gelu")], ["0.500 = the larger of 0 and 0.500", "0.500 = gelu(0.500)"]);
  const centred = { length: 2, reads: [{ array: "given", at: [running] }], adds: [one, one], position: along(0), centred: true };
  assert.equal(said("norm", centred), "0.500 = (0.500 minus 1.250) divided by 0.750 times 0.500 + 0.500");
  assert.equal(said("max", { length: 2, reads: [{ array: "given", at: [running] }] }), "0.500, the largest of 2");
});

test("of a long sum twelve terms are spoken, and how many more there are", () => {
  const spoken = (length) => {
    const arrays = { row: array([13], "K", Array(13).fill(1)), sum: array([1], "T", [length]) };
    const rules = { sum: { operation: "sum", length, reads: [{ array: "row", at: [running] }] } };
    return spokenOf(openScene({ panels: [], axes: {}, arrays, rules }), { array: "sum", index: [0] });
  };
  assert.equal(spoken(12).split(" + ").length, 12);
  assert.ok(spoken(12).endsWith("1 + 1") && spoken(13).endsWith("1 + 1 more"));
});

test("a word of another script keeps the direction of its letters to itself, and so does one that would turn all around", () => {
  const labels = ["שלום", "\u202eabc"];
  const named = (row) => placeWords(opened({ axes: { T: { word: "row", labels } } }), { array: "result", index: [0, row, 1] });
  for (const [row, label] of labels.entries()) assert.equal(named(row), `head 0, row ${row} \u2068${label}\u2069, column 1 q`);
});

const widthOf = (word, size) => 0.5 * size * word.length;
const sizes = { most: 28, least: 11 };

test("the words of a sentence stand in one line inside their room, none on another", () => {
  for (const [count, width] of [[1, 300], [8, 800], [10, 390], [40, 900], [64, 300]]) {
    const line = lineOfWords(words(count, "word"), Math.floor(count / 2), { from: 20, width }, sizes, widthOf);
    const ends = line.words.map(({ x, width: wide }) => x + wide);
    assert.ok(line.words[0].x >= 19.99 && ends.at(-1) <= 20 + width + 0.01);
    assert.ok(line.words.every(({ x }, i) => i === 0 || x >= ends[i - 1]));
    assert.ok(line.words.some(({ place }) => place === Math.floor(count / 2)));
    const left = line.gaps.reduce((sum, gap) => sum + gap.count, 0);
    assert.equal(left, count - line.words.length);
    assert.ok(line.gaps.every(({ x, width: wide }) => x >= 19.99 && x + wide <= 20 + width + 0.01));
  }
});

test("a long sentence shows the words that are read most, however far away, and counts those between", () => {
  const line = lineOfWords(words(66, "word"), 60, { from: 0, width: 600 }, sizes, widthOf, [3, 41]);
  const places = line.words.map(({ place }) => place);
  assert.ok([3, 41, 60].every((place) => places.includes(place)) && places.length > 3 && places.length < 66);
  assert.equal(line.gaps[0].count, 3);
  assert.equal(line.gaps.length, places.filter((place, i) => place !== (i ? places[i - 1] + 1 : 0)).length + (places.at(-1) < 65));
});

test("a wider room has larger type", () => {
  const [narrow, wide] = [350, 900].map((width) => lineOfWords(words(10, "word"), 0, { from: 0, width }, sizes, widthOf).size);
  assert.ok(narrow < wide && wide === sizes.most);
});

test("an arc is as thick as its share, ends at its words, and stays in its room", () => {
  const middles = new Map([[0, 10], [1, 110], [2, 310]]);
  for (const side of [-1, 1]) {
    const arcs = arcsFrom(2, [[0, 0.6], [1, 0.3], [2, 0.1], [9, 0.5]], middles, { base: 100, room: 80, side });
    assert.deepEqual(arcs.map(({ place }) => place), [0, 1, 2]);
    const [one, other] = arcs;
    assert.close((one.thick - other.thick) / 0.3, 13, 1e-9);
    assert.ok(one.path.startsWith("M10 100C") && one.path.endsWith("310 100"));
    assert.ok(arcs.every(({ top, thick }) => Math.abs(top[1] - 100) + thick / 2 <= 80.001));
    assert.ok(side * (one.top[1] - other.top[1]) > 0); // the wider arc is the higher one
  }
});

/** Arcs from the first of ten words, 80 px apart, to all others, with these shares in percent; their labels in type of 13 px; and the points of each arc. */
function labelled(percents, { apart = 80, left = 0 } = {}) {
  const middles = new Map(percents.map((_, place) => [place, 40 + apart * place]));
  const arcs = arcsFrom(0, percents.map((percent, place) => [place, percent / 100]), middles, { base: 100, room: 84, side: -1 }).map((arc) => ({ ...arc, side: -1 }));
  const places = labelPlaces(arcs, () => 13, () => ({ left, right: 800, top: 0, bottom: 100 }));
  const points = arcs.map(({ curve }) => Array.from({ length: 201 }, (_, i) => [0, 1].map((axis) => {
    const t = i / 200;
    return curve.reduce((sum, point, n) => sum + [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t ** 3][n] * point[axis], 0);
  })));
  return { arcs, places, points };
}

test("the percentage of an arc lies on no arc and on no other percentage", () => {
  for (const percents of [[11, 8, 8, 5, 9, 14, 7, 18, 16, 4], [88, 12], [3, 0, 0, 0, 0, 0, 90, 6], [10, 10, 10, 10, 10, 10, 10, 10, 10, 10]]) {
    const { arcs, places, points } = labelled(percents);
    assert.ok(places.has([...arcs].sort((a, b) => b.share - a.share)[0]), `the largest share of ${percents}`);
    const boxes = [...places].map(([arc, [x, y]]) => ({ arc, x, y, dx: 0.25 * 13 * percentOf(arc.share).length, dy: 0.36 * 13 }));
    for (const { arc, x, y, dx, dy } of boxes) {
      assert.ok(x - dx >= 0 && x + dx <= 800 && y - dy >= 0 && y + dy <= 100, `${arc.share} in its area`);
      const gaps = points.map((line, i) => Math.min(...line.map(([px, py]) => Math.max(Math.abs(px - x) - dx, Math.abs(py - y) - dy))) - arcs[i].thick / 2);
      assert.ok(Math.min(...gaps) >= -0.5, `${arc.share} of ${percents} on an arc: ${Math.min(...gaps)}`);
      for (const other of boxes) assert.ok(other.arc === arc || Math.abs(other.x - x) > other.dx + dx || Math.abs(other.y - y) > other.dy + dy);
    }
  }
  const { arcs, places } = labelled([15, 4, 74, 3, 2, 2], { apart: 16, left: 30 }); // no place beside the arc is free
  assert.ok(places.has(arcs[2]), "the largest share of a crowd");
});

const FROG = { words: ["start", "a", "f", "r", "og", "."], continued: [3, 4, 5], groups: [[0, 1, "start"], [1, 2, "a"], [2, 5, "frog", ["f", "r", "og"]], [5, 6, "."]] };
const READ = [[2, 0.8623], [3, 0.0018], [4, 0.0069], [1, 0.1], [5, 0.0005]];

test("the share of a word is the sum of the shares of its pieces, also of those too small for an arc", () => {
  const units = unitsOf(FROG);
  assert.deepEqual(units.map(({ text, from, to, joined }) => [text, from, to, joined]), [["start", 0, 1, false], ["a", 1, 2, false], ["frog", 2, 5, false], [".", 5, 6, true]]);
  assert.deepEqual(units[2].parts, ["f", "r", "og"]);
  const [[first, share], second, ...others] = sharesOfUnits(units, READ);
  assert.equal(first, 2);
  assert.close(share, 0.871, 1e-12);
  assert.deepEqual([second, others], [[1, 0.1], []]);
});

test("an opened word stands as its pieces, each with its own share", () => {
  const units = unitsOf(FROG, 2);
  assert.deepEqual(units.map(({ text, piece, joined }) => [text, piece, joined]), [["start", false, false], ["a", false, false], ["f", true, false], ["r", true, true], ["og", true, true], [".", false, true]]);
  assert.deepEqual(sharesOfUnits(units, READ), [[2, 0.8623], [1, 0.1], [4, 0.0069], [3, 0.0018]]);
  assert.deepEqual(["86 %", "0.2 %", "10 %"], [0.8623, 0.0018, 0.1].map(percentOf));
});

test("without groups every token is a unit", () => {
  const units = unitsOf({ words: ["f", "rog"], continued: [1] });
  assert.deepEqual(units.map(({ text, joined, to }) => [text, joined, to]), [["f", false, 1], ["rog", true, 2]]);
  assert.deepEqual(sharesOfUnits(units, [[0, 0.005], [1, 0.5]]), [[1, 0.5]]);
});

test("a result is about equal where it or a number that it is made from is rounded, each alone", () => {
  const sign = (factors, result) => equalsOf({ terms: [{ factors: factors.map((value) => ({ value })) }], result }, 3);
  assert.deepEqual([sign([0.5, 3], 1.5), sign([1 / 3, 3], 1), sign([0.5, 0.00125], 0.000625), sign([2, 0.5], 1 / 3), sign([1 / 3, 0], 0)], ["=", "≈", "≈", "≈", "="]);
});
