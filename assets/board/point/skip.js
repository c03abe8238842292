import { element } from "../draw/elements.js";

/** A link at the start of the page that moves the keyboard's focus to a step's result; gives a function that removes it. */
export function offerSkip(section) {
  const link = element("a", "skip-to-board", "Skip to the board");
  // The target of the link lies outside the shadow tree, where a reader can find it.
  const { host = section } = section.getRootNode();
  host.id = "board";
  link.href = "#board";
  link.addEventListener("click", (event) => {
    event.preventDefault();
    const matrix = ["[data-role=result]", "[role=application]"].map((kind) => section.querySelector(`.panel${kind}`)).find(Boolean);
    matrix?.setAttribute("tabindex", matrix.getAttribute("tabindex") ?? "-1");
    matrix?.focus();
  });
  const place = element("nav", "", link);
  place.setAttribute("aria-label", "Skip link");
  document.body.prepend(place);
  return () => place.remove();
}
