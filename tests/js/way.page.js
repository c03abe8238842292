import mountWay from "../../assets/way/component.js";
import { assert, test } from "./testing.js";

const steps = ["Tokens", "Split", "Scores"].map((title) => ({ title, path: title.toLowerCase() }));
const here = window.location.href;

/** The way at a place, its links as [kind, text], and what is told of a link. */
function shown(place, parentElement = document.body.appendChild(document.createElement("div"))) {
  const end = mountWay({ data: new TextEncoder().encode(JSON.stringify({ steps, place })), parentElement });
  const links = [...parentElement.querySelectorAll("a")];
  return { parentElement, end, links, told: links.map(({ className, textContent }) => `${className}:${textContent}`) };
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

test("the way names every step, marks the one where one is, and leads to those before and after", () => {
  const [first, middle, last] = [0, 1, 2].map((place) => shown(place));
  assert.deepEqual(first.told, ["here:Tokens", ":Split", ":Scores", "after:Next"]);
  assert.deepEqual(middle.told, ["before:Previous", ":Tokens", "here:Split", ":Scores", "after:Next"]);
  assert.deepEqual(last.told, ["before:Previous", ":Tokens", ":Split", "here:Scores"]);
  assert.deepEqual(middle.links.map((link) => link.getAttribute("aria-current")), [null, null, "page", null, null]);
  assert.deepEqual(first.links.map((link) => link.getAttribute("href")), ["./tokens", "./split", "./scores", "./split"]);
  assert.deepEqual([middle.links[0], middle.links[4], middle.links[1]].map(({ title }) => title), ["Tokens", "Scores", ""]);
  for (const one of [first, middle, last]) one.end();
});

test("a way stays while the page runs again, goes on with it, and is gone with its place", () => {
  const before = shown(0);
  const again = shown(0, before.parentElement);
  assert.ok(again.links.every((link, i) => link === before.links[i]), "a link with the focus keeps it");
  assert.deepEqual(shown(1, before.parentElement).told.length, 5);
  assert.equal(before.parentElement.querySelectorAll("nav").length, 1);
  again.end();
  assert.equal(before.parentElement.children.length, 0);
  assert.deepEqual(shown(2, before.parentElement).told.length, 4);
  before.parentElement.remove();
});

test("a click opens a step with the choices as they are then, from its top, and the one where one is nothing", () => {
  const main = Object.assign(document.body.appendChild(document.createElement("div")), { style: "height: 50px; overflow: auto" });
  main.dataset.testid = "stMain";
  main.append(Object.assign(document.createElement("div"), { style: "height: 500px" }));
  const way = shown(0);
  history.replaceState(null, "", "?head=2");
  let opened = 0;
  const count = () => (opened += 1);
  window.addEventListener("popstate", count);
  assert.equal(click(way.links[0]), false);
  for (const key of ["ctrlKey", "metaKey", "shiftKey", "altKey"]) assert.ok(click(way.links[2], { [key]: true }));
  assert.deepEqual([opened, window.location.search], [0, "?head=2"]);
  main.scrollTop = 100;
  assert.equal(click(way.links[2]), false);
  const { pathname, search } = window.location;
  window.removeEventListener("popstate", count);
  history.replaceState(null, "", here);
  assert.deepEqual([opened, pathname.split("/").pop(), search, main.scrollTop], [1, "scores", "?head=2", 0]);
  main.remove();
  way.end();
});

test("a link that is opened in a new tab has the choices, too, by mouse and by keys", () => {
  for (const act of ["pointerdown", "focus"]) {
    const way = shown(0);
    history.replaceState(null, "", "?head=3");
    way.links[1].dispatchEvent(new Event(act));
    assert.ok(way.links[1].href.endsWith("/split?head=3"), act);
    history.replaceState(null, "", here);
    way.end();
  }
});
