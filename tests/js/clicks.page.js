import { attachClicks } from "../../assets/chart/component.js";
import { assert, test } from "./testing.js";

/** A chart that can be clicked. */
function standing(clickable = true) {
  const host = document.createElement("div");
  const told = [];
  let click = null;
  host.classList.toggle("clickable", clickable);
  host.on = (event, act) => (click = act);
  attachClicks(host, (what) => told.push(what));
  const point = { customdata: "head 2" };
  const act = (type, more = {}) => host.dispatchEvent(new (type === "mousedown" ? MouseEvent : PointerEvent)(type, more));
  return { host, told, act, press: () => click({ points: [point] }) };
}

test("a click tells the point's name at once", () => {
  const { told, act, press } = standing();
  act("pointerdown");
  act("mousedown", { detail: 1 });
  press();
  assert.deepEqual(told, [{ name: "head 2" }]);
});

test("a finger that scrolls the page chooses nothing, the next one that taps does", () => {
  const { told, act, press } = standing();
  for (const type of ["pointerdown", "pointercancel"]) act(type);
  press();
  assert.equal(told.length, 0);
  act("pointerdown");
  press();
  assert.equal(told.length, 1);
});

test("the second click of a double one, and a chart in which nothing is to be chosen, tell nothing", () => {
  const { told, act, press } = standing();
  act("mousedown", { detail: 2 });
  press();
  const other = standing(false);
  other.press();
  assert.deepEqual([told, other.told], [[], []]);
});
