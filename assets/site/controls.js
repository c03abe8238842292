// The controls, drawn from what the engine says of each: its label, its kind, its value, and whether it has an effect.
import { element } from "./board/draw/elements.js";

const SEPARATOR = "."; // between the keys of several options
let nFields = 0;
const BOXES = { several: "checkbox", buttons: "radio" }; // kinds whose options are all in sight
const PLACE = "label, .several, .buttons"; // what holds a field with its name
const OPEN_GROUPS = ["Sizes", "Cell in focus"];

/** Draw the controls into a form; changed(name, value) is called when a visitor moves one. Fields that stay keep the keyboard and what is typed. */
export function drawControls(form, controls, changed) {
  const places = JSON.stringify(controls.map(({ name, group }) => [name, group]));
  const { name: focused } = document.activeElement?.form === form ? document.activeElement : {};
  if (form.dataset.places !== places) {
    form.dataset.places = places;
    form.replaceChildren(...groupsOf(form, controls, changed));
  } else {
    for (const control of controls) {
      const field = form.elements[control.name];
      if (field.dataset.shape !== shapeOf(control)) field.closest(PLACE).replaceWith(fieldOf(control, changed));
    }
  }
  if (focused && document.activeElement?.name !== focused) focusOn(form, focused);
  for (const control of controls) show(form.elements[control.name], control);
}

/** Give the keyboard to a field; of buttons with one name to the one that is pressed. */
export function focusOn(box, name) {
  const fields = [...box.querySelectorAll(`[name="${name}"]`)];
  (fields.find((one) => one.checked) ?? fields[0])?.focus();
}

function shapeOf({ kind, options, mark }) {
  return JSON.stringify([kind, options, mark]);
}

function groupsOf(form, controls, changed) {
  const open = new Set([...form.querySelectorAll("details[open]")].map((one) => one.dataset.group));
  const first = form.children.length === 0;
  return [...new Set(controls.map(({ group }) => group))].map((group) => {
    const box = element("fieldset");
    const details = box.appendChild(element("details"));
    details.dataset.group = group;
    details.open = first ? OPEN_GROUPS.includes(group) : open.has(group);
    const fields = controls.filter((one) => one.group === group).map((one) => fieldOf(one, changed));
    details.append(element("summary", "", group), ...fields);
    return box;
  });
}

/** A field with its label; changed(name, value) is called when a visitor moves it. */
export function fieldOf(control, changed) {
  const label = element(control.kind in BOXES ? "div" : "label", control.kind);
  label.title = control.help;
  const field = inputOf(control);
  field.name = control.name;
  field.id = `field-${(nFields += 1)}`; // the help button inside the label is no field of it
  if (label.tagName === "LABEL") label.htmlFor = field.id;
  field.dataset.shape = shapeOf(control);
  // What a visitor is about to type or to drag is theirs until they are done.
  field.addEventListener("input", () => field.toggleAttribute("data-held", true));
  field.addEventListener("change", () => {
    field.toggleAttribute("data-held", false);
    changed(control.name, valueOf(field, control));
  });
  field.addEventListener("blur", () => field.toggleAttribute("data-held", false));
  if (control.kind === "scale") field.addEventListener("input", () => write(field, control));
  const words = element("span", "", control.label);
  if (control.help) words.append(...helpOf(control));
  if (control.kind === "scale") words.append(element("output"));
  label.append(...(control.kind === "switch" ? [field, words] : [words, field]), ...(control.mark ? [element("small", "", control.mark)] : []));
  return label;
}

// A button that shows what a field is for: a finger cannot point at it.
function helpOf({ help }) {
  const text = Object.assign(element("small", "help", help), { hidden: true });
  const button = Object.assign(element("button", "help", "?"), { type: "button", ariaLabel: "Help", ariaExpanded: "false" });
  button.addEventListener("click", (event) => {
    event.preventDefault(); // a label would pass the click on to its field
    text.hidden = !text.hidden;
    button.ariaExpanded = String(!text.hidden);
  });
  return [button, text];
}

// Boxes to tick, or buttons of which one is pressed: together they stand for one field.
function boxesOf({ kind, name, label, options }) {
  const boxes = Object.assign(element("fieldset", "boxes"), { ariaLabel: label });
  for (const [key, words] of options) {
    const box = Object.assign(element("input"), { type: BOXES[kind], name: `one of ${name}`, value: key });
    boxes.append(element("label", "", box, element("span", "", words)));
  }
  return boxes;
}

function inputOf(control) {
  const { kind, options, low, high, step, most } = control;
  if (kind in BOXES) return boxesOf(control);
  if (kind === "menu") {
    const select = element("select");
    select.append(...options.map(([key, words]) => new Option(words, key)));
    return select;
  }
  if (kind === "lines") return Object.assign(element("textarea"), { rows: 2, maxLength: most });
  const input = element("input");
  if (kind === "switch") return Object.assign(input, { type: "checkbox" });
  if (kind === "scale" && options.length) return Object.assign(input, { type: "range", min: 0, max: options.length - 1, step: 1 });
  if (kind === "scale") return Object.assign(input, { type: "range", min: low, max: high, step });
  if (kind === "number") return Object.assign(input, { type: "number", min: low, max: high, step });
  return Object.assign(input, { type: "text", maxLength: most });
}

function valueOf(field, { kind, options }) {
  if (kind === "switch") return field.checked;
  if (kind === "scale" && options.length) return options[field.value][0];
  if (kind in BOXES) return [...field.querySelectorAll(":checked")].map((one) => one.value).join(SEPARATOR);
  return field.value;
}

/** Show what a field holds, and whether it has an effect. */
export function show(field, control) {
  const { kind, value, options, on } = control;
  field.disabled = !on;
  field.closest(PLACE).classList.toggle("off", !on);
  const isHeld = field.hasAttribute("data-held");
  if (kind === "switch") field.checked = value;
  else if (kind in BOXES) for (const one of field.querySelectorAll("input")) one.checked = kind === "buttons" ? one.value === value : value.split(SEPARATOR).includes(one.value);
  else if (!isHeld) field.value = kind === "scale" && options.length ? options.findIndex(([key]) => key === String(value)) : value;
  if (kind === "scale") write(field, control);
  if (kind === "number") Object.assign(field, { min: control.low, step: control.step });
}

function write(field, { options }) {
  const words = options.length ? options[field.value][1] : field.value;
  field.closest("label").querySelector("output").textContent = words;
  field.setAttribute("aria-valuetext", words);
}
