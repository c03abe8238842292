import { goTo } from "./strip.js";

const ON_KEYS = new Set(["PageDown", "ArrowRight", " "]);
const BACK_KEYS = new Set(["PageUp", "ArrowLeft"]);
const FIELDS = "input, textarea, select, [contenteditable], [role=slider], [role=combobox], [role=listbox], [role=textbox]";

/**
 * Let the keys of a clicker move through a step in a lecture, without a click first; gives a function that stops this.
 *
 * A field, a button or a matrix with the focus keeps its keys. board has lecture, guess, moments and links. An open guess is
 * answered before the step goes on.
 */
export function attachClicker(board) {
  const act = (event) => {
    if (!(board.lecture || inLesson(board)) || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (isTaken(event.composedPath()[0], event.key)) return;
    const done = acted(board, event.key);
    if (done) event.preventDefault();
  };
  document.addEventListener("keydown", act);
  return () => document.removeEventListener("keydown", act);
}

// Other pages of a lesson have no moments of their own: there lesson.js goes on.
function inLesson({ model }) {
  return Boolean(model?.stage) && document.querySelector(".lesson-bar") !== null;
}

function isTaken(target, key) {
  if (!(target instanceof Element) || target === document.body) return false;
  if (target.closest(FIELDS) || target.closest("[role=application]")) return true;
  return key === " " && Boolean(target.closest("button, a, summary"));
}

function acted(board, key) {
  if (ON_KEYS.has(key)) return nextMomentOf(board);
  if (BACK_KEYS.has(key)) return previousMomentOf(board);
  if (key === "Home") return firstMoment(board);
  if (key === "b" || key === ".") return board.black();
  if (key === "f") return board.fullScreen();
  return false;
}

function nextMomentOf(board) {
  return board.guess.show() || board.moments.step(1) || goBeside(board, 1);
}

function previousMomentOf(board) {
  return board.moments.step(-1) || goBeside(board, -1);
}

function firstMoment({ moments }) {
  moments.go(0);
  return true;
}

function goBeside({ model }, by) {
  const moment = document.querySelector(`.lesson-bar a.${by > 0 ? "after" : "before"}`);
  if (moment) {
    moment.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
    moment.click();
    return true;
  }
  const { steps, place } = model.stage;
  const step = steps[place + by];
  if (step) goTo(step.path);
  return true;
}
