import { button, element } from "../draw/elements.js";
import { shorten } from "../scene/numbers.js";

const MAX_SENTENCE = 60; // characters of a sentence in the name of its button

/** One button for each sentence of a batch, {texts, chosen}, which shows the same step of that sentence; none without a batch. */
export function sentenceButtons(sentences, choose) {
  if (!choose || !sentences) return [];
  const made = sentences.texts.map((text, place) => button("option", String(place), `Sentence ${place}: ${shorten(text, MAX_SENTENCE)}`, () => choose("sentence", place)));
  made.forEach((one, place) => one.setAttribute("aria-pressed", String(place === sentences.chosen)));
  return [element("span", "choice sentences", element("span", "name", "sentence"), ...made)];
}
