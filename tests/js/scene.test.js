import { openMessage, blockOf, firstSlices, follow, hasMark, limitAt, openScene, sameSignature, signatureOf, valueAt, bitAt, bytesOf, floatsOf } from "../../assets/board/scene/scene.js";
import { along, array, flagged, linear, opened, productScene, running, written } from "./scenes.js";
import { assert, test } from "./testing.js";

function masked() {
  const masks = { masked: flagged([0, 0, 1, 0, 0, 1, 0, 0, 0, 0]), kind: "logit" };
  const hidden = array([2, 5], "TS", [1, 2, 0, 4, 5, 0, 7, 8, 9, 10], masks);
  const shares = { operation: "softmax", length: 5, reads: [{ array: "hidden", at: [along(0), running] }], position: along(1) };
  return opened({ arrays: { hidden, shares: array([2, 5], "TS", null, { kind: "probability" }) }, rules: { shares } });
}

test("scenes are the same exactly when all but their cells is equal, be it text, numbers or flags", () => {
  const flags = (flag) => flagged(Array.from({ length: 12 }, (_, i) => i === flag));
  const changed = (change) => {
    const scene = productScene();
    scene.arrays.left.masked = flags(5);
    change(scene);
    return scene;
  };
  const changes = [
    [true, () => {}],
    [true, (scene) => (scene.cell = { array: "left", index: [0, 0, 0] })],
    [true, (scene) => delete scene.cell],
    [false, (scene) => (scene.description = "another")],
    [false, (scene) => (scene.axes.S.labels[4] = "T")],
    [false, (scene) => (scene.arrays.left = { ...array([2, 2, 3], "HTK", [1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 50, 60.00001], { title: "left", role: "query" }), masked: flags(5) })],
    [false, (scene) => (scene.arrays.left.masked = flags(6))],
    [false, (scene) => (scene.arrays.left.changed = flags(5))],
    [false, (scene) => delete scene.arrays.left.masked],
  ];
  for (const opened of [(scene) => scene, (scene) => openMessage(written(scene))]) {
    const kept = signatureOf(opened(changed(() => {})));
    for (const [same, change] of changes) assert.equal(sameSignature(signatureOf(opened(changed(change))), kept), same);
    assert.equal(sameSignature(kept, []), false);
  }
});

test("a flagged cell is minus infinity although the data hold zero", () => {
  const model = masked();
  assert.deepEqual([[0, 2], [1, 0], [1, 1]].map((at) => valueAt(model, "hidden", at)), [-Infinity, -Infinity, 7]);
  assert.deepEqual([hasMark(model.arrays.hidden, "masked", [0, 2]), hasMark(model.arrays.hidden, "masked", [0, 3])], [true, false]);
});

test("a share of a hidden key keeps its number and is flagged", () => {
  const model = opened({ arrays: { shares: array([1, 3], "TS", [0.25, 0.75, 0], { hatched: flagged([0, 0, 1]) }) } });
  const { shares, left } = model.arrays;
  assert.deepEqual([0, 1, 2].map((key) => hasMark(shares, "hatched", [0, key])), [false, false, true]);
  assert.deepEqual([valueAt(model, "shares", [0, 2]), hasMark(left, "hatched", [0, 0, 0])], [0, false]);
});

test("an array without data is computed by its rule, cell by cell", () => {
  const model = masked();
  const row = [0, 1, 2, 3, 4].map((place) => valueAt(model, "shares", [0, place]));
  assert.close(row.reduce((a, b) => a + b), 1, 1e-12);
  assert.equal(row[2], 0);
  assert.close(row[1] / row[0], Math.E, 1e-9);
});

test("of a part that was sent, indices are those of the whole, and beyond it nothing is known", () => {
  const numbers = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
  const model = opened({ arrays: { left: array([2, 2, 3], "HTK", numbers, { start: [0, 0, 7], whole: [2, 2, 13] }) } });
  assert.deepEqual([8, 6, 10].map((place) => valueAt(model, "left", [1, 0, place])), [8, NaN, NaN]);
});

test("a block of cells is read row by row, also when the matrix is turned", () => {
  const model = opened();
  const [rows, columns] = [{ axis: 1, count: 2 }, { axis: 2, count: 3 }];
  assert.deepEqual([...blockOf(model, "left", [1, 0, 0], rows, columns)], [10, 20, 30, 40, 50, 60]);
  assert.deepEqual([...blockOf(model, "left", [0, 0, 0], columns, rows)], [1, 4, 2, 5, 3, 6]);
  assert.deepEqual([...blockOf(model, "left", [1, 1, 2], { axis: null, count: 1 }, { axis: null, count: 1 })], [60]);
});

test("the limit of the colours may differ along an axis", () => {
  const scene = productScene();
  scene.arrays.left.limit = { axis: 0, values: [6, 60] };
  const { left } = openScene(scene).arrays;
  assert.deepEqual([limitAt(left, [0, 1, 1]), limitAt(left, [1, 1, 1])], [6, 60]);
});

test("with a result cell the slices of what it reads follow", () => {
  const model = opened();
  const slices = follow(model, firstSlices(model), { array: "result", index: [1, 0, 4] });
  assert.deepEqual([slices.result, slices.left, slices.right], [[1, 0, 4], [1, 0, 0], [4, 0]]);
});

test("with an operand's cell the results follow, and axes that stay free keep their last index", () => {
  const model = opened();
  const last = follow(model, firstSlices(model), { array: "result", index: [1, 1, 3] });
  assert.deepEqual(follow(model, last, { array: "left", index: [0, 1, 2] }).result, [0, 1, 3]);
  assert.deepEqual(follow(model, last, { array: "right", index: [2, 2] }).result, [1, 1, 2]);
});

test("an array that no rule joins to the cell follows along the axes that both have, as far as it was sent", () => {
  const part = array([1, 3], "HV", null, { start: [0, 4], whole: [2, 8] });
  const model = opened({ arrays: { mixed: array([2, 2, 4], "HTV", null), part } });
  const last = { ...firstSlices(model), mixed: [0, 0, 3] };
  const slices = follow(model, last, { array: "result", index: [1, 1, 3] });
  assert.deepEqual([slices.mixed, slices.part], [[1, 1, 3], [0, 4]]);
});

test("what follows from what a cell reads follows, too", () => {
  const rule = { length: 5, reads: [{ array: "result", at: [along(0), along(1), running] }] };
  const model = opened({
    arrays: { largest: array([2, 2], "HT", null), share: array([2, 2, 5], "HTS", null) },
    rules: { largest: { ...rule, operation: "max" }, share: { ...rule, operation: "softmax", position: along(2) } },
  });
  const slices = follow(model, firstSlices(model), { array: "share", index: [1, 1, 4] });
  assert.deepEqual([slices.result, slices.largest], [[1, 1, 4], [1, 1]]);
});

test("another result of what a cell reads takes its place from all of that, not from the first alone", () => {
  const { arrays, rules } = productScene();
  const model = opened({ arrays: { beside: arrays.result }, rules: { beside: rules.result } });
  assert.deepEqual(follow(model, firstSlices(model), { array: "result", index: [1, 1, 3] }).beside, [1, 1, 3]);
});

test("a shared source keeps the reader that was last seen, if it is one of its readers", () => {
  const wide = { operation: "copy", length: 1, reads: [{ array: "left", at: [along(0, { over: 3 }), along(1), linear([])] }] };
  const model = opened({ arrays: { wide: array([6, 2], "GT", null) }, rules: { wide } });
  const last = { ...firstSlices(model), wide: [4, 0] };
  assert.deepEqual(follow(model, last, { array: "left", index: [1, 1, 0] }).wide, [4, 1]);
  assert.deepEqual(follow(model, last, { array: "left", index: [0, 1, 0] }).wide, [2, 1]);
});

test("a transposed scene swaps rows with columns, places, and across with down", () => {
  const scene = productScene();
  scene.panels[3].arrange = "across";
  const [left, , , all] = openScene({ ...scene, transposed: true }).panels;
  assert.deepEqual([left.rows, left.columns, left.place, all.arrange, all.tiles], [2, 1, [1, 0], "down", 0]);
  scene.panels[3].arrange = "down";
  assert.equal(openScene({ ...scene, transposed: true }).panels[3].arrange, "across");
});

/** The bytes of a message from its text and what follows it; length: what it says of the text. */
function messageOf(text, rest = [], length = text.length) {
  const utf8 = new TextEncoder().encode(text);
  return new Uint8Array([length & 255, length >> 8, 0, 0, ...utf8, ...rest]);
}

test("base64 becomes bytes, also those above 127", () => [[...bytesOf("AH+A/w==")], [0, 127, 128, 255]]);

test("float32 numbers are read from bytes that begin anywhere", () => {
  for (const place of [0, 1, 2, 3]) {
    const bytes = new Uint8Array(new ArrayBuffer(place + 9), place, 8);
    bytes.set([0, 0, 128, 63, 0, 0, 32, 192]);
    assert.deepEqual([...floatsOf(bytes)], [1, -2.5]);
    assert.throws(() => floatsOf(bytes.subarray(0, 6)), "6 bytes are no whole number");
  }
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

test("half a letter arrives as it was sent", () => [openMessage(messageOf('{"arrays":{},"description":"a\\ud800"}')).description, "a\ud800"]);

test("a message whose lengths cannot be is refused", () => {
  const refused = (message, words) => assert.throws(() => openMessage(message), words);
  const text = (place) => `{"arrays":{"a":{"data":${place}}}}`;
  refused(messageOf(text("[0,4]"), [], 999), "999 bytes from byte 4 on are no part of 35 bytes");
  for (const [from, count] of [[0, 8], [4, 4], [-4, 4], [4, -4]]) {
    refused(messageOf(text(`[${from},${count}]`), [1, 2, 3, 4]), `${count} bytes from byte ${from} on are no part of 4 bytes`);
  }
  refused(new Uint8Array(3), "4 bytes from byte 0 on are no part of 3 bytes");
  refused(new Uint8Array(new ArrayBuffer(9), 4, 0), "no part of 0 bytes");
});

test("bit 0 is the least significant of the first byte, bit 8 of the second", () => {
  const bytes = bytesOf("BYA="); // 0b00000101, 0b10000000
  return [[...Array(16).keys()].filter((i) => bitAt(bytes, i)), [0, 2, 15]];
});
