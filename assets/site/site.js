// The page of the static site: the URL says what is shown, the engine in the worker answers, the board draws.
import { Board } from "./board/board.js";
import { element } from "./board/draw/elements.js";
import { Blocks } from "./blocks.js";
import { drawControls } from "./controls.js";

const FIRST = "overview";
const MEGABYTE = 1e6;
const READY = "Everything is computed in this browser.";
const NO_ENGINE = "The engine could not start here";

class Site {
  constructor(page) {
    this.page = page;
    this.part = (name) => page.getElementById(name);
    this.waiting = new Map();
    this.early = []; // what a visitor did before the engine was there
    this.isReady = false;
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
    this.part("undo").addEventListener("click", () => this.ask({ undo: true }));
    page.querySelector("#controls form").addEventListener("submit", (event) => event.preventDefault());
    if (this.narrow.matches) this.part("controls").open = false;
    window.addEventListener("popstate", () => this.ask());
  }

  opened = new Set(); // the labels of what has been unfolded
  dark = window.matchMedia("(prefers-color-scheme: dark)");
  narrow = window.matchMedia("(max-width: 1000px)"); // controls are folded above the stage

  // Open another page, with the layer that is shown.
  go(href) {
    const to = new URL(href, document.baseURI);
    this.ask({ to: to.hash.slice(1), changes: Object.fromEntries(to.searchParams) });
  }

  get path() {
    return window.location.hash.slice(1) || FIRST;
  }

  get query() {
    return window.location.search.slice(1);
  }

  axesOf(array) {
    const { axes, arrays } = this.scene;
    return arrays[array].axes.map((letter) => [letter, axes[letter].block]);
  }

  async start() {
    this.say("");
    this.ask();
    try {
      if (typeof WebAssembly !== "object" || typeof Worker !== "function") throw new Error("this browser has no WebAssembly");
      const parts = await fetch("parts.json");
      if (!parts.ok) throw new Error("parts.json is not there; build the site again");
      const { total, model, languageModel, lessons } = await parts.json();
      this.model = model;
      this.models = { model: ["trained model", model], "language-model": ["language model", languageModel] };
      this.part("lessons").append(...lessons.map(({ file, title }) => Object.assign(element("a", "", title), { href: file })));
      this.worker = new Worker("worker.js");
      this.worker.onmessage = ({ data }) => this.heard(data, total);
      this.worker.onerror = (event) => this.fail(event.message);
    } catch (error) {
      this.fail(error.message);
    }
  }

  // Without the engine the first example stays, and the page says why.
  fail(why) {
    this.say(`${NO_ENGINE}: ${why}. You see the first example.`);
    this.worker?.terminate();
    this.worker = null;
    this.showStored(true);
  }

  heard({ id, loaded, ready, failed, answer, broken }, total) {
    if (!this.worker) return; // it has failed before
    const [what, all, before] = this.isReady ? [...(this.loading ?? this.models.model), this.loaded] : ["engine", total, 0];
    if (loaded !== undefined) this.counted = loaded;
    if (loaded !== undefined) this.say(`The ${what} is loading: ${(Math.min(loaded - before, all) / MEGABYTE).toFixed(1)} of ${(all / MEGABYTE).toFixed(1)} MB`);
    if (loaded !== undefined && !this.isReady) this.loaded = loaded;
    if (failed) this.fail(failed);
    if (ready) {
      this.isReady = true;
      this.part("files").hidden = false;
      this.say(READY);
      for (const act of this.early.length ? this.early.splice(0) : [null]) this.ask(act);
    }
    if (id === undefined) return;
    this.waiting.get(id)?.(broken ? { error: broken } : JSON.parse(answer));
    this.waiting.delete(id);
  }

  // Until there is a picture, what is said stands in its place, too.
  say(text) {
    this.part("engine").textContent = text;
    if (!this.scene) this.part("below").textContent = text;
  }

  // The first example, as it was stored when the site was built. always: also where the URL asks for another layer.
  async showStored(always = false) {
    if ((this.query && !always) || this.isReady) return;
    const stored = (path) => fetch(`first/${encodeURIComponent(path)}.json`);
    let answer = await stored(this.path);
    if (!answer.ok) answer = await stored(FIRST);
    if (answer.ok && !this.isReady) this.show(await answer.json(), false);
  }

  // The answer of the engine. The first that needs a model loads it.
  async call(request) {
    const home = new URL(".", document.baseURI).href;
    const answer = await this.post({ request: { ...request, model: this.model > 0, home } });
    if (!answer.needs) return answer;
    [this.loading, this.loaded] = [this.models[answer.needs], this.counted ?? this.loaded];
    const { error } = await this.post({ load: answer.needs });
    this.say(READY);
    return error ? { ...answer, error } : this.call(request);
  }

  post(message) {
    const id = (this.count = (this.count ?? 0) + 1);
    const answer = new Promise((resolve) => this.waiting.set(id, resolve));
    this.worker.postMessage({ id, ...message });
    return answer;
  }

  // Show the step of the URL, after an act of the visitor if there is one. Acts wait for each other; of several answers the last is drawn.
  ask(act = null) {
    if (!this.isReady && act) return this.early.push(act);
    if (!this.isReady) return this.showStored(this.worker === null);
    const turn = (this.turn = (this.turn ?? 0) + 1);
    this.chain = (this.chain ?? Promise.resolve()).then(async () => {
      const from = this.path;
      const answer = await this.call({ path: from, query: this.query, dark: this.dark.matches, open: [...this.opened], act });
      // A visitor who has gone on to another step meanwhile stays there.
      if (answer.path === from) answer.path = this.path;
      else if (!act) window.history.replaceState(null, "", `?${answer.query}#${answer.path}`); // no such page, or an old name
      this.show(answer, Boolean(act), turn === this.turn);
    });
    return this.chain;
  }

  show(answer, isAct, isLast = true) {
    const { scene, blocks, row, error, controls, query, path, title } = answer;
    if (isAct && path && (query !== this.query || path !== this.path)) {
      window.history.pushState(null, "", `?${query}#${path}`);
    }
    if (!isLast) return;
    const box = this.part("error");
    const said = [error, ...(answer.refused ?? [])].filter(Boolean).join(" ");
    const ways = (answer.ways ?? []).map(({ label, changes }) => Object.assign(element("button", "", label), { type: "button", onclick: () => this.ask({ changes }) }));
    box.hidden = !said;
    box.replaceChildren(said, ...ways);
    if (controls) drawControls(this.page.querySelector("#controls form"), controls, (name, value) => this.ask({ name, value }));
    if (title) this.page.title = `${title} · Attention Lab`;
    const shown = `${path} ${new URLSearchParams(query).get("th_open")}`; // a head in the place of all heads
    if (this.shown && shown !== this.shown) window.scrollTo(0, 0); // a page is read from its beginning
    this.shown = shown;
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
    this.part("below").replaceChildren(element("p", "", madeOf));
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
