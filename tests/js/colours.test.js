import { contrast, inkOn, openPalette, rgbOf, shadeOf, shadesOf } from "../../assets/board/draw/colours.js";
import { assert, test } from "./testing.js";

test("colours are read from hex and from rgb()", () =>
  [["#1d5fc4", "#fff", "rgb(1, 20, 255)"].map(rgbOf), [[29, 95, 196], [255, 255, 255], [1, 20, 255]]]);

test("a scale starts and ends with its stops and mixes between them", () => {
  const shades = shadesOf([[0, "#000000"], [0.5, "#ff0000"], [1, "#ffffff"]]);
  assert.deepEqual([...shades.slice(0, 3)], [0, 0, 0]);
  assert.deepEqual([...shades.slice(-3)], [255, 255, 255]);
  assert.close(shades[3 * 64], 128, 1);
});

test("a diverging scale has zero in its middle, a sequential one at its start", () => {
  assert.deepEqual(
    [-3, -1.5, 0, 1.5, 3, 9].map((value) => shadeOf(value, 3, false)),
    [0, 64, 128, 191, 255, 255],
  );
  assert.deepEqual([shadeOf(0, 1, true), shadeOf(1, 1, true), shadeOf(2, 1, true)], [0, 255, 255]);
});

test("the contrast of black on white is 21, of equal colours 1", () => {
  assert.close(contrast([0, 0, 0], [255, 255, 255]), 21, 1e-9);
  assert.close(contrast([9, 9, 9], [9, 9, 9]), 1, 1e-9);
});

test("the better of black and white reads with at least 4.5 on every grey", () => {
  for (let grey = 0; grey < 256; grey += 1) {
    const ground = [grey, grey, grey];
    assert.ok(contrast(rgbOf(inkOn(ground)), ground) >= 4.5, `grey ${grey}`);
  }
});

test("a dark palette knows that it is dark", () => {
  const scale = [[0, "#000000"], [1, "#ffffff"]];
  const isDark = (background) => openPalette({ logit: scale, feature: scale, probability: scale, background }).dark;
  assert.deepEqual(["#11121a", "#ffffff"].map(isDark), [true, false]);
});
