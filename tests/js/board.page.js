import { click, current, dressedScene, editable, point, press, sent, standing } from "./stand.js";
import { array } from "./scenes.js";
import { assert, test } from "./testing.js";

const frames = (count = 3) => new Promise((resolve) => {
  const next = (left) => (left ? requestAnimationFrame(() => next(left - 1)) : resolve());
  next(count);
});
const chosen = (index, change = () => {}) => dressedScene((scene) => {
  scene.cell = { array: "result", index };
  change(scene);
});
const columns = (count) => (scene) => {
  scene.arrays.right = array([count, 3], "SK", Array(3 * count).fill(1), { title: "right" });
  scene.arrays.result = array([2, 2, count], "HTS", null, { title: "result" });
};

test("the same scene with another cell draws nothing anew and shows that cell; what was pointed at comes first", () => {
  const stand = standing();
  const kept = stand.panel("result").firstElementChild;
  stand.board.update(chosen([0, 0, 4]));
  assert.equal(current(stand), "result 0,0,4");
  assert.ok(stand.find(".what").textContent.includes("column 4"));
  assert.ok(stand.panel("result").firstElementChild === kept);
  point(stand, "left", [0, 0, 1]);
  stand.board.update(chosen([0, 0, 3]));
  assert.equal(current(stand), "left 0,0,1");
  stand.board.update(null);
  assert.equal(current(stand), "left 0,0,1", "no scene is no other scene");
});

test("a scene of another size keeps the cells that it has, and forgets those that it has not", () => {
  const stand = standing();
  click(stand, "right", [4, 1]);
  press(stand, "result", "End");
  press(stand, "result", "PageDown");
  assert.equal(current(stand), "result 1,1,4");
  stand.board.update(chosen([0, 1, 2], columns(4)));
  assert.equal(current(stand), "result 0,1,2");
  stand.board.update(chosen([0, 1, 2], columns(2)));
  assert.equal(stand.board.current(), null, "the cell that the scene names is not there either");
  assert.equal(stand.find(".arithmetic").textContent, "");
  stand.board.update(chosen([0, 1, 1], columns(2)));
  assert.equal(current(stand), "result 0,1,1");
});

test("the head that was looked at stays, until a scene has fewer heads", () => {
  const stand = standing();
  click(stand, "right", [0, 0]);
  press(stand, "result", "PageDown");
  press(stand, "result", "Enter");
  click(stand, "right", [1, 1]);
  assert.equal(stand.board.where({ array: "result", index: [0, 0, 0] }), null);
  assert.ok(stand.board.where({ array: "result", index: [1, 0, 0] }));
  const single = (scene) => {
    scene.arrays.left = array([1, 2, 3], "HTK", Array(6).fill(1), { title: "left" });
    scene.arrays.result = array([1, 2, 5], "HTS", null, { title: "result" });
    scene.cell = { array: "right", index: [1, 1] };
  };
  stand.board.update(dressedScene(single));
  assert.ok(stand.board.where({ array: "result", index: [0, 0, 0] }));
});

test("the columns that are seen follow the cell, by keys, by a pin and from elsewhere", () => {
  const stand = standing(dressedScene(sent(0, 100)), 1300);
  const start = () => stand.find(".window input").value;
  const at = (place) => ({ ...dressedScene(sent(0, 100)), cell: { array: "result", index: [0, 0, place] } });
  press(stand, "result", "End");
  assert.deepEqual([start(), current(stand)], ["36", "result 0,0,99"]);
  press(stand, "result", "Escape");
  assert.equal(start(), "0");
  stand.board.update(at(70));
  assert.deepEqual([start(), current(stand)], ["7", "result 0,0,70"]);
  stand.board.update(at(7));
  assert.equal(start(), "7", "no further than needed");
});

test("a number that was typed is told with its cell, and the focus goes back to the matrix", () => {
  const stand = standing(editable(2));
  press(stand, "result", "5");
  const field = stand.find(".editor");
  assert.equal(field.getAttribute("aria-label"), "New value of result, head 0, row 1 b, column 2 r");
  field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
  assert.deepEqual(stand.calls, [["onEdit", { array: "result", index: [0, 1, 2], value: 5 }]]);
  assert.ok(document.activeElement === stand.panel("result"));
  stand.find(".edit").click();
  assert.equal(stand.find(".editor").value, "23.0000");
});

test("only a pinned cell that can be changed has a button for it, and none does while one points elsewhere or plays", () => {
  const stand = standing(editable(0));
  const acts = [() => {}, () => click(stand, "left", [0, 0, 0]), () => point(stand, "left", [0, 0, 1]), () => stand.find(".tool.next").click()];
  assert.deepEqual(acts.map((act) => (act(), stand.find(".edit") !== null)), [false, true, false, false]);
});

test("the room for the arithmetic grows with what it says, and only a pin gives it back", async () => {
  const long = (scene) => {
    scene.arrays.left = array([2, 2, 24], "HTK", Array(96).fill(1));
    scene.arrays.right = array([5, 24], "SK", Array(120).fill(1));
    scene.rules.result.length = 24;
  };
  const stand = standing(dressedScene(long), 400);
  const [arithmetic, height] = [stand.find(".arithmetic"), () => stand.find(".arithmetic").offsetHeight];
  await frames();
  const full = height();
  assert.ok(parseFloat(arithmetic.style.minHeight) >= full - 1);
  point(stand, "right", [0, 0]);
  await frames();
  assert.equal(height(), full);
  click(stand, "right", [0, 0]);
  await frames();
  assert.ok(height() < full, `${height()} of ${full}`);
});

test("a board is laid out anew in another width, and drawn when a part of the page unfolds", async () => {
  const stand = standing();
  const left = () => stand.panel("result").style.left;
  const wide = left();
  stand.root.style.width = "460px";
  await frames();
  assert.ok(left() !== wide && stand.find(".stage").offsetWidth <= 460);
  stand.root.style.display = "none";
  stand.board.update(chosen([0, 0, 0], columns(3)));
  stand.root.style.display = "";
  await frames();
  assert.ok(stand.board.where({ array: "result", index: [0, 0, 0] }));
});

test("a board whose style sheet comes late is shown when it is there", async () => {
  const stand = standing();
  const [style, section] = [stand.find("style"), stand.find("section")];
  style.disabled = true;
  stand.board.update(chosen([0, 0, 0], columns(3)));
  assert.equal(section.style.visibility, "hidden");
  style.textContent += " .board { padding-bottom: 7px }"; // with the sheet its size is another
  await frames();
  assert.equal(section.style.visibility, "");
});

const grounds = { light: "#eeeeee", dark: "#101010" };
const both = (scene) => {
  const { palette } = scene;
  scene.palette = Object.fromEntries(["light", "dark"].map((mode) => [mode, { ...palette, background: grounds[mode] }]));
};

test("a board follows the system into the dark, is light on paper, and keeps its width there", () => {
  const real = window.matchMedia;
  const system = Object.assign(new EventTarget(), { matches: false });
  window.matchMedia = (query) => (query.includes("color-scheme") ? system : real.call(window, query));
  const stand = standing(dressedScene(both), 1300);
  window.matchMedia = real;
  const section = stand.find("section");
  const ground = () => section.style.getPropertyValue("--background");
  const turn = (matches) => {
    system.matches = matches;
    system.dispatchEvent(new Event("change"));
  };
  const print = (when) => (window.dispatchEvent(new Event(`${when}print`)), [ground(), section.style.width]);
  assert.equal(ground(), grounds.light);
  turn(true);
  assert.equal(ground(), grounds.dark);
  assert.deepEqual([print("before"), print("after")], [[grounds.light, "1088px"], [grounds.dark, ""]]);
  stand.end();
  turn(false);
  assert.deepEqual(print("before"), [grounds.dark, ""], "a board that is gone listens no more");
});

