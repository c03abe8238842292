// Pointer, wheel, fingers and keys on a matrix, and the cell that is pinned.
import { chipUnder } from "../draw/chips.js";
import { element, sizeCanvas } from "../draw/elements.js";
import { cellUnder } from "../place/geometry.js";
import { numbersWithin, paintCloseCell } from "../draw/overlay.js";
import { valueAt } from "../scene/scene.js";

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
    const point = [event.clientX - frame.left, event.clientY - frame.top];
    const hit = cellUnder(board.boxes, board.slices, ...point);
    if (!hit?.box.panel.chips) return hit;
    const cell = chipUnder(board.look, hit, point);
    return cell && { ...hit, cell };
  };
  stage.addEventListener("pointermove", (event) => {
    if (event.pointerType === "touch" && !event.isPrimary) return;
    const hit = under(event);
    clearTimeout(timer);
    stage.classList.toggle("links", Boolean(hit?.box.panel.link));
    if (hit) board.hover(cellOf(hit));
    else timer = setTimeout(() => board.hover(null), GRACE);
  });
  stage.addEventListener("pointerleave", (event) => {
    clearTimeout(timer);
    if (event.pointerType !== "touch") board.hover(null);
  });
  stage.addEventListener("click", (event) => {
    const hit = under(event);
    if (!hit) return;
    if (hit.box.panel.strip) board.slideTo(hit.index);
    else if (hit.box.panel.link) board.open(hit.box.panel.link);
    else board.pin(cellOf(hit));
  });
  stage.addEventListener("dblclick", (event) => {
    const hit = under(event);
    if (hit?.box.panel.editable) board.type(hit.box, cellOf(hit), "F2");
  });
  stage.addEventListener("wheel", (event) => onWheel(board, under(event), event), { passive: false });
  panels.addEventListener("keydown", (event) => onKey(board, event));
  panels.addEventListener("focusout", (event) => {
    if (panels.contains(event.relatedTarget)) return;
    board.hover(null);
    live.textContent = ""; // a reader would find a cell that is no longer shown
  });
  board.gone.signal.addEventListener("abort", () => clearTimeout(timer));
}

function cellOf({ box, index, cell }) {
  return cell ?? { array: box.panel.array, index };
}

// With the Shift key the wheel moves the window of the columns.
function onWheel(board, hit, event) {
  const seen = hit?.box.columns;
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

function actionOf(board, box, index, { key, ctrlKey, target }) {
  const cell = { array: box.panel.array, index };
  const step = STEPS[key] ?? { PageUp: ["pages", -1], PageDown: ["pages", 1] }[key];
  if (step) return () => go(board, box, index, axisOf(box, step[0]), (place) => (step[0] === "pages" ? pageBeside(box, place, step[1]) : place + step[1]));
  if (key === "Home" || key === "End") {
    return () => go(board, box, index, axisOf(box, ctrlKey ? "rows" : "columns"), (_, size) => (key === "Home" ? 0 : size - 1));
  }
  if (key === "Enter" || key === " ") return () => (box.panel.link ? board.open(box.panel.link) : board.pin(cell));
  if (key === "Escape") return () => leave(board, target);
  if (box.panel.editable && (/^[0-9.,+−-]$/.test(key) || key === "F2") && !ctrlKey) return () => board.type(box, cell, key);
  return null;
}

// Back to the pinned cell; who is there leaves the matrix, so that the arrow keys turn pages again.
function leave(board, target) {
  const isAway = board.hovered && JSON.stringify(board.hovered) !== JSON.stringify(board.pins.cell);
  board.leave();
  if (!isAway) target.blur();
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

const FINGER = 24; // px; a finger covers smaller cells
const GLASS = { width: 48, height: 28, across: 2, down: 1, away: 44 }; // px of a cell, the number of cells around the lit one, and px above the finger

/** Show the numbers around a small cell above the finger that moves across it. board: see `attachInput`, with picture and step. */
function attachMagnifier(board, stage) {
  const glass = element("canvas", "glass");
  glass.hidden = true;
  stage.append(glass);
  const hide = () => (glass.hidden = true);
  stage.addEventListener("pointermove", (event) => {
    if (event.pointerType !== "touch" || !event.isPrimary) return;
    const frame = stage.getBoundingClientRect();
    const [x, y] = [event.clientX - frame.left, event.clientY - frame.top];
    const hit = cellUnder(board.boxes, board.slices, x, y);
    glass.hidden = !hit || hit.box.panel.link || Math.min(hit.box.cell.width, hit.box.cell.height) >= FINGER;
    if (!glass.hidden) paintGlass(glass, board, hit, [x, y, frame.width]);
  });
  for (const act of ["pointerup", "pointercancel", "pointerleave"]) stage.addEventListener(act, hide);
}

function paintGlass(glass, { picture, slices, step }, { box, index }, [x, y, room]) {
  const look = picture.look(slices, step.blanks());
  const [wide, high] = [2 * GLASS.across + 1, 2 * GLASS.down + 1];
  const [width, height] = [wide * GLASS.width, high * GLASS.height];
  const context = sizeCanvas(glass, width, height);
  context.fillStyle = look.palette.background;
  context.fillRect(0, 0, width, height);
  context.font = `12px ${look.font}`;
  Object.assign(context, { textAlign: "center", textBaseline: "middle" });
  for (const cell of cellsAround(box, index)) paintCellAt(context, look, box, cell);
  Object.assign(context, { strokeStyle: look.palette.focus, lineWidth: 3 });
  context.strokeRect(GLASS.across * GLASS.width, GLASS.down * GLASS.height, GLASS.width - 1, GLASS.height - 1);
  const above = y - GLASS.away - height;
  Object.assign(glass.style, { left: `${Math.max(0, Math.min(room - width, x - width / 2))}px`, top: `${above < 0 ? y + GLASS.away : above}px` });
}

// The lit cell and its neighbours in the matrix: {index, x, y}, counted from the corner of the magnifier.
function cellsAround({ panel, array }, index) {
  const cells = [];
  for (let down = -GLASS.down; down <= GLASS.down; down += 1) {
    for (let across = -GLASS.across; across <= GLASS.across; across += 1) {
      const moved = index.map((place, axis) => place + (axis === panel.rows ? down : axis === panel.columns ? across : 0));
      const isOff = (panel.rows === null && down) || (panel.columns === null && across);
      const isIn = moved.every((place, axis) => place >= array.start[axis] && place < array.start[axis] + array.shape[axis]);
      if (!isOff && isIn) cells.push({ index: moved, x: (across + GLASS.across) * GLASS.width, y: (down + GLASS.down) * GLASS.height });
    }
  }
  return cells;
}

function paintCellAt(context, look, box, { index, x, y }) {
  const { array } = box;
  const value = valueAt(look.model, array.name, index);
  const [text] = look.blank?.(box, index) ? [""] : numbersWithin(context, [value], GLASS.width - 4);
  paintCloseCell(context, look, { array, index, value, text }, [x, y, GLASS.width, GLASS.height]);
}

/** The pinned cell. The server's answers to earlier pins do not undo later ones. */
export class Pins {
  constructor() {
    Object.assign(this, { cell: null, sent: [], served: null });
  }

  /** Pin a cell; this does not inform the server. */
  add({ array, index }) {
    this.cell = { array, index: [...index] };
    this.sent.push(JSON.stringify(this.cell));
  }

  /**
   * Take the pinned cell of a scene, unless it is the answer to an earlier pin; valid(cell): whether the cell exists.
   * Gives whether the pinned cell is another one now.
   */
  adopt(cell, valid) {
    const key = JSON.stringify(cell ? { array: cell.array, index: cell.index } : null);
    if (key === this.served) return false;
    this.served = key;
    const answered = this.sent.indexOf(key);
    this.sent = answered >= 0 ? this.sent.slice(answered + 1) : [];
    if (this.sent.length) return false;
    const before = this.cell;
    this.cell = valid ? cell : null;
    return Boolean(before) && !(this.cell && this.holds(before));
  }

  /** A new scene: forget a cell that it does not have. */
  renew(valid) {
    this.served = null;
    if (!valid) this.cell = null;
  }

  /** Whether a cell is the pinned one. */
  holds({ array, index }) {
    return this.cell?.array === array && index.every((place, axis) => place === this.cell.index[axis]);
  }
}
