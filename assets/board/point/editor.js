// A small field over a cell, for a new number.
import { element, put } from "../draw/elements.js";
import { rectanglesOf } from "../place/geometry.js";
import { number, numberTyped } from "../scene/numbers.js";
import { valueAt } from "../scene/scene.js";
import { placeWords } from "../words/wording.js";

const MAX_CHARACTERS = 40;

/**
 * Open a small field over a cell, with its number or with the first digit of a new one.
 *
 * done(value) is called once with a finite number, closed() in any case. An unchanged text is no new number, because it is
 * rounded.
 */
export function openEditor(stage, area, { before, first, name, done, closed }) {
  const text = first || before;
  const [field, note] = [fieldOver(area, text, name), noteBelow(area)];
  let open = true;
  const close = () => {
    if (!open) return;
    open = false;
    field.remove();
    note.remove();
    closed();
  };
  const typed = () => (!first && field.value === before ? null : numberTyped(field.value));
  const finish = () => {
    const value = typed();
    close();
    if (value !== null) done(value);
  };
  field.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Escape") close();
    if (event.key !== "Enter") return;
    if (typed() === null && field.value !== before) refuse(field, note);
    else finish();
  });
  field.addEventListener("blur", () => open && finish()); // as in a spreadsheet, leaving the field enters the number
  for (const kind of ["click", "pointermove", "dblclick"]) field.addEventListener(kind, (event) => event.stopPropagation());
  stage.append(field, note);
  field.focus();
  field.setSelectionRange(text.length, text.length);
  return close;
}

function fieldOver(area, value, name) {
  const field = Object.assign(element("input", "editor"), { type: "text", inputMode: "decimal", value, maxLength: MAX_CHARACTERS });
  field.setAttribute("aria-label", `New value of ${name}`);
  const width = Math.max(area.width, 84);
  put(field, { x: area.x + (area.width - width) / 2, y: area.y - 3, width, height: Math.max(area.height + 6, 28) });
  return field;
}

function noteBelow(area) {
  const note = element("span", "editor-note");
  note.setAttribute("role", "alert");
  Object.assign(note.style, { left: `${area.x}px`, top: `${area.y + Math.max(area.height, 22) + 10}px` });
  return note;
}

function refuse(field, note) {
  field.setAttribute("aria-invalid", "true");
  note.textContent = "Type a number such as −0.5";
  note.style.left = `${Math.max(0, Math.min(note.offsetLeft, note.parentElement.clientWidth - note.offsetWidth))}px`;
  note.scrollIntoView({ block: "nearest", inline: "nearest" });
}

/** Edit a cell of a board: a first digit starts a new number, F2 changes the old one. */
export function editCell({ slices, parts, model, handlers }, box, cell, key) {
  const [area] = rectanglesOf(box, slices[cell.array], cell.index, cell.index);
  if (!area) return;
  openEditor(parts.stage, area, {
    before: number(valueAt(model, cell.array, cell.index), 4),
    first: key === "F2" ? "" : key,
    name: `${model.arrays[cell.array].title}, ${placeWords(model, cell)}`,
    done: (value) => handlers.onEdit?.({ ...cell, value }),
    closed: () => parts.panels.querySelector(`[data-panel="${CSS.escape(box.panel.id)}"]`)?.focus({ preventScroll: true }),
  });
}
