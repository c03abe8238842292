import { openEditor } from "../../assets/board/point/editor.js";
import { array } from "./scenes.js";
import { at, click, current, dressedScene, editable, point, press, sent, standing } from "./stand.js";
import { assert, test, wait } from "./testing.js";

const pinned = "result 0,1,2";

test("a mouse or a pen that points at a cell makes it the current one, a finger that scrolls does not", () => {
  const stand = standing();
  const after = (...at) => (point(stand, ...at), current(stand));
  assert.deepEqual([after("left", [0, 1, 0]), after("left", [0, 1, 2], "pen")], ["left 0,1,0", "left 0,1,2"]);
  assert.deepEqual([after("right", [4, 1], "touch"), after("result", [0, 1, 4])], ["left 0,1,2", "result 0,1,4"]);
});

test("beside the cells the pinned one is current again, at once where the board ends and after a moment between matrices", async () => {
  const stand = standing();
  const leave = (pointerType) => (stand.find(".stage").dispatchEvent(new PointerEvent("pointerleave", { pointerType })), current(stand));
  point(stand, "left", [0, 0, 0]);
  assert.deepEqual([leave("touch"), leave("mouse")], ["left 0,0,0", pinned]);
  point(stand, "left", [0, 0, 0]);
  pointBeside(stand);
  assert.equal(current(stand), "left 0,0,0");
  await wait(300);
  assert.equal(current(stand), pinned);
});

// Point at the stage where no matrix is.
const pointBeside = ({ find }) => find(".stage").dispatchEvent(new PointerEvent("pointermove", { clientX: 1, clientY: 1, pointerType: "mouse" }));

test("who passes between matrices on the way to a cell keeps that cell", async () => {
  const stand = standing();
  pointBeside(stand);
  point(stand, "left", [0, 1, 1]);
  await wait(300);
  assert.equal(current(stand), "left 0,1,1");
});

test("a click pins a cell and tells of it; where no cell is, it does nothing", () => {
  const stand = standing();
  click(stand, "right", [3, 1]);
  stand.find(".stage").dispatchEvent(new MouseEvent("click", { clientX: 1, clientY: 1 }));
  assert.deepEqual(stand.calls, [["onPin", { array: "right", index: [3, 1] }]]);
  assert.equal(current(stand), "right 3,1");
  assert.ok(stand.find("[aria-live]").textContent.startsWith("pinned: "));
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
});

// Where a key leads from result 0,1,2 of 2 matrices of 2 rows and 5 columns.
const reached = (key, more = {}) => {
  const stand = standing();
  press(stand, "result", key, more);
  return current(stand).replace("result ", "");
};

test("arrow keys move by one row or column", () => {
  assert.deepEqual(["ArrowUp", "ArrowLeft", "ArrowRight"].map((key) => reached(key)), ["0,0,2", "0,1,1", "0,1,3"]);
  const stand = standing();
  click(stand, "right", [2, 2]);
  const keys = ["ArrowUp", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "ArrowRight"];
  const found = keys.map((key) => press(stand, "right", key) || current(stand));
  assert.deepEqual(found, ["2,1", "2,0", "2,1", "1,1", "2,1", "3,1"].map((index) => `right ${index}`), "columns come first there");
});

test("Home and End lead to the ends of the row, with Ctrl to those of the column, and pages through the matrices of a stack", () => {
  assert.deepEqual([reached("Home"), reached("End"), reached("Home", { ctrlKey: true })], ["0,1,0", "0,1,4", "0,0,2"]);
  assert.deepEqual([reached("PageDown"), reached("PageUp")], ["1,1,2", "0,1,2"]);
});

test("no key leads beyond an edge", () => {
  const stand = standing();
  for (const [keys, end] of [[["ArrowDown", "ArrowRight", "PageDown"], "result 1,1,4"], [["ArrowUp", "ArrowLeft", "PageUp"], "result 0,0,0"]]) {
    for (let i = 0; i < 9; i += 1) for (const key of keys) press(stand, "result", key);
    assert.equal(current(stand), end);
  }
  assert.deepEqual(stand.calls, []);
});

test("in a matrix where nothing is current, keys start at the slice it shows", () => {
  const stand = standing();
  point(stand, "result", [0, 1, 4]);
  press(stand, "right", "ArrowDown");
  assert.equal(current(stand), "right 4,1", "keys are columns there, and its rows are features");
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
    return current(stand);
  };
  const led = ["result 0,1,0,0", "result 1,0,0,0", "result 1,0,0,0", "result 0,1,0,0"];
  assert.deepEqual(["BHTS", "HBTS", "BBTS", "GHTS"].map(paged), led);
  const tiles = standing();
  press(tiles, "all", "PageDown");
  assert.equal(current(tiles), "result 1,1,2", "in tiles they lead from tile to tile");
});

test("Enter and the space bar pin where one is, Escape leads back to what was pinned and says it", () => {
  const stand = standing();
  for (const key of ["ArrowLeft", "Enter", "ArrowUp", " ", "Home", "Escape"]) press(stand, "result", key);
  assert.equal(current(stand), "result 0,0,1");
  assert.deepEqual(stand.calls.map(([, { index }]) => index.join()), ["0,1,1", "0,0,1"]);
  assert.ok(stand.find("[aria-live]").textContent.includes("row 0 a, column 1 q"));
});

test("keys that mean something to the browser are left to it", () => {
  const stand = standing(editable(2));
  for (const more of [{ altKey: true }, { metaKey: true }]) assert.ok(press(stand, "result", "ArrowLeft", more));
  for (const key of ["0", "+", "-"]) assert.ok(press(stand, "result", key, { ctrlKey: true }), "zooms the page");
  for (const key of ["a", "Tab", "F5"]) assert.ok(press(stand, "result", key));
  assert.ok(press(stand, "left", "1"), "what is computed takes no number");
  assert.ok(!press(stand, "result", "ArrowLeft"), "an arrow must not scroll the page, too");
  assert.equal(stand.find(".editor"), null);
});

test("a digit on the pinned cell starts a new number, F2 or a double click changes the old one", () => {
  const stand = standing(editable(2));
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
});

test("a board that is gone listens no more, and one beside another has its own colours and answers for itself", async () => {
  const [one, other] = ["#010101", "#020202"].map((background) => standing(dressedScene((scene) => (scene.palette = { ...scene.palette, background }))));
  const own = [one, other].map(({ find }) => [find(".unseen").id, find("section").style.getPropertyValue("--background")]);
  assert.ok(own[0][0] !== own[1][0] && own[0][1] === "#010101" && own[1][1] === "#020202");
  point(other, "left", [0, 0, 1]);
  assert.deepEqual([current(one), current(other)], [pinned, "left 0,0,1"]);
  pointBeside(one);
  one.end();
  await wait(300);
  assert.equal(current(other), "left 0,0,1");
});

const wide = sent(5, 90);

test("with Shift the wheel moves the columns that are seen, within what was sent; without it the page scrolls", () => {
  const stand = standing(dressedScene(wide), 1300);
  const field = () => stand.find(".window input");
  const turn = (more, place) => {
    const made = new WheelEvent("wheel", { ...at(stand, "result", [0, 0, Number(field().value) + place]), ...more });
    return stand.find(".stage").dispatchEvent(made);
  };
  const { min, max } = field();
  const after = (delta) => [turn({ ...delta, shiftKey: true }, 3), field().value];
  assert.deepEqual([min, Number(max) + 64, field().value], ["5", 95, "5"]);
  assert.ok(turn({ deltaY: 100 }, 3));
  assert.deepEqual([after({ deltaY: 100 }), after({ deltaX: -100 }), after({ deltaY: -100 })], [[false, "9"], [false, "5"], [false, "5"]]);
  for (let i = 0; i < 12; i += 1) after({ deltaY: 100 });
  assert.equal(field().value, max);
  stand.board.update(dressedScene(sent(30, 64)));
  assert.ok(turn({ deltaY: 100, shiftKey: true }, 3), "there is nothing to move");
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
});

test("a slider offers nothing beyond the ends of its axis, moves nothing where all that was sent is seen, and goes with its scene", () => {
  const stand = standing(dressedScene(sent(0, 64)), 1300);
  const titles = () => [...stand.root.querySelectorAll(".window button")].map(({ title }) => title);
  assert.deepEqual([titles(), stand.find(".window input").disabled], [["later: column 64"], true]);
  stand.board.update(dressedScene(sent(30, 70)));
  assert.deepEqual([titles(), stand.find(".window input").disabled], [["earlier: column 29"], false]);
  stand.board.update(dressedScene());
  assert.equal(stand.find(".window"), null);
});

test("a key that leads to a cell that was not sent asks for it", () => {
  const stand = standing(dressedScene(wide), 1300);
  press(stand, "result", "ArrowLeft");
  assert.deepEqual(stand.calls, [["onPin", { array: "result", index: [0, 0, 4] }]]);
});

/** A field over a cell, what it gave in told, and how to type and press keys in it. */
function opened(first = "", before = "0.1235") {
  const stage = document.body.appendChild(document.createElement("div"));
  const told = [];
  const area = { x: 100, y: 50, width: 30, height: 20 };
  openEditor(stage, area, { before, first, name: "W_Q, row 1", done: (value) => told.push(value), closed: () => told.push("closed") });
  const field = stage.querySelector("input");
  const press = (key) => field.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  const type = (text) => (field.value = text);
  return { stage, told, field, press, type };
}

test("a field has the number as it is shown or the first sign of a new one, with the mark behind it and a name", () => {
  for (const first of ["", "7"]) {
    const { field } = opened(first);
    assert.deepEqual([field.value, field.selectionStart, field.selectionEnd], first ? ["7", 1, 1] : ["0.1235", 6, 6]);
    assert.ok(document.activeElement === field);
    assert.equal(field.getAttribute("aria-label"), "New value of W_Q, row 1");
    assert.deepEqual([field.style.left, field.style.width, field.style.top], ["73px", "84px", "47px"], "in the middle of its cell");
  }
});

test("Enter takes a number and closes, Escape closes and takes none", () => {
  const { told, press, type, stage } = opened();
  type("−2,5");
  press("Enter");
  assert.deepEqual([told, stage.children.length], [["closed", -2.5], 0]);
  const other = opened("7");
  other.press("Escape");
  assert.deepEqual([other.told, other.stage.children.length], [["closed"], 0]);
});

test("what is no number is refused with a sentence, and dropped when one goes elsewhere", () => {
  const { told, press, type, stage, field } = opened();
  type("two");
  press("Enter");
  assert.deepEqual([told, field.getAttribute("aria-invalid")], [[], "true"]);
  assert.equal(stage.querySelector("[role=alert]").textContent, "Type a number such as −0.5");
  field.dispatchEvent(new Event("blur"));
  assert.deepEqual(told, ["closed"]);
});

test("a number is taken once when one goes elsewhere; one that was left as it was, with its rounded digits, is none", () => {
  const leave = ({ field }) => field.dispatchEvent(new Event("blur"));
  const changed = opened();
  changed.type("3");
  for (let i = 0; i < 2; i += 1) leave(changed);
  assert.deepEqual(changed.told, ["closed", 3]);
  for (const act of [leave, ({ press }) => press("Enter")]) {
    const left = opened();
    act(left);
    assert.deepEqual(left.told, ["closed"]);
  }
  const typed = opened("7", "7");
  typed.press("Enter");
  assert.deepEqual(typed.told, ["closed", 7], "a new number may look like the one before");
});

test("neither keys nor clicks in the field reach the board below", () => {
  const { stage, press, field } = opened();
  let heard = 0;
  for (const kind of ["keydown", "click", "pointermove", "dblclick"]) stage.addEventListener(kind, () => (heard += 1));
  press("ArrowLeft");
  for (const kind of ["click", "pointermove", "dblclick"]) field.dispatchEvent(new Event(kind, { bubbles: true }));
  assert.equal(heard, 0);
});
