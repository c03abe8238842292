import { openEditor } from "../../assets/board/point/editor.js";
import { assert, test } from "./testing.js";

/** A field over a cell, what it gave in told, and how to type and press keys in it. */
function opened(first = "", before = "0.1235") {
  const stage = document.body.appendChild(document.createElement("div"));
  const told = [];
  const area = { x: 100, y: 50, width: 30, height: 20 };
  openEditor(stage, area, { before, first, name: "W_Q, row 1", done: (value) => told.push(value), closed: () => told.push("closed") });
  const field = stage.querySelector("input");
  const press = (key) => field.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  const type = (text) => (field.value = text);
  return { stage, told, field, press, type, end: () => stage.remove() };
}

test("a field has the number as it is shown or the first sign of a new one, with the mark behind it and a name", () => {
  for (const first of ["", "7"]) {
    const { field, end } = opened(first);
    assert.deepEqual([field.value, field.selectionStart, field.selectionEnd], first ? ["7", 1, 1] : ["0.1235", 6, 6]);
    assert.ok(document.activeElement === field);
    assert.equal(field.getAttribute("aria-label"), "New value of W_Q, row 1");
    assert.deepEqual([field.style.left, field.style.width, field.style.top], ["73px", "84px", "47px"], "in the middle of its cell");
    end();
  }
});

test("Enter takes a number and closes, Escape closes and takes none", () => {
  const { told, press, type, stage } = opened();
  type("−2,5");
  press("Enter");
  assert.deepEqual([told, stage.children.length], [["closed", -2.5], 0]);
  stage.remove();
  const other = opened("7");
  other.press("Escape");
  assert.deepEqual([other.told, other.stage.children.length], [["closed"], 0]);
  other.end();
});

test("what is no number is refused with a sentence, and dropped when one goes elsewhere", () => {
  const { told, press, type, stage, field } = opened();
  type("two");
  press("Enter");
  assert.deepEqual([told, field.getAttribute("aria-invalid")], [[], "true"]);
  assert.equal(stage.querySelector("[role=alert]").textContent, "Type a number such as −0.5");
  field.dispatchEvent(new Event("blur"));
  assert.deepEqual(told, ["closed"]);
  stage.remove();
});

test("a number is taken once when one goes elsewhere; one that was left as it was, with its rounded digits, is none", () => {
  const { told, type, field, end } = opened();
  type("3");
  for (let i = 0; i < 2; i += 1) field.dispatchEvent(new Event("blur"));
  assert.deepEqual(told, ["closed", 3]);
  end();
  for (const act of ["Enter", "Tab"]) {
    const left = opened();
    if (act === "Enter") left.press("Enter");
    else left.field.dispatchEvent(new Event("blur"));
    assert.deepEqual(left.told, ["closed"]);
    left.end();
  }
  const typed = opened("7", "7");
  typed.press("Enter");
  assert.deepEqual(typed.told, ["closed", 7], "a new number may look like the one before");
  typed.end();
});

test("neither keys nor clicks in the field reach the board below", () => {
  const { stage, press, field, end } = opened();
  let heard = 0;
  for (const kind of ["keydown", "click", "pointermove", "dblclick"]) stage.addEventListener(kind, () => (heard += 1));
  press("ArrowLeft");
  for (const kind of ["click", "pointermove", "dblclick"]) field.dispatchEvent(new Event(kind, { bubbles: true }));
  assert.equal(heard, 0);
  end();
});
