import { briefly, roundNumbers } from "../../assets/chart/scale.js";
import { assert, test } from "./testing.js";

test("the numbers of a scale are round, inside it, and as many as there is room for", () => {
  const shown = (...scale) => roundNumbers(...scale).map(briefly);
  assert.deepEqual(shown(-13.2, 13.2, 5), ["−10", "−5", "0", "5", "10"]);
  assert.deepEqual(shown(0, 1, 5), ["0", "0.5", "1"]);
  assert.deepEqual(shown(0, 0.87, 5), ["0", "0.2", "0.4", "0.6", "0.8"]);
  assert.deepEqual(shown(-0.3, 0.3, 3), ["−0.2", "0", "0.2"]);
  assert.deepEqual(shown(0, 7e-9, 5), ["0", "2e−9", "4e−9", "6e−9"]);
});

test("whatever the scale, there are between two numbers and as many as there is room for, all in it", () => {
  for (let power = -40; power <= 30; power += 1) {
    for (const part of [1, 1.7, 2.1, 4.9, 5, 7.3, 9.99]) {
      for (const most of [2, 3, 5]) {
        const high = part * 10 ** power;
        for (const low of [0, -high]) {
          const numbers = roundNumbers(low, high, most);
          assert.deepEqual([numbers.length >= 1, numbers.length <= most], [true, true]);
          assert.deepEqual(numbers.every((value) => value >= low && value <= high), true);
        }
      }
    }
  }
});

test("a number of a scale has no needless signs", () => {
  assert.deepEqual([0.1 + 0.2, -0, 99999, 100000, -0.00005, 1.5].map(briefly), ["0.3", "0", "99999", "1e+5", "−5e−5", "1.5"]);
});
