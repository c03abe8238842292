// The bar of a lesson in a page without a server: the words of a moment, its question, the way to its neighbours.
import { button, element } from "../draw/elements.js";

/** Write a moment into a bar. moment: {title, text, question, away}; at: {place, count, lesson}; answered(option) notes an answer. */
export function fillMoment(bar, moment, { place, count, lesson, chosen }, answered) {
  const link = (to, sign, name, kind) => {
    if (to < 0 || to >= count) return element("span", `lesson-step ${kind}`, sign);
    const made = element("a", `lesson-step ${kind}`, sign);
    Object.assign(made, { href: `#${to + 1}`, ariaLabel: name });
    made.addEventListener("click", (event) => {
      event.preventDefault();
      window.location.hash = `#${to + 1}`;
    });
    return made;
  };
  const line = element("div", "lesson-line", link(place - 1, "‹", "Previous moment", "before"), element("span", "lesson-count", `${place + 1}/${count}`),
    link(place + 1, "›", "Next moment", "after"), element("b", "", moment.title), element("span", "lesson-title", lesson));
  const said = [moment.text, moment.away].filter(Boolean).map((text) => element("p", "lesson-text", text));
  bar.replaceChildren(line, ...said, ...(moment.question ? [questionOf(moment.question, chosen, answered)] : []));
}

// The answers as buttons, and one that shows the answer.
function questionOf({ of, ask, options, right, why }, chosen, answered) {
  const output = Object.assign(element("output", "", why), { hidden: true });
  output.setAttribute("aria-live", "polite");
  const made = element("div", "lesson-question", element("span", "", ask));
  made.dataset.moment = of;
  const buttons = options.map((option, place) => button("", option, option, () => tell(place)));
  const reveal = button("lesson-reveal", "Show the answer", "Show the answer", () => tell(null));
  const tell = (place) => {
    mark(place);
    answered(place, place === right);
    window.dispatchEvent(new Event("lesson-answered")); // the board uncovers what the answer covered
  };
  const mark = (place) => {
    buttons.forEach((one, at) => {
      one.classList.toggle("right", at === right);
      one.classList.toggle("wrong", at === place && at !== right);
    });
    made.classList.add("answered");
    output.hidden = false;
  };
  made.append(...buttons, reveal, output);
  if (chosen !== undefined) mark(chosen);
  return made;
}

/** Show the answer to the question of a moment, as a click on its button does, for the teacher of a class after the vote; gives whether one waits. */
export function showAnswer() {
  if (window.attentionClass?.goOn?.()) return true;
  const reveal = document.querySelector(".lesson-question:not(.answered) .lesson-reveal");
  reveal?.click();
  return Boolean(reveal);
}
