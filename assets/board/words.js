import { button, element } from "./elements.js";

/** Write what a step is about: its name and question, its formula, one sentence, and what can be chosen. */
export function fillWords(root, { title, question, formula, says, notes, choices = [] }, choose) {
  const shown = JSON.stringify([title, question, formula, says, notes, choices]);
  if (root.dataset.shown === shown) return;
  root.dataset.shown = shown;
  const heading = element("div", "heading", element("h1", "", title), question ? element("p", "question", question) : null);
  const picked = choices.map((choice) => chooser(choice, choose));
  const sentence = element("p", "sentence");
  sentence.innerHTML = says ?? ""; // made by the scene: words with all markup of the data escaped
  const sum = element("div", "formula");
  sum.innerHTML = formula ?? "";
  root.replaceChildren(heading, ...picked, sum, sentence);
}

// One of several, as buttons of which one is pressed.
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
