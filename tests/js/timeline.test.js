import { beatsOf, frameOf, indexInOrder, nextMoment, placeInOrder, previousMoment } from "../../assets/board/play/player.js";
import { assert, test } from "./testing.js";

const flat = frameOf({ panel: { tiles: null, rows: 1, columns: 2 }, array: { start: [0, 0, 0], shape: [2, 3, 5] } });
const tiled = frameOf({ panel: { tiles: 0, rows: 1, columns: 2 }, array: { start: [0, 0, 10], shape: [2, 3, 5] } });

test("cells are played in reading order, row by row and tile by tile", () => {
  assert.deepEqual([flat.count, indexInOrder(flat, [1, 0, 0], 7)], [15, [1, 1, 2]]);
  assert.deepEqual([tiled.count, indexInOrder(tiled, [0, 0, 0], 22)], [30, [1, 1, 12]]);
});

test("the place of an index in the order is the inverse", () => {
  for (let place = 0; place < 30; place += 1) assert.equal(placeInOrder(tiled, indexInOrder(tiled, [0, 0, 0], place)), place);
});

test("every term has a beat, up to 40; longer sums take several terms at once and end with all", () => {
  assert.deepEqual(beatsOf(4), [1, 2, 3, 4]);
  assert.deepEqual([beatsOf(0), beatsOf(1)], [[], [1]]);
  assert.deepEqual([beatsOf(512).length <= 40, beatsOf(512).at(-1)], [true, 512]);
});

test("after the last term comes the result, after the result the next cell, after the last cell nothing", () => {
  const moments = [{ cell: 0, beat: 0 }];
  while (moments.at(-1)) moments.push(nextMoment(moments.at(-1), { count: 2, beats: 2 }));
  assert.deepEqual(
    moments.slice(0, -1).map(({ cell, beat }) => `${cell}.${beat}`),
    ["0.0", "0.1", "0.2", "1.0", "1.1", "1.2"],
  );
});

test("stepping back undoes stepping on", () => {
  const scope = { count: 3, beats: 2 };
  for (let moment = { cell: 0, beat: 0 }, next = nextMoment(moment, scope); next; moment = next, next = nextMoment(moment, scope)) {
    assert.deepEqual(previousMoment(next, scope), moment);
  }
  assert.equal(previousMoment({ cell: 0, beat: 0 }, scope), null);
});

test("without motion playing goes from result to result", () => {
  const scope = { count: 2, beats: 7 };
  assert.deepEqual(nextMoment({ cell: 0, beat: 3 }, scope, true), { cell: 0, beat: 7 });
  assert.deepEqual(nextMoment({ cell: 0, beat: 7 }, scope, true), { cell: 1, beat: 7 });
  assert.deepEqual(previousMoment({ cell: 1, beat: 7 }, scope, true), { cell: 0, beat: 7 });
});
