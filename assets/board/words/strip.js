import { element } from "../draw/elements.js";

let followed = null; // the kind of the link that a key opened: on the next page it gets the keyboard's focus

/** The steps of the story: links {title, path}, one stop of the Tab key, with arrow keys from link to link; or words. */
export function fillStrip(nav, { steps, place }, linked = true) {
  const shown = JSON.stringify([steps, place]);
  if (nav.dataset.shown === shown) return;
  nav.dataset.shown = shown;
  nav.setAttribute("aria-label", "Steps of the story");
  if (!linked) {
    const words = steps.map(({ title }, i) => element("span", i === place ? "here" : "", title));
    return nav.replaceChildren(element("div", "steps", ...words));
  }
  const [before, after] = [steps[place - 1], steps[place + 1]];
  const list = element("div", "steps", ...steps.map((step, i) => linkTo(step, step.title, i === place ? "here" : "")));
  nav.replaceChildren(endLink(before, "‹", "Previous", "before"), list, endLink(after, "›", "Next", "after"));
  const here = list.children[place];
  for (const link of nav.querySelectorAll("a")) link.tabIndex = link === here ? 0 : -1;
  nav.onkeydown = (event) => moveFocus(nav, event);
  list.scrollLeft = here ? here.offsetLeft - (list.clientWidth - here.offsetWidth) / 2 : 0;
  if (followed !== null) (nav.querySelector(`a.${followed}`) ?? here)?.focus({ preventScroll: true });
  followed = null;
}

// The next or previous step; if there is none its place stays empty, so that nothing moves.
function endLink(step, sign, name, kind) {
  if (!step) return element("span", `${kind} none`, sign);
  const link = linkTo(step, sign, kind);
  link.setAttribute("aria-label", `${name}: ${step.title}`);
  return link;
}

/** A link to the next step with its name, in place; gives whether there is a next step. */
export function fillNext(link, { steps, place, lesson }, linked) {
  const step = linked && !lesson ? steps[place + 1] : null;
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
  link.href = `./${step.path}`;
  if (kind === "here") link.setAttribute("aria-current", "page");
  if (text !== step.title) link.title = step.title;
  // With the choices as they are now, also in a new tab.
  for (const act of ["pointerdown", "focus"]) link.addEventListener(act, () => (link.href = `./${step.path}${window.location.search}`));
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    if (kind === "here") return;
    followed = event.detail ? null : kind || "here"; // after a click of the mouse the arrow keys turn the steps
    goTo(step.path);
  });
  return link;
}

/** Go to a page by its URL: Streamlit follows, as it does when the browser goes back or forward. */
export function goTo(path) {
  window.history.pushState(null, "", `./${path}${window.location.search}`);
  window.dispatchEvent(new PopStateEvent("popstate"));
  document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0);
}
