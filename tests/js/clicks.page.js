import { attachClicks } from "../../assets/chart/clicks.js";
import { assert, test } from "./testing.js";

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** A chart that can be clicked, with the range its axis was given and the one it shows. */
function standing({ given = [0, 9], shown = [0, 9], autorange = false, clickable = true } = {}) {
  const host = document.createElement("div");
  const told = [];
  let click = null;
  host.classList.toggle("clickable", clickable);
  host.on = (event, act) => (click = act);
  host._fullLayout = { xaxis: { range: shown, autorange }, yaxis: {} };
  attachClicks(host, () => ({ xaxis: given ? { range: given } : {}, yaxis: {}, xaxisTitle: {} }), (what) => told.push(what));
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
  const other = standing({ clickable: false });
  other.press();
  assert.deepEqual([told, other.told], [[], []]);
});

test("in a zoomed chart a click waits whether another follows, and is none if so", async () => {
  const zoomed = [{ shown: [2, 5] }, { shown: [0, 8] }, { given: null, shown: [2, 5] }].map((one) => standing(one));
  for (const { act, press } of zoomed) {
    act("mousedown", { detail: 1 });
    press();
  }
  zoomed[0].act("mousedown", { detail: 2 });
  assert.deepEqual(zoomed.map(({ told }) => told.length), [0, 0, 0]);
  await wait(350);
  assert.deepEqual(zoomed.map(({ told }) => told.length), [0, 1, 1]);
  const whole = standing({ given: null, autorange: true });
  whole.press();
  assert.equal(whole.told.length, 1, "a chart that chose its range itself is not zoomed");
});
