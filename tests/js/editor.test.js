import { numberTyped } from "../../assets/board/scene/numbers.js";
import { assert, test } from "./testing.js";

test("numbers are understood with point or comma, true minus and exponent", () => {
  assert.deepEqual(["1.5", " -2,25 ", "−.5", "3e-2", "+7"].map(numberTyped), [1.5, -2.25, -0.5, 0.03, 7]);
});

test("what is no finite float32 number is refused", () => {
  assert.deepEqual(["", "abc", "1.2.3", "NaN", "Infinity", "1e99", "0x10", "1 2"].map(numberTyped), Array(8).fill(null));
});
