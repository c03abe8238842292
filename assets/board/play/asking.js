import { element } from "../draw/elements.js";
import { nameAt } from "../scene/scene.js";

/** Lay a button over the label of each covered row, which uncovers that row. All are one stop of the Tab key; arrows move. */
export function fillAsks(root, { model, boxes, slices }, moments) {
  const box = boxes.find(({ panel, small }) => panel.role === "result" && !small);
  const rows = box && moments.hiding && box.panel.rows !== null && box.left ? coveredRows(box, moments) : [];
  const had = root.contains(root.getRootNode().activeElement) ? Number(root.getRootNode().activeElement.dataset.row) : null;
  root.replaceChildren(...rows.map((row) => askFor(row, box, nameAt(model, box.array, box.panel.rows, row, slices[box.panel.array]), moments)));
  root.onkeydown = (event) => moveAlong(root, event);
  const first = [...root.children].find(({ dataset }) => had !== null && Number(dataset.row) >= had) ?? root.firstElementChild;
  if (first) first.tabIndex = 0;
  if (had !== null) first?.focus({ preventScroll: true });
}

function coveredRows({ rows: { start, count } }, moments) {
  return Array.from({ length: count }, (_, i) => start + i).filter((row) => !moments.rows.has(row));
}

function askFor(row, { x, y, left, rows, cell }, { text, word }, moments) {
  const made = element("button", "ask");
  Object.assign(made, { type: "button", tabIndex: -1, ariaLabel: `Show row ${row}${word ? ` ${text}` : ""}` });
  made.title = made.ariaLabel;
  made.dataset.row = row;
  Object.assign(made.style, { left: `${x - left}px`, top: `${y + (row - rows.start) * cell.height}px`, width: `${left - 2}px`, height: `${cell.height}px` });
  made.addEventListener("click", () => moments.ask(null, row));
  return made;
}

function moveAlong(root, event) {
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  const all = [...root.children];
  const next = all[all.indexOf(event.target) + step];
  if (!step) return;
  event.preventDefault();
  event.stopPropagation();
  if (!next) return;
  for (const one of all) one.tabIndex = one === next ? 0 : -1;
  next.focus();
}
