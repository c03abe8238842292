import { chosenNames } from "../../assets/chart/around.js";
import { assert, test } from "./testing.js";

// An axis of so many names, so many px apart.
const axis = (pitch, range) => ({ range, l2p: (place) => pitch * place });
const names = (count, nticks) => ({ categoryarray: Array.from({ length: count }, String), nticks });

test("all names are written where there is room, and of many those that the axis is told", () => {
  assert.deepEqual(chosenNames(axis(20, [-0.5, 4.5]), names(5), 16), [0, 1, 2, 3, 4]);
  assert.deepEqual(chosenNames(axis(20, [-0.5, 8.5]), names(9, 3), 16), [0, 3, 6]);
});

test("names never touch, however narrow the screen makes their cells, and zooming in brings them back", () => {
  assert.deepEqual(chosenNames(axis(9, [-0.5, 15.5]), names(16), 17), [0, 2, 4, 6, 8, 10, 12, 14]);
  assert.deepEqual(chosenNames(axis(36, [4.5, 8.5]), names(16), 17), [5, 6, 7, 8]);
  assert.deepEqual(chosenNames(axis(-9, [15.5, -0.5]), names(16), 30), [0, 4, 8, 12], "rows count downwards");
});
