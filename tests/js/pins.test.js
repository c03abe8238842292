import { Pins } from "../../assets/board/point/input.js";
import { assert, test } from "./testing.js";

const cell = (place) => ({ array: "result", index: [0, place] });

test("an answer to an earlier pin does not undo a later one", () => {
  const pins = new Pins();
  pins.add(cell(1));
  pins.add(cell(2));
  pins.adopt(cell(1), true);
  assert.ok(pins.holds(cell(2)));
  pins.adopt(cell(2), true);
  assert.ok(pins.holds(cell(2)));
});

test("each answer is of one pin, and none says that another cell was chosen", () => {
  const pins = new Pins();
  for (const place of [1, 2, 3]) pins.add(cell(place));
  assert.deepEqual([1, 1, 2, 3].map((place) => pins.adopt(cell(place), true)), [false, false, false, false]);
  assert.ok(pins.holds(cell(3)));
  for (const place of [4, 5, 6]) pins.add(cell(place));
  pins.adopt(cell(4), true);
  pins.adopt(cell(5), true);
  assert.ok(pins.holds(cell(6)));
});

test("a cell that the server chose itself is taken", () => {
  const pins = new Pins();
  pins.add(cell(1));
  pins.adopt(cell(7), true);
  assert.ok(pins.holds(cell(7)));
});

test("what the server said before says nothing new", () => {
  const pins = new Pins();
  pins.adopt(cell(3), true);
  pins.add(cell(4));
  pins.adopt(cell(3), true);
  assert.ok(pins.holds(cell(4)));
});

test("a cell that does not exist is not pinned", () => {
  const pins = new Pins();
  pins.adopt(cell(3), false);
  assert.equal(pins.cell, null);
});

test("it is told when the server has chosen another cell", () => {
  const pins = new Pins();
  assert.equal(pins.adopt(cell(3), true), false);
  pins.add(cell(4));
  assert.equal(pins.adopt(cell(4), true), false);
  pins.renew(true);
  assert.equal(pins.adopt(cell(4), true), false);
  assert.equal(pins.adopt(cell(5), true), true);
});

test("a scene that has no such cell makes the pin be forgotten", () => {
  const pins = new Pins();
  pins.add(cell(4));
  pins.renew(true);
  assert.ok(pins.holds(cell(4)));
  pins.renew(false);
  assert.equal(pins.cell, null);
  assert.equal(pins.holds(cell(4)), false);
});

test("what the server says of a new scene is heard, though it is what it said of the last one", () => {
  const pins = new Pins();
  pins.adopt(cell(3), true);
  pins.renew(false);
  pins.adopt(cell(3), true);
  assert.ok(pins.holds(cell(3)));
});
