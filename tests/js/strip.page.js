import { fillNext, fillStrip } from "../../assets/board/words/words.js";
import { assert, test } from "./testing.js";

const steps = ["Tokens", "Split", "Scores"].map((title) => ({ title, path: title.toLowerCase() }));
const here = window.location.href;

/** The strip at a place, its links as kind:text. */
function shown(place, nav = document.body.appendChild(document.createElement("nav"))) {
  fillStrip(nav, { steps, place });
  const links = [...nav.querySelectorAll("a")];
  return { nav, links, end: () => nav.remove(), told: links.map(({ className, textContent }) => `${className}:${textContent}`) };
}

/** Click a link; gives whether it was left to the browser to open it. */
function click(link, more = {}) {
  let left = false;
  const stay = (event) => {
    left = !event.defaultPrevented;
    event.preventDefault(); // the tests stay on their page
  };
  link.addEventListener("click", stay, { once: true });
  link.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, ...more }));
  return left;
}

test("the strip names every step, marks the one where one is, and leads to those before and after", () => {
  const [first, middle, last] = [0, 1, 2].map((place) => shown(place));
  assert.deepEqual(first.told, ["here:Tokens", ":Split", ":Scores", "after:›"]);
  assert.deepEqual(middle.told, ["before:‹", ":Tokens", "here:Split", ":Scores", "after:›"]);
  assert.deepEqual(last.told, ["before:‹", ":Tokens", ":Split", "here:Scores"]);
  assert.deepEqual(middle.links.map((link) => link.getAttribute("aria-current")), [null, null, "page", null, null]);
  assert.deepEqual(first.links.map((link) => link.getAttribute("href")), ["./tokens", "./split", "./scores", "./split"]);
  assert.deepEqual([middle.links[0], middle.links[4], middle.links[1]].map(({ title }) => title), ["Tokens", "Scores", ""]);
  for (const one of [first, middle, last]) one.end();
});

test("the strip is one stop of the Tab key; arrow keys go from step to step", () => {
  const strip = shown(1);
  assert.deepEqual(strip.links.map(({ tabIndex }) => tabIndex), [-1, -1, 0, -1, -1]);
  strip.links[2].focus();
  strip.links[2].dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true, cancelable: true }));
  assert.equal(document.activeElement, strip.links[3]);
  strip.end();
});

test("a strip that shows the same stays as it is, and goes on with its page", () => {
  const before = shown(0);
  assert.ok(shown(0, before.nav).links.every((link, i) => link === before.links[i]), "a link with the focus keeps it");
  assert.equal(shown(1, before.nav).told.length, 5);
  before.end();
});

test("a click opens a step with the choices as they are then, from its top, and that of the page itself nothing", () => {
  const main = Object.assign(document.body.appendChild(document.createElement("div")), { style: "height: 50px; overflow: auto" });
  main.dataset.testid = "stMain";
  main.append(Object.assign(document.createElement("div"), { style: "height: 500px" }));
  const strip = shown(0);
  history.replaceState(null, "", "?head=2");
  let opened = 0;
  const count = () => (opened += 1);
  window.addEventListener("popstate", count);
  assert.equal(click(strip.links[0]), false);
  for (const key of ["ctrlKey", "metaKey", "shiftKey", "altKey"]) assert.ok(click(strip.links[2], { [key]: true }));
  assert.deepEqual([opened, window.location.search], [0, "?head=2"]);
  main.scrollTop = 100;
  assert.equal(click(strip.links[2]), false);
  const { pathname, search } = window.location;
  window.removeEventListener("popstate", count);
  history.replaceState(null, "", here);
  assert.deepEqual([opened, pathname.split("/").pop(), search, main.scrollTop], [1, "scores", "?head=2", 0]);
  main.remove();
  strip.end();
});

test("a link that is opened in a new tab has the choices, too, by mouse and by keys", () => {
  for (const act of ["pointerdown", "focus"]) {
    const strip = shown(0);
    history.replaceState(null, "", "?head=3");
    strip.links[1].dispatchEvent(new Event(act));
    assert.ok(strip.links[1].href.endsWith("/split?head=3"), act);
    history.replaceState(null, "", here);
    strip.end();
  }
});

test("where there is nowhere to go, as in a hand-out, the steps are words, that of the page marked", () => {
  const nav = document.body.appendChild(document.createElement("nav"));
  fillStrip(nav, { steps, place: 1 }, false);
  assert.deepEqual([...nav.querySelectorAll("a")], []);
  assert.deepEqual([...nav.querySelectorAll("span")].map(({ className, textContent }) => `${className}:${textContent}`), [":Tokens", "here:Split", ":Scores"]);
  nav.remove();
});

test("a step ends with a link that names the next one; not the last step, nor a lesson, nor a hand-out", () => {
  const told = (stage, linked = true) => {
    const place = document.createElement("div");
    fillNext(place, { steps, ...stage }, linked);
    return place.hidden ? null : [place.textContent, place.querySelector("a").getAttribute("href")];
  };
  assert.deepEqual(told({ place: 0 }), ["Next: Split →", "./split"]);
  assert.deepEqual([told({ place: 2 }), told({ place: 0, lesson: "masks.1" }), told({ place: 0 }, false)], [null, null, null]);
});
