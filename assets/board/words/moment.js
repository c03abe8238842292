// The bar of a lesson in a page without a server: the words of a moment, its question, the way to its neighbours.
import { button, element } from "../draw/elements.js";
import { tellAnswer } from "./answer.js";

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
  const tell = (place) => answered(place, tellAnswer(made, made.querySelectorAll("button")[place]));
  const buttons = options.map((option, place) => button("", option, option, () => tell(place)));
  buttons.forEach((one, place) => (one.dataset.right = String(place === right)));
  made.append(...buttons, button("lesson-reveal", "Show the answer", "Show the answer", () => tell(options.length)), output);
  if (chosen !== undefined) tellAnswer(made, made.querySelectorAll("button")[chosen]);
  return made;
}
