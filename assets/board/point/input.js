import { cellUnder } from "../place/geometry.js";
import { attachMagnifier } from "./magnifier.js";

const GRACE = 250;
const STEPS = {
  ArrowUp: ["rows", -1],
  ArrowDown: ["rows", 1],
  ArrowLeft: ["columns", -1],
  ArrowRight: ["columns", 1],
};

/** Let pointer and keys act on a board: it has boxes, slices, hover(cell), pin(cell), visit(cell), open(link), type(key). */
export function attachInput(board, { stage, panels, live }) {
  let timer = 0;
  attachMagnifier(board, stage);
  const under = (event) => {
    const frame = stage.getBoundingClientRect();
    return cellUnder(board.boxes, board.slices, event.clientX - frame.left, event.clientY - frame.top);
  };
  stage.addEventListener("pointermove", (event) => {
    if (event.pointerType === "touch" && !event.isPrimary) return;
    const found = under(event);
    clearTimeout(timer);
    stage.classList.toggle("links", Boolean(found?.box.panel.link));
    if (found) board.hover(cellOf(found));
    else timer = setTimeout(() => board.hover(null), GRACE);
  });
  stage.addEventListener("pointerleave", (event) => {
    clearTimeout(timer);
    if (event.pointerType !== "touch") board.hover(null);
  });
  stage.addEventListener("click", (event) => {
    const found = under(event);
    if (!found) return;
    if (found.box.panel.link) board.open(found.box.panel.link);
    else board.pin(cellOf(found));
  });
  stage.addEventListener("dblclick", (event) => {
    const found = under(event);
    if (found?.box.panel.editable) board.type(found.box, cellOf(found), "F2");
  });
  stage.addEventListener("wheel", (event) => onWheel(board, under(event), event), { passive: false });
  panels.addEventListener("keydown", (event) => onKey(board, event));
  panels.addEventListener("focusout", (event) => {
    if (panels.contains(event.relatedTarget)) return;
    board.hover(null);
    live.textContent = ""; // a reader would find a cell that is no longer shown
  });
  return () => clearTimeout(timer);
}

function cellOf({ box, index }) {
  return { array: box.panel.array, index };
}

// With the Shift key the wheel moves the window of the columns.
function onWheel(board, found, event) {
  const seen = found?.box.columns;
  if (!event.shiftKey || !seen?.key || seen.high - seen.low <= seen.count) return;
  event.preventDefault();
  const turn = Math.sign(event.deltaX || event.deltaY) * Math.max(1, Math.round(seen.count / 16));
  board.slide(seen.key, Math.max(seen.low, Math.min(seen.high - seen.count, seen.start + turn)));
}

function onKey(board, event) {
  const id = event.target.dataset.panel;
  const box = board.boxes.find(({ panel }) => panel.id === id);
  if (!box || event.altKey || event.metaKey) return;
  const from = board.current();
  const index = from?.array === box.panel.array ? from.index : board.slices[box.panel.array];
  const act = actionOf(board, box, index, event);
  if (!act) return;
  event.preventDefault();
  event.stopPropagation();
  act();
}

function actionOf(board, box, index, { key, ctrlKey }) {
  const cell = { array: box.panel.array, index };
  const step = STEPS[key] ?? { PageUp: ["pages", -1], PageDown: ["pages", 1] }[key];
  if (step) return () => go(board, box, index, axisOf(box, step[0]), (place) => (step[0] === "pages" ? pageBeside(box, place, step[1]) : place + step[1]));
  if (key === "Home" || key === "End") {
    return () => go(board, box, index, axisOf(box, ctrlKey ? "rows" : "columns"), (_, size) => (key === "Home" ? 0 : size - 1));
  }
  if (key === "Enter" || key === " ") return () => (box.panel.link ? board.open(box.panel.link) : board.pin(cell));
  if (key === "Escape") return () => board.leave();
  if (box.panel.editable && (/^[0-9.,+−-]$/.test(key) || key === "F2") && !ctrlKey) return () => board.type(box, cell, key);
  return null;
}

// The axis of the page keys: tiles, or else the first fixed axis of the panel that is longer than one and no batch.
function axisOf({ panel, array }, kind) {
  if (kind !== "pages") return panel[kind];
  if (panel.tiles !== null) return panel.tiles;
  const free = array.axes.map((_, axis) => axis).filter((axis) => axis !== panel.rows && axis !== panel.columns);
  const long = free.filter((axis) => array.whole[axis] > 1);
  return long.find((axis) => array.axes[axis] !== "B") ?? long[0] ?? null;
}

// The next or previous matrix of those that are shown.
function pageBeside({ panel: { only } }, place, step) {
  return only ? (only[only.indexOf(place) + step] ?? place) : place + step;
}

function go(board, box, index, axis, next) {
  if (axis === null) return;
  const size = box.array.whole[axis];
  const place = Math.max(0, Math.min(size - 1, next(index[axis], size)));
  board.visit({ array: box.panel.array, index: index.map((old, i) => (i === axis ? place : old)) });
}
