import { Pins } from "../../assets/board/point/input.js";
import { assert, test } from "./testing.js";

const cell = (place) => ({ array: "result", index: [0, place] });

// What happens to the pins, and the place that is pinned then: "add", what the server says ("adopt"), or another scene ("renew").
const STORIES = {
  "an answer to an earlier pin does not undo a later one": [["add", 1], ["add", 2], ["adopt", 1], 2, ["adopt", 2], 2],
  "each answer is of one pin": [["add", 1], ["add", 2], ["add", 3], ["adopt", 1], ["adopt", 1], ["adopt", 2], ["adopt", 3], 3,
    ["add", 4], ["add", 5], ["add", 6], ["adopt", 4], ["adopt", 5], 6],
  "a cell that the server chose itself is taken": [["add", 1], ["adopt", 7], 7],
  "what the server said before says nothing new": [["adopt", 3], ["add", 4], ["adopt", 3], 4],
  "a scene that has no such cell makes the pin be forgotten": [["add", 4], ["renew", true], 4, ["renew", false], null],
  "what the server says of a new scene is heard, though it is what it said of the last one": [["adopt", 3], ["renew", false], ["adopt", 3], 3],
};
for (const [fact, acts] of Object.entries(STORIES)) {
  test(fact, () => {
    const pins = new Pins();
    for (const act of acts) {
      if (!Array.isArray(act)) assert.equal(pins.cell?.index[1] ?? null, act);
      else pins[act[0]](act[0] === "renew" ? act[1] : cell(act[1]), true);
    }
  });
}

test("a cell that does not exist is not pinned", () => {
  const pins = new Pins();
  pins.adopt(cell(3), false);
  assert.deepEqual([pins.cell, pins.holds(cell(3))], [null, false]);
});

test("it is told when the server has chosen another cell, not when it answers", () => {
  const pins = new Pins();
  const adopted = (place) => pins.adopt(cell(place), true);
  assert.equal(adopted(3), false);
  pins.add(cell(4));
  assert.equal(adopted(4), false);
  pins.renew(true);
  assert.deepEqual([adopted(4), adopted(5)], [false, true]);
});
