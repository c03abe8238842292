import { askedHeight } from "../../assets/chart/screen.js";
import { assert, test } from "./testing.js";

const layout = { height: 560, margin: { l: 36, r: 8, t: 52, b: 28 } };

test("a plane with equal scales is no higher than its width can fill, other charts have the height they ask for", () => {
  const plane = { ...layout, yaxis: { scaleanchor: "x" } };
  assert.equal(askedHeight({ clientWidth: 358 }, plane), 358 - 36 - 8 + 52 + 28);
  assert.equal(askedHeight({ clientWidth: 900 }, plane), 560);
  assert.equal(askedHeight({ clientWidth: 358 }, { ...layout, yaxis: {} }), 560);
});
