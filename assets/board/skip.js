import { element } from "./elements.js";

/** A link before all else of the page that leads the keyboard to a step's result; gives how to take it away. */
export function offerSkip(section) {
  const link = element("a", "skip-to-board", "Skip to the board");
  link.href = "#board";
  link.addEventListener("click", (event) => {
    event.preventDefault();
    const matrix = ["[data-role=result]", "[role=application]"].map((kind) => section.querySelector(`.panel${kind}`)).find(Boolean);
    matrix?.setAttribute("tabindex", matrix.getAttribute("tabindex") ?? "-1");
    matrix?.focus();
  });
  document.body.prepend(link);
  return () => link.remove();
}
