import { bitAt, bytesOf, floatsOf } from "../../assets/board/decode.js";
import { assert, test } from "./testing.js";

test("base64 becomes bytes, also those above 127", () => {
  assert.deepEqual([...bytesOf("AH+A/w==")], [0, 127, 128, 255]);
});

test("float32 numbers are read with the least significant byte first", () => {
  // 1.0 is 0x3f800000 and −2.5 is 0xc0200000.
  assert.deepEqual([...floatsOf("AACAPwAAIMA=")], [1, -2.5]);
});

test("a length that is no whole number of float32 is refused", () => {
  assert.throws(() => floatsOf("AACA"), "no whole number");
});

test("bit 0 is the least significant of the first byte, bit 8 of the second", () => {
  const bytes = bytesOf("BYA="); // 0b00000101, 0b10000000
  const set = Array.from({ length: 16 }, (_, i) => i).filter((i) => bitAt(bytes, i));
  assert.deepEqual(set, [0, 2, 15]);
});
