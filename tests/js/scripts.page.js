import { framed } from "./framed.js";
import { assert, test } from "./testing.js";

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

test("a link of the menu gets the choices when it is pressed or reached by keys, and a new tab is left to the browser", async () => {
  const body = "<a data-testid=stTopNavLink href=/split><i>Split</i></a><a data-testid=stSidebarNavLink href=/mask>Mask</a><a href=/x>other</a>";
  const { page, find, end } = await framed("menu.js", "/scores?head=2", { body });
  let heard = 0;
  const [inner, side, other] = ["i", "[data-testid=stSidebarNavLink]", "[href='/x']"].map(find);
  inner.addEventListener("pointerdown", (event) => event.stopPropagation());
  inner.dispatchEvent(new Event("pointerdown", { bubbles: true }));
  side.dispatchEvent(new Event("focusin", { bubbles: true }));
  other.dispatchEvent(new Event("pointerdown", { bubbles: true }));
  const links = [inner.parentElement, side, other].map((link) => link.getAttribute("href").replace(page.location.origin, ""));
  assert.deepEqual(links, ["/split?head=2", "/mask?head=2", "/x"]);
  for (const link of [inner, other]) {
    link.addEventListener("click", (event) => {
      heard += 1;
      event.preventDefault();
    });
  }
  const stay = (event) => event.preventDefault();
  page.addEventListener("click", stay, true);
  const click = (target, more) => target.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, ...more }));
  for (const key of ["ctrlKey", "metaKey", "shiftKey"]) click(inner, { [key]: true });
  assert.equal(heard, 0);
  click(inner);
  click(other, { ctrlKey: true });
  assert.equal(heard, 2);
  page.dispatchEvent(new Event("pointerdown")); // beside everything
  end();
});

test("on paper a page keeps its width, and is made smaller where it is wider than two thirds of that fit", async () => {
  const printed = async (width) => {
    const body = `<div data-testid=stMain style="width: ${width}px">text</div>`;
    const { page, find, end } = await framed("print.js", "/scores", { body });
    const style = () => ["minWidth", "zoom"].map((name) => find("[data-testid=stMain]").style[name]);
    page.dispatchEvent(new Event("beforeprint"));
    const on = style();
    page.dispatchEvent(new Event("afterprint"));
    const after = style();
    end();
    return [...on, ...after];
  };
  assert.deepEqual(await printed(800), ["800px", "1", "", ""]);
  assert.deepEqual(await printed(2144), ["2144px", "0.5", "", ""]);
});

test("when the system turns dark or light the page runs once more, a little later", async () => {
  let turn = null;
  let runs = 0;
  const before = (page) => {
    page.matchMedia = () => ({ addEventListener: (event, act) => (turn = act) });
    page.addEventListener("popstate", () => (runs += 1));
  };
  const { end } = await framed("theme.js", "/scores", { before });
  turn();
  assert.equal(runs, 0);
  await wait(600);
  assert.equal(runs, 1);
  end();
});
