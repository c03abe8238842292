import { button, element } from "../draw/elements.js";

const FORMULA = 1.35; // em, the type of the formula in board.css

/** Write the words of a step: its name and question, its formula, one sentence, and its choices. */
export function fillWords(root, { title, question, formula, says, notes = [], choices = [] }, choose) {
  const shown = JSON.stringify([title, question, formula, says, notes, choices]);
  if (root.dataset.shown === shown) return;
  root.dataset.shown = shown;
  const heading = element("div", "heading", element("h1", "", title), question ? element("p", "question", question) : null);
  const picked = choices.map((choice) => chooser(choice, choose));
  const written = element("div", "formula", formula ? mathOf(formula) : null);
  root.replaceChildren(heading, ...picked, written, element("p", "sentence", says ?? ""), ...notes.map((note) => noteOf(note, choose)));
}

/** Write the formula in smaller type if it is wider than its place. */
export function fitFormula(root) {
  const formula = root.querySelector(".formula");
  formula.style.fontSize = "";
  const [has, needs] = [formula.clientWidth, formula.scrollWidth];
  if (needs > has) formula.style.fontSize = `${Math.floor((1000 * FORMULA * (has - 3)) / needs) / 1000}em`;
}

// Notes on the numbers, with a button that makes a choice if there is a server.
function noteOf({ text, label, act, value }, choose) {
  return element("p", "note", text, label && choose ? button("option", label, label, () => choose(act, value)) : null);
}

// A formula of MathML as nested lists: [tag, attributes, text or parts …].
function mathOf([tag, attributes, ...parts]) {
  const made = document.createElementNS("http://www.w3.org/1998/Math/MathML", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...parts.map((part) => (typeof part === "string" ? part : mathOf(part))));
  return made;
}

// A choice as buttons, of which one is pressed.
function chooser({ name, label, options, value }, choose) {
  const made = element("div", "choice");
  made.setAttribute("role", "group");
  made.setAttribute("aria-label", label);
  for (const option of options) {
    const one = button("option", option, option, () => option !== value && choose?.(name, option));
    one.setAttribute("aria-pressed", String(option === value));
    made.append(one);
  }
  return made;
}
