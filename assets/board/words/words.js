// The words of a step and its choices: strip, title, formula, heads, sentences of a batch, legend.
import { button, drawn, element, list } from "../draw/elements.js";
import { shorten } from "../scene/numbers.js";
import { reasonsOf } from "./reasons.js";

const FORMULA = 1.35; // em, the type of the formula in board.css

/** Write the words of a step: its name and question, three sentences, its formula and choices, and notes. reach: see `reasonsOf`. */
export function fillWords(root, stage, choose, reach) {
  const { title, question, formula, says, reasons, notes = [], choices = [] } = stage;
  const shown = JSON.stringify([title, question, formula, says, reasons, notes, choices]);
  if (root.dataset.shown === shown) return;
  root.dataset.shown = shown;
  const heading = element("div", "heading", element("h1", "", title), question ? element("p", "question", question) : null);
  const picked = choices.map((choice) => chooser(choice, choose));
  const written = element("div", "formula", formula ? mathOf(formula) : null);
  const beside = element("div", "beside", ...(picked.length ? [element("div", "", ...picked)] : []), written);
  const parts = [heading, reasonsOf(stage, reach), beside, ...notes.map((note) => noteOf(note, choose))];
  root.replaceChildren(...parts.filter(Boolean));
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

/** A formula of MathML from nested lists: [tag, attributes, text or parts …]. */
export function mathOf([tag, attributes, ...parts]) {
  const made = drawn(tag, attributes, "http://www.w3.org/1998/Math/MathML");
  made.append(...parts.map((part) => (typeof part === "string" ? part : mathOf(part))));
  return made;
}

// A choice as buttons, of which one is pressed.
function chooser({ name, label, options, value, named }, choose) {
  const ways = options.map((option) => pressable(option, option, option === value, () => option !== value && choose?.(name, option)));
  const made = element("div", "choice", named ? element("span", "name", label) : null, ...ways);
  return Object.assign(made, { role: "group", ariaLabel: label });
}

function pressable(text, name, isPressed, act) {
  const made = button("option", text, name, act);
  made.setAttribute("aria-pressed", String(isPressed));
  return made;
}

let followed = null; // the kind of the link that a key opened: on the next page it gets the keyboard's focus

/** The row of pages: links {title, path}, one stop of the Tab key, with arrow keys from link to link; or words. further: how many stand before the line. */
export function fillStrip(nav, { steps, place, further = steps.length }, linked = true) {
  const shown = JSON.stringify([steps, place, further]);
  if (nav.dataset.shown === shown) return;
  nav.dataset.shown = shown;
  nav.setAttribute("aria-label", "Pages of this chapter");
  if (!linked) {
    const words = steps.map(({ title }, i) => element("span", i === place ? "here" : "", title));
    return nav.replaceChildren(element("div", "steps", ...words));
  }
  const [before, after] = [steps[place - 1], steps[place + 1]];
  const links = steps.map((step, i) => linkTo(step, step.title, i === place ? "here" : ""));
  const here = links[place];
  if (further < links.length) links.splice(further, 0, element("i", "further", "further"));
  const line = element("div", "steps", ...links);
  nav.replaceChildren(endLink(before, "‹", "Previous", "before"), line, endLink(after, "›", "Next", "after"));
  for (const link of nav.querySelectorAll("a")) link.tabIndex = link === here ? 0 : -1;
  nav.onkeydown = (event) => moveFocus(nav, event);
  line.classList.toggle("tight", line.scrollWidth > line.clientWidth); // a narrow window: closer together
  line.scrollLeft = here ? here.offsetLeft - (line.clientWidth - here.offsetWidth) / 2 : 0;
  line.addEventListener("wheel", (event) => {
    if (event.deltaX || line.scrollWidth <= line.clientWidth) return;
    event.preventDefault();
    line.scrollLeft += event.deltaY;
  });
  if (followed !== null) (nav.querySelector(`a.${followed}`) ?? here)?.focus({ preventScroll: true });
  followed = null;
}

// The next or previous page; if there is none its place stays empty, so that nothing moves.
function endLink(step, sign, name, kind) {
  if (!step) return element("span", `${kind} none`, sign);
  const link = linkTo(step, sign, kind);
  link.setAttribute("aria-label", `${name}: ${step.title}`);
  return link;
}

/** A link to the next page with its name, in place, if there is one before the line; gives whether there is. */
export function fillNext(link, { steps, place, further, lesson }, linked) {
  const step = linked && !lesson && place + 1 !== further ? steps[place + 1] : null;
  link.hidden = !step;
  if (!step || link.firstChild?.dataset.path === step.path) return Boolean(step);
  const made = linkTo(step, step.title, "go");
  made.dataset.path = step.path;
  made.prepend(element("span", "", "Next: "));
  made.append(" →");
  link.replaceChildren(made);
  return true;
}

/** Leave room for the link to the next step beside the controls; both get shorter if they are too wide together. */
export function squeezeNext({ section, controls, onward }, width) {
  section.classList.remove("crowded");
  if (onward.hidden) return;
  const leaveRoom = () => (controls.style.width = `${width - onward.offsetWidth - 8}px`);
  leaveRoom();
  section.classList.toggle("crowded", controls.scrollWidth > controls.clientWidth);
  leaveRoom();
}

function moveFocus(nav, event) {
  const links = [...nav.querySelectorAll("a")];
  const at = links.indexOf(event.target);
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (at < 0 || !step) return;
  event.preventDefault();
  event.stopPropagation();
  links[(at + step + links.length) % links.length].focus();
}

function linkTo(step, text, kind) {
  const link = element("a", kind, text);
  link.href = urlOf(step.path);
  if (kind === "here") link.setAttribute("aria-current", "page");
  if (text !== step.title) link.title = step.title;
  // Also in a new tab.
  for (const act of ["pointerdown", "focus"]) link.addEventListener(act, () => (link.href = urlOf(step.path)));
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    if (kind === "here") return;
    followed = event.detail ? null : kind || "here"; // after a click of the mouse the arrow keys turn the steps
    goTo(step.path);
  });
  return link;
}

// Of a step: a page with the choices as they are now, or a place of a page that holds all steps.
function urlOf(path) {
  return path.startsWith("#") ? path : `./${path}${window.location.search}`;
}

/** Go to a step by its path: Streamlit follows a page, as it does when the browser goes back or forward. */
export function goTo(path) {
  if (path.startsWith("#")) {
    window.location.hash = path;
    return;
  }
  window.history.pushState(null, "", `./${path}${window.location.search}`);
  window.dispatchEvent(new PopStateEvent("popstate"));
  document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0);
}

const MAX_HEAD_BUTTONS = 4; // more heads are a list

/** One button for each head, or a list of many: it explains the same query in that head. `markHead` marks the one shown. */
export function headChoice({ heads }, choose) {
  if (!choose || !heads || heads.count < 2) return [];
  const all = Array.from({ length: heads.count }, (_, head) => head);
  if (heads.count > MAX_HEAD_BUTTONS) {
    const options = Object.fromEntries(all.map((head) => [head, `head ${head}`]));
    return [list("speed", options, "Head", 0, (head) => choose("head", Number(head)))];
  }
  const made = all.map((head) => button("option", String(head), `Head ${head}`, () => choose("head", head)));
  made.forEach((one, head) => (one.dataset.head = head));
  return [element("span", "choice", element("span", "name", "head"), ...made)];
}

/** Mark the button of the head that is shown, which a key in a matrix may have changed. slices: the index shown of each array. */
export function markHead(root, { stage, arrays }, slices) {
  const name = Object.keys(arrays).find((one) => arrays[one].axes.includes(stage?.heads?.axis));
  const head = name ? slices[name][arrays[name].axes.indexOf(stage.heads.axis)] : stage?.heads?.chosen;
  if (head === undefined) return;
  const menu = root.querySelector("select[aria-label=Head]");
  if (menu) menu.value = head;
  for (const one of root.querySelectorAll("[data-head]")) one.setAttribute("aria-pressed", String(Number(one.dataset.head) === head));
}

const MAX_SENTENCE = 60; // characters of a sentence in the name of its button

/** One button for each sentence of a batch, {texts, chosen}, which shows the same step of that sentence; none without a batch. */
export function sentenceButtons(sentences, choose) {
  if (!choose || !sentences) return [];
  const nameOf = (text, place) => `Sentence ${place}: ${shorten(text, MAX_SENTENCE)}`;
  const made = sentences.texts.map((text, place) => pressable(String(place), nameOf(text, place), place === sentences.chosen, () => choose("sentence", place)));
  return [element("span", "choice sentences", element("span", "name", "sentence"), ...made)];
}

/** The legend of a scene's colours as an element, from its parts {scale, low, high}; null without a legend. */
export function legendOf({ legend }) {
  if (!legend?.length) return null;
  const parts = legend.flatMap(({ scale, low = "", high = "" }) => [element("span", "space"), low, " ", element("i", scale), " ", high]);
  return element("span", "legend", ...parts.slice(1));
}
