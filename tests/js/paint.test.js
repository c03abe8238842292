import { lettersFor } from "../../assets/board/paint.js";
import { assert, test } from "./testing.js";

const context = { font: "", measureText: (text) => ({ width: 0.49 * parseFloat(context.font) * text.length }) };
const lettered = (zoom, width) => {
  const sheet = { box: { cell: { digits: 1 } }, values: [-1.5, 2.25], width, height: 28 };
  return lettersFor(context, sheet, zoom, "font");
};

test("numbers keep apart in larger type as in usual type, and keep their decimal", () => {
  for (const zoom of [1, 1.35]) {
    const { size: chosen, texts } = lettered(zoom, 26);
    assert.deepEqual(texts, ["−1.5", "2.2"]);
    assert.ok(0.49 * chosen * 4 <= 26 - 3 * zoom + 1e-9, `${chosen} at ${zoom}`);
  }
});

test("numbers are written no larger than their type where cells are wide", () => {
  assert.close(lettered(1, 46).size, 11.5);
  assert.close(lettered(1.35, 60).size, 1.35 * 11.5);
});
