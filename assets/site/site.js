// The page of the static site: the URL says what is shown, the engine in the worker answers, the board draws.
import { Board } from "./board/board.js";
import { element } from "./board/draw/elements.js";
import { Blocks } from "./blocks.js";
import { drawControls } from "./controls.js";
import { keepForLater } from "./later.js";

const MEGABYTE = 1e6;
const READY = "Everything is computed in this browser.";
const NO_ENGINE = "The engine could not start here";
const STAGE_HEIGHT = 720; // of a frame that shows a step
const MOST_HEIGHTS = 3; // told to the page around a frame, of one page in one width
// What needs the engine. Boxes to tick rest with what holds them.
const RESTING = ":is(#controls, #page) form :is(input:not(.boxes *), select, textarea, .boxes, button:not(.help)), #undo";
const WAITING = "Your link is loading.";

class Site {
  constructor(page) {
    this.page = page;
    this.part = (name) => page.getElementById(name);
    this.about = JSON.parse(this.part("about").textContent); // what the builder knows of the parts
    this.first = this.about.stored[0];
    this.models = { model: ["trained model", this.about.model], "language-model": ["language model", this.about.languageModel] };
    this.waiting = new Map();
    this.early = []; // what a visitor did before the engine was there
    this.own = {}; // the choices that each page had when it was last seen
    this.isReady = this.rests = false;
    this.isFramed = new URLSearchParams(window.location.search).has("embed");
    page.body.classList.toggle("framed", this.isFramed);
    const handlers = {
      onPin: (cell) => this.ask({ pin: cell, axes: this.axesOf(cell.array) }),
      onEdit: (edit) => this.ask({ edit }),
      onOpen: (field) => this.ask({ open: field }),
      onChoose: (name, value) => this.ask({ name, value }),
    };
    this.board = new Board(this.part("steps"), handlers);
    const open = (label) => {
      this.opened.add(label);
      this.ask();
    };
    this.blocks = new Blocks(this.part("page"), { do: (act) => this.ask(act), go: (href) => this.go(href), take: (name) => this.take(name), open });
    this.dark.addEventListener("change", () => this.ask());
    for (const one of page.querySelectorAll("[data-file]")) one.addEventListener("click", () => this.take(one.dataset.file));
    for (const one of page.querySelectorAll("[data-copy]")) one.addEventListener("click", () => this.copy(one));
    this.part("undo").addEventListener("click", () => this.ask({ undo: true }));
    page.querySelector("#controls form").addEventListener("submit", (event) => event.preventDefault());
    this.narrow.addEventListener("change", () => this.fold());
    this.fold();
    this.part("lessons").append(...this.about.lessons.map(({ file, title }) => Object.assign(element("a", "", title), { href: file })));
    if (this.about.repository) this.part("source").append(" · ", this.toSource("Program"));
    window.addEventListener("popstate", () => this.ask());
    new ResizeObserver(() => this.tellHeight()).observe(page.querySelector("main"));
  }

  opened = new Set(); // the labels of what has been unfolded
  dark = window.matchMedia("(prefers-color-scheme: dark)");
  narrow = window.matchMedia("(max-width: 1000px)"); // controls are folded above the stage

  fold() {
    for (const one of this.page.querySelectorAll("aside > details")) one.open = one.id === "controls" && !this.narrow.matches;
  }

  toSource(text) {
    return Object.assign(element("a", "", text), { href: this.about.repository });
  }

  // Open another page, with the layer that is shown.
  go(href) {
    const to = new URL(href, document.baseURI);
    this.ask({ to: to.hash.slice(1), changes: Object.fromEntries(to.searchParams) });
  }

  get path() {
    return window.location.hash.slice(1) || this.first;
  }

  get query() {
    return this.shared(window.location.search).toString();
  }

  // The choices of a query, without what says that the page stands in a frame.
  shared(query) {
    const choices = new URLSearchParams(query);
    choices.delete("embed");
    return choices;
  }

  urlOf(query, path) {
    const choices = this.shared(query);
    if (this.isFramed) choices.set("embed", "1");
    return `?${choices}#${path}`;
  }

  // The URL of what is shown, as others get it: the folder of the page, which has a picture of its own.
  get link() {
    return new URL(`${this.shown}/${this.query ? `?${this.query}` : ""}`, document.baseURI).href;
  }

  axesOf(array) {
    const { axes, arrays } = this.scene;
    return arrays[array].axes.map((letter) => [letter, axes[letter].block]);
  }

  start() {
    if (navigator.serviceWorker?.controller) keepForLater(this.part("news")); // the first time once the engine is there
    this.rests = false;
    this.say("");
    this.ask();
    if (typeof WebAssembly !== "object" || typeof Worker !== "function") return this.fail("this browser has no WebAssembly", false);
    const worker = (this.worker = new Worker("worker.js"));
    worker.onmessage = ({ data }) => worker === this.worker && this.heard(data);
    worker.onerror = () => worker === this.worker && !this.isReady && this.fail("worker.js did not arrive");
  }

  // Without the engine the stored example stays, and the page says why. helps: whether another attempt can help.
  fail(why, helps = true) {
    this.worker?.terminate();
    this.worker = null;
    this.rests = true;
    this.why = why;
    this.again = helps && this.button("Try again", () => this.start());
    this.say(`${NO_ENGINE}: ${why}.`);
    this.showStored();
  }

  button(text, onclick) {
    return Object.assign(element("button", "act", text), { type: "button", onclick });
  }

  heard({ id, loaded, ready, failed, answer, broken, lost }) {
    const [what, all, before] = this.isReady ? [...(this.loading ?? this.models.model), this.loaded] : ["engine", this.about.total, 0];
    if (loaded !== undefined) {
      this.counted = loaded;
      this.say(`The ${what} is loading: ${(Math.min(loaded - before, all) / MEGABYTE).toFixed(1)} of ${(all / MEGABYTE).toFixed(1)} MB`);
      if (!this.isReady) this.loaded = loaded;
    }
    if (failed) this.fail(failed);
    if (ready) {
      this.isReady = true;
      this.part("files").hidden = false;
      this.say(READY);
      for (const act of this.early.length ? this.early.splice(0) : [null]) this.ask(act);
      if (!navigator.serviceWorker?.controller) keepForLater(this.part("news"));
    }
    if (id === undefined) return;
    this.waiting.get(id)?.(broken ? { error: broken, lost } : JSON.parse(answer));
    this.waiting.delete(id);
  }

  say(text) {
    this.part("engine").textContent = text;
  }

  // Say above the picture whose numbers it shows, unless they are those of the URL.
  mark(answer) {
    const box = this.part("whose");
    const asks = this.query || this.early.length;
    box.hidden = this.isReady || !(this.rests || asks);
    if (box.hidden) return;
    const text = answer?.controls?.find(({ name }) => name === "text")?.value;
    const whose = text ? `the example “${text}”` : "the stored example";
    const not = this.query ? ", not those of your link" : "";
    const words = this.rests ? `${NO_ENGINE}: ${this.why}. You see the numbers of ${whose}${not}; the controls rest.` : `${WAITING} Until then you see ${whose}.`;
    box.replaceChildren(words, ...(this.rests && this.again ? [this.again] : []));
  }

  // The example of the page, as it was stored when the site was built; of an old URL that of the page it opens today.
  async showStored() {
    if (this.isReady) return;
    const { stored, old } = this.about;
    const now = old[this.path] ?? this.path;
    const path = stored.includes(now) ? now : this.first;
    const answer = await fetch(`first/${path}.json`).then((one) => (one.ok ? one.json() : null)).catch(() => null);
    if (this.isReady) return;
    if (answer) this.show(answer, null);
    this.mark(answer);
    if (!answer) this.part("below").textContent = `The example of this page did not arrive (first/${path}.json). Is there a connection?`;
    this.restAll();
  }

  // What needs the engine rests without it; links to other pages go on.
  restAll() {
    for (const one of this.page.querySelectorAll(RESTING)) one.disabled = one.disabled || this.rests;
  }

  // The answer of the engine. The first that needs a model loads it.
  async call(request) {
    const home = new URL(".", document.baseURI).href;
    const answer = await this.post({ request: { ...request, model: this.about.model > 0, home } });
    if (!answer.needs) return answer;
    [this.loading, this.loaded] = [this.models[answer.needs], this.counted ?? this.loaded];
    const { error, lost } = await this.post({ load: answer.needs });
    this.say(error ? "" : READY);
    return error ? { error, lost, path: request.path, query: request.query } : this.call(request);
  }

  post(message) {
    const id = (this.count = (this.count ?? 0) + 1);
    const answer = new Promise((resolve) => this.waiting.set(id, resolve));
    this.worker.postMessage({ id, ...message });
    return answer;
  }

  // Show the step of the URL, after an act of the visitor if there is one. Acts wait for each other; of several answers the last is drawn.
  ask(act = null) {
    if (this.rests && act?.to) window.location.hash = act.to; // a page can be read without the engine
    if (this.rests) return this.showStored();
    if (!this.isReady && act) {
      this.early.push(act);
      return this.mark(this.answer);
    }
    if (!this.isReady) return this.showStored();
    const turn = (this.turn = (this.turn ?? 0) + 1);
    this.chain = (this.chain ?? Promise.resolve()).then(async () => {
      const from = this.path;
      const query = act ? this.query : this.broughtBack(from);
      const answer = await this.call({ path: from, query, dark: this.dark.matches, open: [...this.opened], act });
      if (answer.path === undefined) Object.assign(answer, { path: from, query }); // the engine has no answer, only an error
      // A visitor who has gone on to another step meanwhile stays there.
      if (answer.path === from) answer.path = this.path;
      else if (!act) window.history.replaceState({}, "", this.urlOf(answer.query, answer.path)); // no such page, or an old name
      this.show(answer, act, turn === this.turn);
    });
    return this.chain;
  }

  // The query of a page that a link has opened, with the choices that it had when it was last seen. The browser's buttons
  // open it as it was then.
  broughtBack(path) {
    const choices = new URLSearchParams(this.query);
    const own = window.history.state ? [] : Object.entries({ ...this.own[path], ...this.sharedBy }).filter(([name]) => !choices.has(name));
    for (const [name, text] of own) if (text) choices.set(name, text);
    window.history.replaceState({}, "", this.urlOf(choices, path));
    return choices.toString();
  }

  show(answer, act, isLast = true) {
    const { scene, blocks, row, error, controls, query, path, title } = answer;
    if (act && path && (query !== this.query || path !== this.path)) {
      window.history.pushState({}, "", this.urlOf(query, path));
    }
    if (path && this.isReady) this.own[path] = Object.fromEntries([...new URLSearchParams(query)].filter(([name]) => !this.about.layer.includes(name)));
    this.sharedBy = { ...this.sharedBy, ...answer.shared };
    if (!isLast) return;
    this.answer = answer;
    this.mark(answer);
    const box = this.part("error");
    const said = [error, ...(answer.refused ?? [])].filter(Boolean).join(" ");
    const ways = (answer.ways ?? []).map(({ label, changes }) => this.button(label, () => this.ask({ changes })));
    if (answer.lost) ways.push(this.button("Try again", () => this.ask(act)));
    box.hidden = !said;
    box.replaceChildren(said, ...ways);
    if (controls) drawControls(this.page.querySelector("#controls form"), controls, (name, value) => this.ask({ name, value }));
    if (title) this.page.title = `${title} · Attention Lab`;
    const shown = `${path} ${new URLSearchParams(query).get("th_open")}`; // a head in the place of all heads
    if (this.read && shown !== this.read) window.scrollTo(0, 0); // a page is read from its beginning
    Object.assign(this, { shown: path, read: shown });
    this.fillShare(title);
    if (error) {
      this.part("steps").hidden = !this.scene; // nothing has been drawn that could stay
      this.board.rest();
      return;
    }
    this.part("steps").hidden = !scene;
    this.part("row").hidden = !row;
    this.part("page").hidden = false;
    this.showBelow(answer);
    this.part("undo").hidden = !new URLSearchParams(query).get("edits");
    this.page.body.classList.toggle("lecture", Boolean(scene?.stage.lecture));
    this.tellHeight();
    if (row) {
      this.row ??= new Board(this.part("row"));
      this.row.update(inHash(row));
    } else {
      this.scene = inHash(scene);
      this.board.update(this.scene);
    }
    this.blocks.update(blocks);
  }

  showBelow({ made_of: madeOf = "" }) {
    const parts = madeOf ? [element("p", "", madeOf)] : [];
    if (this.about.away.includes(this.shown) && this.about.repository) parts.push(this.toSource("Get Attention Lab"));
    this.part("below").replaceChildren(...parts);
  }

  // The link of the page, and the lines that show it in a page of a course, which follow the height that the frame tells.
  fillShare(title) {
    const framed = new URL(this.link);
    framed.searchParams.set("embed", "1");
    this.part("link").value = this.link;
    this.part("frame").value = `<iframe src="${framed.href.replaceAll("&", "&amp;")}" title="${title}" height="${STAGE_HEIGHT}" style="width: 100%; border: 0"></iframe>
<script>
addEventListener("message", ({ data, source }) => {
  for (const frame of document.querySelectorAll("iframe"))
    if (frame.contentWindow === source && data?.attentionLab) frame.height = data.attentionLab.height;
});
</script>`;
    this.part("away").href = this.link;
  }

  async copy(button) {
    const field = this.part(button.dataset.copy);
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
      button.textContent = "Copied";
    } catch {
      document.execCommand("copy"); // a page without https has no other way
    }
  }

  // Tell the page around a frame how high this one is. A board grows with its window, so the height of a step is fixed, and a
  // page tells its height a few times only.
  tellHeight() {
    if (!this.isFramed || window.parent === window) return;
    const at = `${this.shown} ${window.innerWidth}`;
    if (at !== this.told?.at) this.told = { at, count: 0, height: 0 };
    const below = this.part("below").offsetHeight + this.part("page").offsetHeight;
    const height = this.part("steps").hidden ? this.page.querySelector("main").offsetHeight : STAGE_HEIGHT + below;
    if (height === this.told.height || this.told.count === MOST_HEIGHTS) return;
    this.told = { at, count: this.told.count + 1, height };
    window.parent.postMessage({ attentionLab: { height, path: this.shown } }, "*");
  }

  // Give a file to the browser to save.
  async take(name) {
    const { file, error } = await this.call({ path: this.path, query: this.query, want: name });
    if (error) {
      this.say(error);
      return;
    }
    const content = name.endsWith(".npz") ? Uint8Array.from(atob(file), (sign) => sign.charCodeAt(0)) : file;
    const href = URL.createObjectURL(new Blob([content]));
    Object.assign(element("a"), { href, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(href), 60_000);
  }
}

// A scene whose row of pages leads to places of this page.
function inHash(scene) {
  const steps = scene.stage.steps.map((step) => ({ ...step, path: `#${step.path}` }));
  return { ...scene, stage: { ...scene.stage, steps } };
}

new Site(document).start();
