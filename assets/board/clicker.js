import { goTo } from "./strip.js";

const ON = new Set(["PageDown", "ArrowRight", " "]);
const BACK = new Set(["PageUp", "ArrowLeft"]);
const FIELDS = "input, textarea, select, [contenteditable], [role=slider], [role=combobox], [role=listbox], [role=textbox]";

/**
 * Let the keys of a clicker go through a step in a lecture, without a click first; gives how to let go of them.
 *
 * They never take keys from a field, a button or a matrix that has the focus. board has lecture, moments and links.
 */
export function attachClicker(board) {
  const act = (event) => {
    if (!board.lecture || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (isTaken(event.composedPath()[0], event.key)) return;
    const done = acted(board, event.key);
    if (done) event.preventDefault();
  };
  document.addEventListener("keydown", act);
  return () => document.removeEventListener("keydown", act);
}

function isTaken(target, key) {
  if (!(target instanceof Element) || target === document.body) return false;
  if (target.closest(FIELDS) || target.closest("[role=application]")) return true;
  return key === " " && Boolean(target.closest("button, a, summary"));
}

function acted(board, key) {
  if (ON.has(key)) return next(board);
  if (BACK.has(key)) return previous(board);
  if (key === "Home") return begin(board);
  if (key === "b" || key === ".") return board.black();
  if (key === "f") return board.fullScreen();
  return false;
}

function next(board) {
  return board.moments.step(1) || go(board, 1);
}

function previous(board) {
  return board.moments.step(-1) || go(board, -1);
}

function begin({ moments }) {
  moments.go(0);
  return true;
}

function go({ model }, by) {
  const { steps, place } = model.stage;
  const step = steps[place + by];
  if (step) goTo(step.path);
  return true;
}
