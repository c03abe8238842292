import { barsOf, counted } from "../../assets/classroom/component.js";
import { assert, test } from "./testing.js";

test("the longest bar is whole, the others are their share of it, and one is the right one", () => {
  const bars = barsOf({ bars: [["5", 3], ["6", 12], ["other", 0]], right: 1 });
  assert.deepEqual(bars.map(({ width }) => width), [25, 100, 0]);
  assert.deepEqual(bars.map(({ isRight }) => isRight), [false, true, false]);
});

test("without votes no bar has a length, and without the answer none is right", () => {
  assert.deepEqual(barsOf({ bars: [["a", 0], ["b", 0]] }).map(({ width, isRight }) => [width, isRight]), [[0, false], [0, false]]);
  assert.deepEqual(barsOf({}), []);
});

test("one answer is counted as one", () => [[0, 1, 2].map((count) => counted(count, "answer")), ["0 answers", "1 answer", "2 answers"]]);
