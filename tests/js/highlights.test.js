import { highlightsOf } from "../../assets/board/overlay.js";
import { openScene } from "../../assets/board/scene.js";
import { along, array, linear, productScene, running } from "./scenes.js";
import { assert, test } from "./testing.js";

const brief = (lights) => lights.map(({ kind, array: name, low, high }) => [kind, name, low.join(), high.join()]);

test("a result cell lights itself, its row on the left and its column above", () => {
  const lights = highlightsOf(openScene(productScene()), { array: "result", index: [1, 0, 4] });
  assert.deepEqual(brief(lights), [
    ["cell", "result", "1,0,4", "1,0,4"],
    ["read", "left", "1,0,0", "1,0,2"],
    ["read", "right", "4,0", "4,2"],
  ]);
});

test("an operand's cell hints at all cells that read it", () => {
  const lights = highlightsOf(openScene(productScene()), { array: "right", index: [4, 1] });
  assert.deepEqual(brief(lights)[1], ["reader", "result", "0,0,4", "1,1,4"]);
});

test("cells read that do not follow one another are lit one by one", () => {
  const scene = productScene();
  scene.arrays.picked = array([3], "K", null);
  scene.rules.picked = { operation: "sum", length: 2, reads: [{ array: "left", at: [running, running, along(0)] }] };
  const lights = highlightsOf(openScene(scene), { array: "picked", index: [2] });
  assert.deepEqual(brief(lights).slice(1), [
    ["read", "left", "0,0,2", "0,0,2"],
    ["read", "left", "1,1,2", "1,1,2"],
  ]);
});

test("what is added once is lit once", () => {
  const scene = productScene();
  scene.arrays.bias = array([5], "S", [0, 0, 0, 0, 0]);
  scene.rules.result.adds = [{ array: "bias", at: [along(2)] }];
  const model = openScene(scene);
  assert.deepEqual(brief(highlightsOf(model, { array: "result", index: [0, 0, 3] })).at(-1), ["read", "bias", "3", "3"]);
  assert.deepEqual(brief(highlightsOf(model, { array: "bias", index: [3] }))[1], ["reader", "result", "0,0,3", "1,1,3"]);
});

test("cells outside the whole light nothing", () => {
  const scene = productScene();
  scene.rules.result.reads[1].at = [linear([[2, 1]]), linear([])];
  assert.equal(highlightsOf(openScene(scene), { array: "right", index: [2, 1] }).length, 1);
});

test("where a number was copied to, its other copies are lit as its twins", () => {
  const scene = productScene();
  for (const name of ["copy", "other"]) {
    scene.arrays[name] = array([3, 2, 2], "KHT", null);
    scene.rules[name] = { operation: "copy", length: 1, reads: [{ array: "left", at: [along(1), along(2), along(0)] }] };
  }
  const lights = highlightsOf(openScene(scene), { array: "copy", index: [2, 0, 1] });
  assert.deepEqual(brief(lights).slice(1), [
    ["read", "left", "0,1,2", "0,1,2"],
    ["twin", "other", "2,0,1", "2,0,1"],
  ]);
});
