import { at, dressedScene, press, sent, standing } from "./stand.js";
import { assert, test } from "./testing.js";

const wide = sent(5, 90);

test("with Shift the wheel moves the columns that are seen, within what was sent; without it the page scrolls", () => {
  const stand = standing(dressedScene(wide), 1300);
  const field = () => stand.find(".window input");
  const turn = (more, place) => {
    const made = new WheelEvent("wheel", { ...at(stand, "result", [0, 0, Number(field().value) + place]), ...more });
    return stand.find(".stage").dispatchEvent(made);
  };
  const { min, max } = field();
  assert.deepEqual([min, Number(max) + 64, field().value], ["5", 95, "5"]);
  assert.ok(turn({ deltaY: 100 }, 3));
  assert.ok(!turn({ deltaY: 100, shiftKey: true }, 3));
  assert.equal(field().value, "9");
  turn({ deltaX: -100, shiftKey: true }, 3);
  assert.equal(field().value, "5", "a wheel that tilts");
  turn({ deltaY: -100, shiftKey: true }, 3);
  assert.equal(field().value, "5");
  for (let i = 0; i < 12; i += 1) turn({ deltaY: 100, shiftKey: true }, 3);
  assert.equal(field().value, max);
  stand.board.update(dressedScene(sent(30, 64)));
  assert.ok(turn({ deltaY: 100, shiftKey: true }, 3), "there is nothing to move");
  stand.end();
});

test("a slider moves what is seen, says so, and its buttons ask for what was not sent", () => {
  const stand = standing(dressedScene(wide), 1300);
  const field = stand.find(".window input");
  field.value = 20;
  field.dispatchEvent(new Event("input"));
  assert.equal(field.getAttribute("aria-valuetext"), "column 20–83 of 100");
  assert.equal(stand.board.where({ array: "result", index: [0, 0, 19] }), null);
  assert.ok(stand.board.where({ array: "result", index: [0, 0, 83] }));
  const buttons = [...stand.root.querySelectorAll(".window button")];
  assert.deepEqual(buttons.map(({ title }) => title), ["earlier: column 4", "later: column 95"]);
  assert.ok(buttons[0] === stand.find(".window button"), "the one with the focus stays");
  for (const button of buttons) button.click();
  assert.deepEqual(stand.calls.map(([, { array: name, index }]) => `${name} ${index}`), ["result 0,0,4", "result 0,0,95"]);
  stand.end();
});

test("a slider offers nothing beyond the ends of its axis, moves nothing where all that was sent is seen, and goes with its scene", () => {
  const stand = standing(dressedScene(sent(0, 64)), 1300);
  const titles = () => [...stand.root.querySelectorAll(".window button")].map(({ title }) => title);
  assert.deepEqual([titles(), stand.find(".window input").disabled], [["later: column 64"], true]);
  stand.board.update(dressedScene(sent(30, 70)));
  assert.deepEqual([titles(), stand.find(".window input").disabled], [["earlier: column 29"], false]);
  stand.board.update(dressedScene());
  assert.equal(stand.find(".window"), null);
  stand.end();
});

test("a key that leads to a cell that was not sent asks for it", () => {
  const stand = standing(dressedScene(wide), 1300);
  press(stand, "result", "ArrowLeft");
  assert.deepEqual(stand.calls, [["onPin", { array: "result", index: [0, 0, 4] }]]);
  stand.end();
});
