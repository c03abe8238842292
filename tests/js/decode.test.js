import { bitAt, bytesOf, floatsOf, openMessage } from "../../assets/board/scene/scene.js";
import { flagged, productScene, written } from "./scenes.js";
import { assert, test } from "./testing.js";

/** The bytes of a message from its text and what follows it; length: what it says of the text. */
function messageOf(text, rest = [], length = text.length) {
  const utf8 = new TextEncoder().encode(text);
  return new Uint8Array([length & 255, length >> 8, 0, 0, ...utf8, ...rest]);
}

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

test("float32 numbers are read from bytes that begin anywhere", () => {
  for (const place of [0, 1, 2, 3]) {
    const bytes = new Uint8Array(new ArrayBuffer(place + 9), place, 8);
    bytes.set([0, 0, 128, 63, 0, 0, 32, 192]);
    assert.deepEqual([...floatsOf(bytes)], [1, -2.5]);
    assert.throws(() => floatsOf(bytes.subarray(0, 6)), "6 bytes are no whole number");
  }
});

test("a message is opened: its parts are where the text says, and an array without numbers has none", () => {
  const text = '{"arrays":{"a":{"data":[0,8],"masked":[8,1]},"b":{"title":"b"}}}';
  const { a, b } = openMessage(messageOf(text, [0, 0, 128, 63, 0, 0, 32, 192, 2])).arrays;
  assert.deepEqual([...floatsOf(a.data)], [1, -2.5]);
  assert.deepEqual([...bytesOf(a.masked)], [2]);
  assert.deepEqual(b, { title: "b" });
});

test("a part may be empty", () => {
  const { a } = openMessage(messageOf('{"arrays":{"a":{"data":[0,0],"masked":[0,0]}}}')).arrays;
  assert.deepEqual([floatsOf(a.data).length, bytesOf(a.masked).length], [0, 0]);
});

test("opened from anywhere in a buffer, a scene is the one that was written, letter by letter", () => {
  const scene = productScene();
  scene.description = "</script> \"\u202eשלום 👩‍🚀 \u2028 \u0000 'x'";
  scene.arrays.left.masked = flagged(Array.from({ length: 12 }, (_, i) => i % 3 === 1));
  for (const place of [0, 1, 2, 3]) {
    const opened = openMessage(written(scene, place));
    for (const [name, array] of Object.entries(opened.arrays)) {
      for (const part of ["data", "masked"]) {
        if (!array[part]) continue;
        assert.deepEqual([...array[part]], [...bytesOf(scene.arrays[name][part])]);
        array[part] = scene.arrays[name][part];
      }
    }
    assert.deepEqual(opened, scene);
  }
});

test("half a letter arrives as it was sent", () => {
  assert.equal(openMessage(messageOf('{"arrays":{},"description":"a\\ud800"}')).description, "a\ud800");
});

test("a message whose lengths cannot be is refused", () => {
  const refused = (message, words) => {
    assert.throws(() => openMessage(message), words);
    try {
      openMessage(message);
    } catch (error) {
      assert.ok(error instanceof RangeError);
    }
  };
  const text = (place) => `{"arrays":{"a":{"data":${place}}}}`;
  refused(messageOf(text("[0,4]"), [], 999), "999 bytes from byte 4 on are no part of 35 bytes");
  refused(messageOf(text("[0,8]"), [1, 2, 3, 4]), "8 bytes from byte 0 on are no part of 4 bytes");
  refused(messageOf(text("[4,4]"), [1, 2, 3, 4]), "4 bytes from byte 4 on are no part of 4 bytes");
  refused(messageOf(text("[-4,4]"), [1, 2, 3, 4]), "4 bytes from byte -4 on are no part of 4 bytes");
  refused(messageOf(text("[4,-4]"), [1, 2, 3, 4]), "-4 bytes from byte 4 on are no part of 4 bytes");
  refused(new Uint8Array(3), "4 bytes from byte 0 on are no part of 3 bytes");
  refused(new Uint8Array(new ArrayBuffer(9), 4, 0), "no part of 0 bytes");
});

test("bit 0 is the least significant of the first byte, bit 8 of the second", () => {
  const bytes = bytesOf("BYA="); // 0b00000101, 0b10000000
  const set = Array.from({ length: 16 }, (_, i) => i).filter((i) => bitAt(bytes, i));
  assert.deepEqual(set, [0, 2, 15]);
});
