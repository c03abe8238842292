// Sliders of the axes that are shown in part.
import { button, element } from "../draw/elements.js";
import { briefWords, windowWords } from "../place/windows.js";

/** Show a slider for every axis that the panels show in part; move(key, start) acts on it, and ask(key, place) if given. */
export function showSliders(root, model, boxes, { move, ask }) {
  const seen = new Map();
  for (const { rows, columns, stack } of boxes) {
    for (const one of [rows, columns, stack]) if (one.key && one.count < one.size && !isWholePart(model, one)) seen.set(one.key, one);
  }
  const counts = new Set([...seen.values()].map(({ count }) => count));
  const brief = counts.size === 1 && seen.size > 2; // as of a whole layer
  root.classList.toggle("brief", brief);
  root.dataset.lead = brief ? `Too many to read, ${[...counts][0]} shown:` : "Too many to read:";
  for (const child of [...root.children]) if (!seen.has(child.dataset.key)) child.remove();
  for (const one of seen.values()) {
    let slider = [...root.children].find((child) => child.dataset.key === one.key);
    if (!slider) root.append((slider = newSlider(one.key, move)));
    dressSlider(slider, model, one, { ask, brief });
  }
}

// A step shows the whole part that was sent: the columns of the head in focus, which is chosen elsewhere.
function isWholePart(model, { low, high, count }) {
  return Boolean(model.stage) && !model.flow && high - low <= count;
}

function newSlider(key, move) {
  const field = Object.assign(element("input"), { type: "range", step: 1 });
  field.addEventListener("input", () => move(key, Number(field.value)));
  const made = element("div", "window", element("label", "", element("span"), field));
  made.dataset.key = key;
  return made;
}

function dressSlider(made, model, one, { ask, brief }) {
  const [label] = made.children;
  const [words, field] = label.children;
  words.textContent = brief ? briefWords(model, one) : windowWords(model, one);
  words.title = windowWords(model, one);
  Object.assign(field, { min: one.low, max: one.high - one.count, value: one.start });
  field.setAttribute("aria-valuetext", words.title);
  field.disabled = one.high - one.low <= one.count;
  const ends = [
    ["earlier", one.low - 1, one.low > 0],
    ["later", one.high, one.high < one.size],
  ];
  const wanted = ends.filter(([, , there]) => ask && there);
  field.hidden = field.disabled && wanted.length > 0; // nothing to slide to: the buttons bring the rest
  const state = JSON.stringify(wanted);
  if (made.dataset.ends === state) return;
  made.dataset.ends = state;
  const word = model.axes[one.letter]?.word ?? "cells";
  const sign = (text) => (brief ? { earlier: "‹", later: "›" }[text] : text);
  const buttons = wanted.map(([text, place]) => button("more", sign(text), `${text}: ${word} ${place}`, () => ask(one.key, place)));
  made.replaceChildren(label, ...buttons);
}
