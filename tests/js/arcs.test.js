import { arcsFrom, lineOfWords } from "../../assets/board/words/arcs.js";
import { assert, test } from "./testing.js";

const widthOf = (word, size) => 0.5 * size * word.length;
const words = (count) => Array.from({ length: count }, (_, i) => `word${i}`);
const sizes = { most: 28, least: 11 };

test("the words of a sentence stand in one line inside their room, none on another", () => {
  for (const [count, width] of [[1, 300], [8, 800], [10, 390], [40, 900], [64, 300]]) {
    const line = lineOfWords(words(count), Math.floor(count / 2), { from: 20, width }, sizes, widthOf);
    const ends = line.words.map(({ x, width: wide }) => x + wide);
    assert.ok(line.words[0].x >= 19.99 && ends.at(-1) <= 20 + width + 0.01);
    assert.ok(line.words.every(({ x }, i) => i === 0 || x >= ends[i - 1]));
    assert.ok(line.words.some(({ place }) => place === Math.floor(count / 2)));
    assert.equal(line.cut, line.words.length < count);
  }
});

test("a wider room has larger type", () => {
  const [narrow, wide] = [350, 900].map((width) => lineOfWords(words(10), 0, { from: 0, width }, sizes, widthOf).size);
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
