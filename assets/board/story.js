// The entry for a page that holds the steps of the story, or the moments of a lesson, and needs no server.
import { Board } from "./board.js";
import { element } from "./draw/elements.js";
import { Course } from "./keep/course.js";
import { attachSwipe } from "./point/swipe.js";
import { goTo } from "./words/words.js";
import { fillMoment } from "./words/moment.js";
import { movedTo, placesOf } from "./scene/places.js";
import { openPool } from "./scene/pool.js";

const LECTURE_ZOOM = 1.35; // as in the app

/**
 * The steps of the page: {pool, steps, start, links, axes, palette, title, lesson}, as story_file.py writes them.
 *
 * The hash of the URL names the step, so that links and the browser's history lead from step to step.
 */
class StoryPage {
  constructor(page, data) {
    Object.assign(this, { page, data, entry: openPool(data.pool), chosen: { ...data.start }, places: {}, answers: new Map() });
    const handlers = { onPin: (cell) => this.pinned(cell), onOpen: (link) => this.open(link), onChoose: (name, value) => this.choose(name, value) };
    const root = page.getElementById("steps");
    root.replaceChildren(); // what it says until the script runs
    this.board = new Board(root, handlers);
    const asked = data.steps.flatMap(({ question }, place) => (question?.options.length ? [place] : []));
    this.course = data.lesson ? new Course(window, data.steps.length, asked) : null;
    window.addEventListener("hashchange", () => this.show());
    attachSwipe(page.body, (by) => this.turn(by));
    if (!this.at(window.location.hash)) this.first = this.course?.last ?? data.steps.findIndex(({ path }) => path === data.start.path);
    this.show();
  }

  at(hash) {
    return this.data.steps.find(({ path }) => `#${path}` === hash);
  }

  get step() {
    return this.at(window.location.hash) ?? this.data.steps[this.first ?? 0];
  }

  get place() {
    return this.data.steps.indexOf(this.step);
  }

  turn(by) {
    const there = this.data.steps[this.place + by];
    if (there) goTo(`#${there.path}`);
  }

  // The scene of the step for the head and the matrix that are chosen, where it depends on them.
  sceneOf({ scenes }) {
    const { which, head } = this.chosen;
    const key = [`${which}.${head}`, `.${head}`, `${which}.`, "."].find((one) => one in scenes);
    return this.entry(scenes[key] ?? Object.values(scenes)[0]);
  }

  show() {
    const { step, data, page, places } = this;
    if (data.lesson && step !== this.shown) this.chosen.hide = undefined; // a moment always looks the same
    const scene = this.dressed(movedTo(this.sceneOf(step), places, data.axes));
    page.title = `${step.title} · ${data.title}`;
    page.body.classList.toggle("lecture", this.chosen.present);
    if (step !== this.shown) window.scrollTo(0, 0);
    if (data.lesson) this.tell(step);
    this.board.update(scene);
    this.showBelow(step);
    const code = page.getElementById("code");
    [code.hidden, code.textContent] = [!step.code, step.code ? `In NumPy:\n${step.code}` : ""];
    this.shown = step;
  }

  // With the switches as they are now.
  dressed(scene) {
    const { hide, present, guess } = this.chosen;
    const steps = this.data.steps.map(({ title, path }) => ({ title, path: `#${path}` }));
    const stage = { ...scene.stage, steps, place: this.place, further: steps.length, lecture: present };
    if (hide !== undefined) stage.hide = hide;
    if (stage.guess && guess !== undefined) stage.guess = { ...stage.guess, first: guess };
    return { ...scene, stage, palette: this.data.palette, zoom: present ? LECTURE_ZOOM : 1 };
  }

  // What a page of the story without a stage shows below its strip.
  showBelow({ title, below, says = [] }) {
    const root = this.page.getElementById("below");
    root.hidden = below === undefined;
    if (root.hidden) return;
    this.belowBoard ??= new Board(root.appendChild(element("div")));
    root.querySelectorAll(":scope > :is(h1, p)").forEach((one) => one.remove());
    root.prepend(element("h1", "", title), ...says.map((text) => element("p", "", text)));
    this.belowBoard.update({ ...this.entry(below), palette: this.data.palette, zoom: 1 });
  }

  tell(step) {
    const { data, place, answers, course } = this;
    const at = { place, count: data.steps.length, lesson: data.title, chosen: answers.get(place) };
    fillMoment(this.page.getElementById("lesson"), step, at, (option, right) => {
      answers.set(place, option);
      course.answer(place, right);
    });
    if (step !== this.shown) course.visit(place);
  }

  // From step to step the pinned cell goes along; a moment of a lesson has its own.
  pinned(cell) {
    if (this.data.lesson) return;
    const scene = this.sceneOf(this.step);
    const { head } = this.chosen;
    Object.assign(this.places, placesOf(scene, cell, this.data.axes));
    if (!this.data.heads.includes(this.places.head)) this.places.head = head;
    if (this.places.head === head) return;
    this.chosen.head = this.places.head;
    this.show();
  }

  open(link) {
    const [path, which] = this.data.links[link] ?? [];
    if (which) this.chosen.which = which;
    if (path) goTo(`#${path}`);
  }

  choose(name, value) {
    this.chosen[name] = value;
    if (name === "head") Object.assign(this.places, { head: value, key: undefined }); // another head looks at other words
    this.show();
  }
}

new StoryPage(document, JSON.parse(document.getElementById("story").textContent));
