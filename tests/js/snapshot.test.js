import { brokenAt } from "../../assets/board/keep/snapshot.js";
import { assert, test } from "./testing.js";

const signs = (text) => text.length;

test("a sentence is broken where a word would pass the edge", () => {
  assert.deepEqual(brokenAt(9, "scores of head 0", signs), ["scores of", "head 0"]);
});

test("a word wider than the line stands alone, whole", () => {
  assert.deepEqual(brokenAt(5, "a wonderful sum", signs), ["a", "wonderful", "sum"]);
});

test("a short sentence is one line", () => {
  assert.deepEqual(brokenAt(99, "0.5 = 1 / 2", signs), ["0.5 = 1 / 2"]);
});
