import { layOutGallery } from "../../assets/board/place/gallery.js";
import { openScene } from "../../assets/board/scene/scene.js";
import { anyOverlap, words } from "./scenes.js";
import { assert, test } from "./testing.js";

const measure = (text, size) => 0.55 * size * text.length;

// So many heads of square matrices, and beside them one matrix if wanted.
function heads(count, size, more = {}, beside = false) {
  const labels = words(size, "word");
  const array = (number) => ({ shape: [number, size, size], axes: ["H", "T", "S"], kind: "probability", role: "text", limit: 1, data: new Uint8Array(4 * number * size * size) });
  const panel = { id: "all", array: "all", role: "tiles", place: [0, 0], tiles: 0, rows: 1, columns: 2, title: "all", badge: "", size: "full", arrange: "grid", ...more };
  const one = { ...panel, id: "one", array: "one", tiles: null, place: [0, 0] };
  return openScene({
    axes: { H: { word: "head" }, T: { word: "query", labels }, S: { word: "key", labels } },
    arrays: { all: array(count), one: array(1) },
    panels: beside ? [one, { ...panel, place: [1, 0] }] : [panel],
    gallery: true,
  });
}
const plan = (model, width, height = 1325) => layOutGallery(model, { width, zoom: 1, measure, starts: new Map(), window: height });

test("all cells of all matrices are shown, inside the width, and none on another", () => {
  for (const width of [340, 700, 900, 1400]) {
    for (const [count, size] of [[1, 1], [2, 8], [4, 12], [8, 12], [12, 12], [5, 33], [16, 64]]) {
      for (const beside of [false, true]) {
        const { boxes, width: used } = plan(heads(count, size, {}, beside), width);
        assert.ok(used <= width, `${used} of ${width}: ${count} of ${size}`);
        const tiles = boxes.flatMap((box) => box.tiles.map(({ x, y }) => ({ x, y, width: box.tileWidth, height: box.tileHeight })));
        assert.equal(tiles.length, count + (beside ? 1 : 0));
        assert.ok(boxes.every(({ rows, columns }) => rows.count === size && columns.count === size));
        assert.ok(!anyOverlap(tiles));
      }
    }
  }
});

test("few small heads have numbers and stand side by side; many are larger than a dot", () => {
  const few = plan(heads(2, 8), 900);
  assert.equal(few.cell.digits, 2);
  assert.equal(few.boxes[0].tileColumns, 2);
  const many = plan(heads(16, 64), 900);
  assert.equal(many.cell.digits, -1);
  assert.ok(many.cell.width >= 2.5, `${many.cell.width} px`);
});

test("on a phone every head has a line of its own, with words above the first", () => {
  const { boxes } = plan(heads(4, 12), 358);
  assert.equal(boxes[0].tileColumns, 1);
  assert.ok(boxes[0].labelTop > 0 && boxes[0].left > 0);
});

test("of the heads only those that are chosen are placed", () => {
  const { boxes } = plan(heads(5, 4, { only: [1, 4] }), 900);
  assert.deepEqual(boxes[0].tiles.map(({ place }) => place), [1, 4]);
});

test("in a low window the rows of all heads without numbers are seen at once", () => {
  const [high, low] = [1080, 720].map((height) => plan(heads(8, 16), 1240, height));
  assert.equal(high.cell.digits, low.cell.digits);
  assert.ok(low.height <= 720 - 200, `${low.height} px`);
  assert.ok(high.height > 720 - 200, `${high.height} px`);
});
