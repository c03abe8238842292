import { framed } from "./framed.js";
import { assert, test, wait } from "./testing.js";

const BOOK = { hash: false, chapters: [["The story", ["overview", "split"]], ["Heads", ["all-heads"]]].map(([title, paths]) => ({ title, pages: paths.map((path) => ({ title: `the ${path}`, path, away: path === "split" })) })) };
const withBook = (more = {}) => ({ text: (source) => source.replace("BOOK", JSON.stringify({ ...BOOK, ...more })) });
const shown = (links) => [...links].map((link) => link.textContent);

test("a chapter leads to its first page, with the choices as they are when it is pressed or reached by keys", async () => {
  const { page, find } = await framed("book.js", "/split?head=2", withBook());
  const links = [...find(".chapters").children];
  assert.deepEqual(shown(links), ["The story", "Heads"]);
  assert.deepEqual(links.map((link) => link.getAttribute("aria-current")), ["true", null]);
  page.history.replaceState(null, "", "/split?head=3");
  for (const act of ["pointerdown", "focus"]) {
    links[1].dispatchEvent(new Event(act));
    assert.equal(links[1].getAttribute("href"), "./all-heads?head=3");
  }
  let went = 0;
  page.addEventListener("popstate", () => (went += 1));
  const click = (more) => {
    const event = new MouseEvent("click", { bubbles: true, cancelable: true, ...more });
    page.addEventListener("click", (late) => late.preventDefault(), { once: true });
    links[1].dispatchEvent(event);
  };
  for (const key of ["ctrlKey", "metaKey", "shiftKey"]) click({ [key]: true });
  assert.equal(went, 0);
  click({});
  assert.deepEqual([went, page.location.pathname, page.location.search], [1, "/all-heads", "?head=3"]);
  page.document.title = "All heads";
  await wait(0);
  assert.deepEqual(links.map((link) => link.getAttribute("aria-current")), [null, "true"]);
});

test("one button opens all chapters, of which the one that is read shows its pages; Escape and a press elsewhere close it", async () => {
  const { page, find } = await framed("book.js", "/split", withBook());
  const [button, list] = [find("button"), find(".list")];
  const isOpen = () => [!list.hidden, button.getAttribute("aria-expanded")];
  assert.deepEqual(isOpen(), [false, "false"]);
  button.click();
  assert.deepEqual(isOpen(), [true, "true"]);
  const folds = [...list.querySelectorAll("details")];
  assert.deepEqual(folds.map((fold) => [fold.open, ...shown(fold.querySelectorAll("a"))]), [[true, "the overview", "the split"], [false, "the all-heads"]]);
  assert.equal(find(".list [aria-current]").textContent, "the split");
  assert.deepEqual([...list.querySelectorAll(".away")].map((link) => link.title), ["In the app"]);
  list.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
  assert.deepEqual(isOpen(), [false, "false"]);
  button.click();
  page.document.dispatchEvent(new Event("pointerdown"));
  assert.deepEqual(isOpen(), [false, "false"]);
});

test("on the site a page is a place of its one URL", async () => {
  const { page, find } = await framed("book.js", "/?head=2#all-heads", withBook({ hash: true }));
  const links = [...find(".chapters").children];
  assert.deepEqual(links.map((link) => link.getAttribute("href")), ["#overview", "#all-heads"]);
  assert.equal(links[1].getAttribute("aria-current"), "true");
  page.location.hash = "nonsense";
  page.dispatchEvent(new Event("popstate"));
  await wait(10);
  assert.equal(links[0].getAttribute("aria-current"), "true");
});

test("on paper a page keeps its width, and is made smaller where it is wider than two thirds of that fit", async () => {
  const printed = async (width) => {
    const body = `<div data-testid=stMain style="width: ${width}px">text</div>`;
    const { page, find } = await framed("print.js", "/scores", { body });
    const style = () => ["minWidth", "zoom"].map((name) => find("[data-testid=stMain]").style[name]);
    page.dispatchEvent(new Event("beforeprint"));
    const on = style();
    page.dispatchEvent(new Event("afterprint"));
    const after = style();
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
  await framed("theme.js", "/scores", { before });
  turn();
  assert.equal(runs, 0);
  await wait(600);
  assert.equal(runs, 1);
});

/** The app's page at an address; push(to) gives how that is written into the history, "push" or "replace", and the address then. */
async function opened(address) {
  const written = [];
  const before = ({ history }) => {
    const write = history.replaceState.bind(history); // nothing of it reaches the history of the tests
    const noted = (kind) => (state, unused, to) => {
      write(state, unused, to);
      written.push(kind);
    };
    Object.assign(history, { pushState: noted("push"), replaceState: noted("replace") });
  };
  const body = "<h1>title</h1><a data-testid=stLogoLink><i>logo</i></a>";
  const { page, find, run } = await framed("history.js", address, { body, before });
  const push = (to) => {
    written.length = 0;
    page.history.pushState(null, "", to);
    const { pathname, search } = page.location;
    return `${written} ${pathname}${search}`;
  };
  const act = (selector = "h1", kind = "pointerdown", more = {}) =>
    find(selector).dispatchEvent(Object.assign(new Event(kind, { bubbles: true }), more));
  for (const kind of ["pointerdown", "keydown"]) find("h1").addEventListener(kind, (event) => event.stopPropagation());
  const move = (to) => page.history.replaceState(null, "", to);
  return { page, push, act, move, run };
}

test("one act is one entry of the history; what the page writes without one replaces it", async () => {
  const { push, act, run } = await opened("/scores");
  run(); // loaded twice it acts once
  assert.equal(push("?query=1"), "replace /scores?query=1");
  act();
  assert.deepEqual([push("?query=2"), push("?query=2&key=1")], ["push /scores?query=2", "replace /scores?query=2&key=1"]);
  act("h1", "keydown", { key: "ArrowDown" });
  assert.equal(push("?query=3"), "push /scores?query=3");
});

test("another page is an entry, and what an act writes on the way there is none of the page that is left", async () => {
  const { push, act } = await opened("/tokens");
  assert.equal(push("/scores"), "push /scores");
  act();
  assert.deepEqual([push("?head=2"), push("/mask?head=2")], ["push /scores?head=2", "replace /mask?head=2"]);
  assert.deepEqual([push("?head=3"), push("/output")], ["replace /mask?head=3", "push /output"]);
});

test("what a control moves is no entry, and a later answer with its older value does not take it away, until a click", async () => {
  const { push, act, move } = await opened("/scores?n=6");
  act("h1", "keydown", { key: "ArrowLeft" });
  move("?n=5&of=1&of=2");
  assert.equal(push("?n=6&query=3"), "replace /scores?query=3&n=5&of=1&of=2", "nor the whole act, which was the control's");
  assert.equal(push("?n=5&of=1&of=2&query=3"), "replace /scores?n=5&of=1&of=2&query=3", "in its own order where nothing is newer");
  assert.equal(push("?n=5&of=2&of=1"), "replace /scores?n=5&of=2&of=1", "what it did not hold before is the server's choice");
  act("h1", "keydown", { key: "a" });
  assert.equal(push("?n=6"), "push /scores?n=5&of=2&of=1");
  for (const [kind, key] of [["keydown", "Enter"], ["keydown", " "], ["pointerdown", undefined]]) {
    move("?n=5");
    move("?n=4");
    act("h1", kind, { key });
    assert.equal(push("?n=6"), "push /scores?n=6");
  }
  move("?n=4");
  assert.equal(push("/mask?n=6"), "replace /mask?n=6", "another page has its own");
});

test("after a step back neither an act nor a control of before counts", async () => {
  const { page, push, act, move } = await opened("/scores?n=6");
  move("?n=5");
  act("h1", "keydown", { key: "a" });
  page.dispatchEvent(new page.PopStateEvent("popstate"));
  assert.equal(push("?n=6"), "replace /scores?n=6");
});

test("only the logo leads to the first page: what a server asks for that has just begun is not written", async () => {
  const { push, act } = await opened("/scores?head=2");
  act();
  assert.equal(push("/"), " /scores?head=2");
  assert.equal(push("?head=3"), "replace /scores?head=3", "that was no new act");
  act("i");
  assert.equal(push("/"), "push /");
});

test("a step back to an entry without a choice says which one is taken back", async () => {
  const { page, push, act } = await opened("/scores");
  if (!page.navigation) return;
  const write = page.History.prototype.replaceState.bind(page.history);
  const back = (from, to, navigationType = "traverse") => {
    act();
    if (from) push(from);
    write(null, "", to);
    page.navigation.dispatchEvent(Object.assign(new Event("currententrychange"), { navigationType }));
    return page.location.search;
  };
  assert.equal(back("?head=1&query=2&key=3", "/scores"), "?unset=head.query.key");
  assert.equal(back("?head=1&query=2", "/scores?head=0"), "?head=0&unset=query");
  assert.equal(back(null, "/scores"), "?unset=head", "one step more");
  assert.equal(back("?head=1&unset=query", "/scores?head=0"), "?head=0");
  assert.deepEqual([back("?head=1", "/scores", "push"), back("?head=1", "/mask")], ["", ""]);
});

/** The app's page with its corner, a clipboard or none, and an old command that copies or does not. */
async function corner({ writeText = null, copies = false }) {
  const before = (page) => {
    Object.defineProperty(page.navigator, "clipboard", { value: writeText ? { writeText } : undefined });
    page.document.execCommand = () => copies;
  };
  const { page, find } = await framed("link.js", "/scores?head=1", { before });
  const [said, button, field] = [".said", "button.link", ".by-hand input"].map((part) => find(`#attention-corner ${part}`));
  const press = async () => {
    button.click();
    await wait(0);
    return [said.textContent, field.checkVisibility()];
  };
  return { page, find, button, field, press };
}

test("the link is copied by the clipboard", async () => {
  const taken = [];
  const { page, press } = await corner({ writeText: async (text) => taken.push(text) });
  assert.deepEqual([await press(), taken], [["Copied", false], [page.location.href]]);
});

test("without a clipboard, or leave to use it, the old command copies what is selected", async () => {
  const writeText = async () => {
    throw new Error("no leave");
  };
  for (const clipboard of [{}, { writeText }]) {
    const { page, press, field } = await corner({ copies: true, ...clipboard });
    assert.deepEqual([await press(), field.value], [["Copied", false], page.location.href]);
  }
});

test("where nothing copies the link stands selected, to be copied by hand, until Escape", async () => {
  const { page, find, button, field, press } = await corner({});
  assert.deepEqual(await press(), ["", true]);
  const chosen = field.value.slice(field.selectionStart, field.selectionEnd);
  assert.deepEqual([chosen, page.document.activeElement === field], [page.location.href, true]);
  field.dispatchEvent(Object.assign(new Event("keydown", { bubbles: true }), { key: "Escape" }));
  assert.deepEqual([find(".by-hand").hidden, page.document.activeElement === button], [true, true]);
});

test("a message that the server would refuse is not sent, and a box says so until a shorter one goes", async () => {
  const sent = [];
  const before = (page) => {
    page.WebSocket.prototype.send = (message) => sent.push(message.byteLength);
  };
  const text = (source) => source.replace("MAX_MESSAGE_BYTES", "1000");
  const { page, find, run } = await framed("message.js", "/scores", { text, before });
  run(); // loaded twice it acts once
  const send = (size) => page.WebSocket.prototype.send.call({}, new Uint8Array(size));
  const shown = [1000, 1001, 5].map((size) => (send(size), !find("[role=alert]").hidden));
  assert.deepEqual([sent, shown], [[1000, 5], [false, true, false]]);
  send(12345);
  assert.equal(/12,345.* 1,000/.test(find("[role=alert]").textContent), true);
});
