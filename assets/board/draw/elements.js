// One element of the page: a part with a text, a button, an icon, a canvas.

/** An element with a class and a text; children may be elements or texts, in which no line ends between a number and its sign. */
export function element(tag, className = "", ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  const given = children.filter((child) => child !== null && child !== undefined);
  made.append(...given.map((child) => (typeof child === "string" ? child.replace(/(?<=\d) (?=%)/g, "\u00a0") : child)));
  return made;
}

/** A button with a text and an accessible name. */
export function button(className, text, name, act) {
  const made = Object.assign(element("button", className, text), { type: "button", title: name, onclick: act });
  made.setAttribute("aria-label", name); // Firefox has the property ariaLabel from 119 on
  return made;
}

/** A list to choose from, options {value: words} with a name; act(value) when one is chosen. */
export function list(className, options, name, value, act) {
  const made = element("select", className, ...Object.entries(options).map(([one, words]) => Object.assign(element("option", "", words), { value: one })));
  Object.assign(made, { ariaLabel: name, value });
  made.addEventListener("change", () => act(made.value));
  return made;
}

/** Place an element at a rectangle of what it lies in; one that may be lower than its place knows its height as --room. */
export function put({ style }, { x, y, width, height }) {
  Object.assign(style, { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` });
  style.setProperty("--room", `${height}px`);
}

/** Give the next part of a row the focus and the only stop of the Tab key, if there is one. step: 1 on, −1 back, undefined for other keys. */
export function moveAlong(parts, event, step) {
  if (!step) return;
  event.preventDefault();
  event.stopPropagation();
  const next = parts[parts.indexOf(event.target) + step];
  if (!next) return;
  for (const one of parts) one.tabIndex = one === next ? 0 : -1;
  next.focus();
}

/** A word of the data, as plain text that is isolated from the direction of its surroundings. */
export function word(text) {
  const made = element("bdi", "word", text.length > 60 ? `${[...text.slice(0, 200)].slice(0, 59).join("")}…` : text);
  made.title = text;
  return made;
}

/** An element of a drawing, or of a formula, with attributes. */
export function drawn(tag, attributes, space = "http://www.w3.org/2000/svg") {
  const made = document.createElementNS(space, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

/** A drawing of one path on a field of 16 by 16, in the colour of the text. */
export function icon(path) {
  const made = drawn("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" });
  made.append(drawn("path", { d: path }));
  return made;
}

// The path of a rounded rectangle {x, y, width, height}, so many px wider on every side.
function traceBox(context, { x, y, width, height }, radius, more) {
  context.beginPath();
  context.roundRect(x - more, y - more, Math.max(1, width + 2 * more), Math.max(1, height + 2 * more), radius);
}

/** Fill the area between points on a canvas. */
export function fillBetween(context, [first, ...points], colour) {
  context.fillStyle = colour;
  context.beginPath();
  context.moveTo(...first);
  for (const point of points) context.lineTo(...point);
  context.fill();
}

/** Fill a rounded rectangle on a canvas. */
export function fillBox(context, area, colour, radius, more = 0) {
  context.fillStyle = colour;
  traceBox(context, area, radius, more);
  context.fill();
}

/** Outline a rounded rectangle on a canvas. */
export function outlineBox(context, area, colour, thick, radius = 3, more = 0.5) {
  Object.assign(context, { strokeStyle: colour, lineWidth: thick });
  traceBox(context, area, radius, more);
  context.stroke();
}

const STEP = 512; // px

/**
 * Give a canvas a size in px and the resolution of the screen; gives its context.
 *
 * It holds more lines than it shows, because changing their number costs a new canvas.
 */
export function sizeCanvas(canvas, width, height) {
  const ratio = Math.min(window.devicePixelRatio || 1, 3);
  const [wide, high] = [Math.round(width * ratio), Math.round(STEP * Math.ceil(height / STEP) * ratio)];
  if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high];
  Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}
