import { click, current, dressedScene, point, press, standing } from "./stand.js";
import { array } from "./scenes.js";
import { assert, test } from "./testing.js";

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const pinned = "result 0,1,2";

test("a mouse or a pen that points at a cell makes it the current one, a finger that scrolls does not", () => {
  const stand = standing();
  for (const kind of ["mouse", "pen"]) {
    point(stand, "left", [0, 1, kind === "pen" ? 2 : 0], kind);
    assert.equal(current(stand), `left 0,1,${kind === "pen" ? 2 : 0}`);
  }
  point(stand, "right", [4, 1], "touch");
  assert.equal(current(stand), "left 0,1,2");
  point(stand, "result", [0, 1, 4]);
  assert.equal(current(stand), "result 0,1,4");
  stand.end();
});

test("beside the cells the pinned one is current again, at once where the board ends and after a moment between matrices", async () => {
  const stand = standing();
  const stage = stand.find(".stage");
  point(stand, "left", [0, 0, 0]);
  stage.dispatchEvent(new PointerEvent("pointerleave", { pointerType: "touch" }));
  assert.equal(current(stand), "left 0,0,0");
  stage.dispatchEvent(new PointerEvent("pointerleave", { pointerType: "mouse" }));
  assert.equal(current(stand), pinned);
  point(stand, "left", [0, 0, 0]);
  stage.dispatchEvent(new PointerEvent("pointermove", { clientX: 1, clientY: 1, pointerType: "mouse" }));
  assert.equal(current(stand), "left 0,0,0");
  await wait(300);
  assert.equal(current(stand), pinned);
  stand.end();
});

test("who passes between matrices on the way to a cell keeps that cell", async () => {
  const stand = standing();
  stand.find(".stage").dispatchEvent(new PointerEvent("pointermove", { clientX: 1, clientY: 1, pointerType: "mouse" }));
  point(stand, "left", [0, 1, 1]);
  await wait(300);
  assert.equal(current(stand), "left 0,1,1");
  stand.end();
});

test("a click pins a cell and tells of it; where no cell is, it does nothing", () => {
  const stand = standing();
  click(stand, "right", [3, 1]);
  stand.find(".stage").dispatchEvent(new MouseEvent("click", { clientX: 1, clientY: 1 }));
  assert.deepEqual(stand.calls, [["onPin", { array: "right", index: [3, 1] }]]);
  assert.equal(current(stand), "right 3,1");
  assert.ok(stand.find("[aria-live]").textContent.startsWith("pinned: "));
  stand.end();
});

test("a matrix that leads elsewhere opens it by click, title and Enter, shows so below the pointer, and pins nothing", () => {
  const stand = standing(dressedScene(({ panels }) => Object.assign(panels[0], { link: "split" })));
  point(stand, "left", [0, 0, 0]);
  assert.ok(stand.find(".stage").classList.contains("links"));
  point(stand, "right", [0, 0]);
  assert.ok(!stand.find(".stage").classList.contains("links"));
  click(stand, "left", [0, 0, 0]);
  stand.panel("left").querySelector(".title").click();
  for (const key of ["Enter", " "]) press(stand, "left", key);
  assert.deepEqual(stand.calls, Array(4).fill(["onOpen", "split"]));
  stand.end();
});

// Where a key leads from result 0,1,2 of 2 matrices of 2 rows and 5 columns.
const reached = (key, more = {}) => {
  const stand = standing();
  press(stand, "result", key, more);
  const found = current(stand);
  stand.end();
  return found.replace("result ", "");
};

test("arrow keys move by one row or column", () => {
  assert.deepEqual(["ArrowUp", "ArrowLeft", "ArrowRight"].map((key) => reached(key)), ["0,0,2", "0,1,1", "0,1,3"]);
  const stand = standing();
  click(stand, "right", [2, 2]);
  const keys = ["ArrowUp", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "ArrowRight"];
  const found = keys.map((key) => press(stand, "right", key) || current(stand));
  assert.deepEqual(found, ["2,1", "2,0", "2,1", "1,1", "2,1", "3,1"].map((index) => `right ${index}`), "columns come first there");
  stand.end();
});

test("Home and End lead to the ends of the row, with Ctrl to those of the column, and pages through the matrices of a stack", () => {
  assert.deepEqual([reached("Home"), reached("End"), reached("Home", { ctrlKey: true })], ["0,1,0", "0,1,4", "0,0,2"]);
  assert.deepEqual([reached("PageDown"), reached("PageUp")], ["1,1,2", "0,1,2"]);
});

test("no key leads beyond an edge", () => {
  const stand = standing();
  for (let i = 0; i < 9; i += 1) for (const key of ["ArrowDown", "ArrowRight", "PageDown"]) press(stand, "result", key);
  assert.equal(current(stand), "result 1,1,4");
  for (let i = 0; i < 9; i += 1) for (const key of ["ArrowUp", "ArrowLeft", "PageUp"]) press(stand, "result", key);
  assert.equal(current(stand), "result 0,0,0");
  assert.deepEqual(stand.calls, []);
  stand.end();
});

test("in a matrix where nothing is current, keys start at the slice it shows", () => {
  const stand = standing();
  point(stand, "result", [0, 1, 4]);
  press(stand, "right", "ArrowDown");
  assert.equal(current(stand), "right 4,1", "keys are columns there, and its rows are features");
  stand.end();
});

test("pages lead through the first long axis that is not drawn, and through a batch only where there is no other", () => {
  const change = (letters) => (scene) => {
    const shape = letters === "BBTS" ? [3, 2] : [...letters.slice(0, 2)].map((letter) => ({ B: 2, H: 3, G: 1 })[letter]);
    scene.arrays.result = array([...shape, 2, 5], letters, Array(60).fill(1), { title: "result" });
    scene.rules = {};
    scene.panels = [{ ...scene.panels[2], rows: 2, columns: 3 }];
    scene.cell = { array: "result", index: [0, 0, 0, 0] };
  };
  const paged = (letters) => {
    const stand = standing(dressedScene(change(letters)));
    press(stand, "result", "PageDown");
    const found = current(stand);
    stand.end();
    return found;
  };
  assert.equal(paged("BHTS"), "result 0,1,0,0");
  assert.equal(paged("HBTS"), "result 1,0,0,0");
  assert.equal(paged("BBTS"), "result 1,0,0,0");
  assert.equal(paged("GHTS"), "result 0,1,0,0");
});

test("in tiles pages lead from tile to tile", () => {
  const stand = standing();
  press(stand, "all", "PageDown");
  assert.equal(current(stand), "result 1,1,2");
  stand.end();
});

test("Enter and the space bar pin where one is, Escape leads back to what was pinned and says it", () => {
  const stand = standing();
  press(stand, "result", "ArrowLeft");
  press(stand, "result", "Enter");
  press(stand, "result", "ArrowUp");
  press(stand, "result", " ");
  press(stand, "result", "Home");
  press(stand, "result", "Escape");
  assert.equal(current(stand), "result 0,0,1");
  assert.deepEqual(stand.calls.map(([, { index }]) => index.join()), ["0,1,1", "0,0,1"]);
  assert.ok(stand.find("[aria-live]").textContent.includes("row 0 a, column 1 q"));
  stand.end();
});

test("keys that mean something to the browser are left to it", () => {
  const stand = standing(dressedScene(({ panels }) => Object.assign(panels[2], { editable: true })));
  for (const more of [{ altKey: true }, { metaKey: true }]) assert.ok(press(stand, "result", "ArrowLeft", more));
  for (const key of ["0", "+", "-"]) assert.ok(press(stand, "result", key, { ctrlKey: true }), "zooms the page");
  for (const key of ["a", "Tab", "F5"]) assert.ok(press(stand, "result", key));
  assert.ok(press(stand, "left", "1"), "what is computed takes no number");
  assert.ok(!press(stand, "result", "ArrowLeft"), "an arrow must not scroll the page, too");
  assert.equal(stand.find(".editor"), null);
  stand.end();
});

test("a digit on the pinned cell starts a new number, F2 or a double click changes the old one", () => {
  const stand = standing(dressedScene(({ panels }) => Object.assign(panels[2], { editable: true })));
  const started = (act) => {
    act();
    const { value } = stand.find(".editor");
    stand.find(".editor").dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
    return value;
  };
  const keys = ["0", "7", "9", ".", ",", "-", "−", "+"];
  assert.deepEqual(keys.map((key) => started(() => press(stand, "result", key))), keys);
  assert.equal(started(() => press(stand, "result", "F2")), "23.0000");
  assert.equal(started(() => click(stand, "result", [0, 1, 2], "dblclick")), "23.0000");
  press(stand, "result", "ArrowLeft");
  press(stand, "result", "7");
  assert.equal(stand.find(".editor"), null, "a cell that is not pinned is not changed");
  click(stand, "left", [0, 0, 0], "dblclick");
  assert.equal(stand.find(".editor"), null);
  assert.equal(document.activeElement === stand.panel("result") || stand.root.contains(document.activeElement), true);
  stand.end();
});

test("a board that is gone listens no more, and one beside another answers for itself", async () => {
  const [one, other] = [standing(), standing()];
  const help = [one, other].map(({ find }) => find(".unseen").id);
  assert.ok(help[0] !== help[1]);
  point(other, "left", [0, 0, 1]);
  assert.deepEqual([current(one), current(other)], [pinned, "left 0,0,1"]);
  one.find(".stage").dispatchEvent(new PointerEvent("pointermove", { clientX: 1, clientY: 1, pointerType: "mouse" }));
  one.end();
  await wait(300);
  assert.equal(current(other), "left 0,0,1");
  other.end();
});
