import { button, element } from "./elements.js";
import { shorten } from "./numbers.js";

const LONGEST = 60; // signs of a sentence in the name of its button

/** One button for each sentence of a batch, {texts, chosen}: the same step of that sentence is shown then; none where there is one. */
export function sentenceButtons(sentences, choose) {
  if (!choose || !sentences) return [];
  const made = sentences.texts.map((text, place) => button("option", String(place), `Sentence ${place}: ${shorten(text, LONGEST)}`, () => choose("sentence", place)));
  made.forEach((one, place) => one.setAttribute("aria-pressed", String(place === sentences.chosen)));
  return [element("span", "choice sentences", element("span", "name", "sentence"), ...made)];
}
