import { openScene } from "../../assets/board/scene.js";
import { equalsOf, placeWords, spokenOf } from "../../assets/board/wording.js";
import { along, array, productScene, running } from "./scenes.js";
import { assert, test } from "./testing.js";

test("a cell is named by axis, number and label; axes of one place are left out", () => {
  const scene = productScene();
  scene.arrays.single = array([1, 2], "HT", [1, 2]);
  const model = openScene(scene);
  assert.equal(placeWords(model, { array: "result", index: [1, 0, 4] }), "head 1, row 0 a, column 4 t");
  assert.equal(placeWords(model, { array: "single", index: [0, 1] }), "row 1 b");
});

test("a screen reader hears the number and how it came about", () => {
  assert.equal(
    spokenOf(openScene(productScene()), { array: "result", index: [0, 0, 1] }),
    "result, head 0, row 0 a, column 1 q, 6.000 = 3.000 + 0.000 + 3.000",
  );
});

test("beside a rounded number nothing is said to be equal; what is exactly 0 or hidden is not rounded", () => {
  const from = (result, ...values) => ({ terms: [{ factors: values.map((value) => ({ value })) }], result });
  assert.equal(equalsOf(from(0.0625, 0.25, 0.25), 4), "=");
  assert.equal(equalsOf(from(Math.fround(0.1) * 2, Math.fround(0.1), 2), 4), "=");
  assert.equal(equalsOf(from(0.03125, 0.125, 0.25), 4), "≈");
  assert.equal(equalsOf(from(2 / 3, 1 / 3, 2), 4), "≈");
  assert.equal(equalsOf(from(0, 1 / 3, 0), 4), "=");
  assert.equal(equalsOf(from(-Infinity, 1 / 3), 4), "=");
});

test("a share is spoken as a quotient, an empty slice as such", () => {
  const scene = productScene();
  scene.arrays.share = array([2, 3], "TK", null, { kind: "probability", title: "share" });
  scene.rules.share = {
    operation: "softmax",
    length: 3,
    reads: [{ array: "left", at: [{ parts: [] }, along(0), running] }],
    position: along(1),
  };
  const said = spokenOf(openScene(scene), { array: "share", index: [0, 2] });
  assert.equal(said, "share, row 0 a, feature 2, 0.665 ≈ exp(3.000 minus 3.000) divided by 1.503");
});
