// Keys that lead from step to step and through a lecture, and a link for the keyboard to the result.
import { button, element, icon } from "../draw/elements.js";
import { showAnswer } from "../words/answer.js";
import { goTo } from "../words/words.js";

const ON_KEYS = new Set(["PageDown", "ArrowRight", " "]);
const BACK_KEYS = new Set(["PageUp", "ArrowLeft"]);
const FIELDS = "input, textarea, select, [contenteditable], [role=slider], [role=combobox], [role=listbox], [role=textbox]";
const ARROWS = ".terms, [role=radiogroup], [role=toolbar], [role=tablist], [role=menu], [role=dialog]"; // they move by arrow keys

const SCREEN = "M1 2h14v9H1zM5 14h6M8 11v3";

/**
 * Let keys move through the steps, without a click first, until the signal ends this. In a lecture and in a lesson these are
 * the keys of a clicker, which also uncover the result; elsewhere the arrow keys go from step to step.
 *
 * What uses a key and has the focus keeps it; a board out of sight, as the site keeps them, has none. step: the step of a board, with guess and cover; an open guess is answered first.
 */
export function attachClicker(step, signal) {
  const act = (event) => {
    const { stage } = step.model ?? {};
    if (!stage || !step.parts.section.checkVisibility() || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.defaultPrevented) return;
    if (isTaken(event.composedPath(), event.key)) return;
    if (stage.lecture || stage.lesson ? acted(step, event.key) : turnStep(step, event.key)) event.preventDefault();
  };
  document.addEventListener("keydown", act, { signal });
}

function isTaken(path, key) {
  const within = (kinds) => path.some((one) => one instanceof Element && one.matches(kinds));
  if (within(FIELDS) || within("[role=application]")) return true;
  return within({ " ": "button, a, summary", ArrowLeft: ARROWS, ArrowRight: ARROWS }[key] ?? ":not(*)");
}

function turnStep(step, key) {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[key];
  return Boolean(by) && goBeside(step, by);
}

function acted(step, key) {
  if (ON_KEYS.has(key)) return step.guess.show() || showAnswer() || step.cover.turn(1) || goBeside(step, 1);
  if (BACK_KEYS.has(key)) return step.cover.turn(-1) || goBeside(step, -1);
  const act = { Home: () => step.cover.moments.go(0), b: () => turnBlack(step), ".": () => turnBlack(step), f: fillScreen }[key];
  act?.();
  return Boolean(act);
}

// To the moment of a lesson, or to the step, that is next; gives whether there is one.
function goBeside({ model: { stage } }, by) {
  if (stage.lesson) {
    const moment = document.querySelector(`.lesson-bar a.${by > 0 ? "after" : "before"}`);
    moment?.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
    moment?.click();
    return true;
  }
  const there = stage.steps[stage.place + by];
  if (there) goTo(there.path);
  return Boolean(there);
}

/** The button that begins or ends the lecture mode. */
export function lectureButton({ lecture, board }) {
  return button("lecture-button", lecture ? "✕" : icon(SCREEN), lecture ? "End the lecture mode" : "Lecture mode", () => board.handlers.onChoose?.("present", !lecture));
}

/** A black screen, or the step again. */
export function turnBlack({ parts: { black } }) {
  black.hidden = !black.hidden;
}

function fillScreen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen?.();
}

/** A link at the start of the page that moves the keyboard's focus to a step's result; gives a function that removes it. */
export function offerSkip(section) {
  const link = element("a", "skip-to-board", "Skip to the board");
  // The target of the link lies outside the shadow tree, where a reader can find it.
  const { host = section } = section.getRootNode();
  host.id = "board";
  link.href = "#board";
  link.addEventListener("click", (event) => {
    event.preventDefault();
    const kinds = [".panel[data-role=result]", ".panel[role=application]", ".arcs [tabindex='0']", ".panel button"]; // the overview has none of the first two
    const matrix = kinds.map((kind) => section.querySelector(kind)).find(Boolean);
    matrix?.setAttribute("tabindex", matrix.getAttribute("tabindex") ?? "-1");
    matrix?.focus();
  });
  const place = element("nav", "", link, sentenceLink());
  place.setAttribute("aria-label", "Skip links");
  document.body.prepend(place);
  return () => place.remove();
}

const SENTENCE = ".st-key-text input, form [name=text]"; // of the app, of the site

// The second link at the start of the page moves the keyboard's focus to the field of the sentence, and opens what hides it.
function sentenceLink() {
  const link = element("a", "skip-to-board to-sentence", "Change the sentence");
  link.href = "#board";
  link.addEventListener("click", (event) => {
    event.preventDefault();
    document.querySelector("[data-testid=stExpandSidebarButton]")?.click();
    let tries = 40; // a drawer comes in within a second
    const reach = () => {
      const field = document.querySelector(SENTENCE);
      if (field?.checkVisibility({ contentVisibilityAuto: true })) {
        field.focus();
        field.select();
      } else if ((tries -= 1)) setTimeout(reach, 50);
    };
    reach();
  });
  return link;
}
