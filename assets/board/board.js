// The board as a whole: what a scene, a pointer, a key or a moment of the player changes in it.
import { chosenPalette, openPalette, styleColours } from "./draw/colours.js";
import { editCell } from "./point/editor.js";
import { flightsOf } from "./draw/flights.js";
import { areaOf, middleOf } from "./place/geometry.js";
import { attachInput, Pins } from "./point/input.js";
import { highlightsOf } from "./draw/overlay.js";
import { Picture } from "./draw/picture.js";
import { Player } from "./play/player.js";
import { firstSlices, follow, offsetOf, openScene, sameSignature, signatureOf } from "./scene/scene.js";
import { sayPlace } from "./words/place.js";
import { showSliders } from "./point/sliders.js";
import { savePicture } from "./keep/snapshot.js";
import { buildStage, showStyled, watchSurroundings } from "./draw/stage.js";
import { Step } from "./step.js";
import { cellBeyond, startsToSee } from "./place/windows.js";
import { placeWords, spokenOf } from "./words/wording.js";
import { markHead } from "./words/words.js";

/** A matrix board in root. For pages: update(scene), rest(), current(), where(cell), isLaid(), destroy(); handlers: onPin, onEdit, onOpen, onChoose. */
export class Board {
  constructor(root, handlers = {}) {
    Object.assign(this, { handlers, gone: new AbortController(), signature: [], starts: new Map(), slices: {}, width: 0, model: null, hovered: null, pins: new Pins() });
    this.open = (link) => handlers.onOpen?.(link);
    this.parts = buildStage(root, (kind) => savePicture(this.picture, kind));
    this.picture = new Picture(this.parts);
    this.player = new Player(this.parts.player, this);
    this.step = new Step(this, this.parts);
    attachInput(this, this.parts);
    this.surroundings = watchSurroundings(this.parts.section, () => this.model && this.dress(), this.gone.signal);
    this.observer = new ResizeObserver((entries) => this.resized(entries));
    // The last one changes its size when the style sheet has arrived.
    for (const part of ["section", "arithmetic", "live"]) this.observer.observe(this.parts[part]);
  }

  destroy() {
    this.step.end();
    this.player.rest();
    this.picture.rest();
    this.observer.disconnect();
    this.gone.abort(); // ends what listens to the page
    this.parts.section.remove();
  }

  get boxes() {
    return this.picture.boxes;
  }

  current() {
    return this.hovered ?? this.player.cell ?? (this.has(this.step.guess.cell) ? this.step.guess.cell : this.framed);
  }

  // The cell that is explained; none while a question may be about it.
  get framed() {
    return this.step.cover.asks ? null : this.pins.cell;
  }

  /** Show a scene, if there is one. An unchanged one is not drawn again. A cell that is chosen elsewhere stops the player, as a click on the board does. */
  update(scene) {
    if (!scene) return;
    const signature = signatureOf(scene);
    const same = sameSignature(signature, this.signature);
    if (!same) {
      this.signature = signature;
      this.model = openScene(scene);
      this.parts.section.setAttribute("aria-label", scene.description ?? "");
      this.keepSlices();
      this.width = 0; // nothing is drawn until it is laid out
    }
    const moved = this.pins.adopt(scene.cell, this.has(scene.cell));
    if (moved) this.player[same ? "stop" : "rest"]();
    if (moved) this.step.guess.takes(scene.cell);
    if (this.setResting(false) || !same) this.dress();
    if (!same && this.player.isAsked(scene)) this.player.play();
    else if (!same) return;
    else if (this.width && !this.reveal(this.current())) this.refresh();
  }

  // Keep the slices and the current cell of the last scene if this one has them.
  keepSlices() {
    const first = firstSlices(this.model);
    const fits = (name) => this.slices[name] && this.has({ array: name, index: this.slices[name] });
    this.slices = Object.fromEntries(Object.keys(first).map((name) => [name, fits(name) ? this.slices[name] : first[name]]));
    if (!this.has(this.hovered)) this.hovered = null;
    this.pins.renew(this.has(this.pins.cell));
  }

  has(cell) {
    const array = cell && this.model.arrays[cell.array];
    return Boolean(array) && array.axes.length === cell.index.length && offsetOf(array, cell.index) >= 0;
  }

  dress() {
    const { section } = this.parts;
    this.dressed = showStyled(section);
    if (!this.dressed) return;
    const { dark, printed } = this.surroundings.now();
    const palette = openPalette(chosenPalette(this.model, dark));
    styleColours(section, palette);
    section.style.setProperty("--zoom", this.model.zoom ?? 1);
    this.step.dress();
    this.picture.dress(this.model, palette, getComputedStyle(section).fontFamily, printed);
    this.parts.arithmetic.hidden = !this.model.arithmetic;
    section.classList.toggle("explains", Boolean(this.model.arithmetic));
    this.parts.arithmetic.style.minHeight = "";
    this.relay();
  }

  relay() {
    const { section } = this.parts;
    this.width = 0;
    // JupyterLab hides a board for less than a frame when its theme changes, and no size changes: ask for the size anew.
    if (!section.clientWidth) {
      this.observer.unobserve(section);
      this.observer.observe(section);
    }
    this.fit();
  }

  // While one hovers the arithmetic never shrinks, or everything below would jump; a pin resets its height.
  resized(entries) {
    if (!this.model) return;
    if (!this.dressed) return this.dress();
    const { arithmetic } = this.parts;
    const height = entries.find(({ target }) => target === arithmetic)?.borderBoxSize[0].blockSize ?? 0;
    if (!this.height && height > parseFloat(arithmetic.style.minHeight || 0)) arithmetic.style.minHeight = `${height}px`;
    this.fit();
  }

  fit() {
    if (!this.dressed || this.isLaid()) return;
    const size = this.step.window();
    Object.assign(this, { width: Math.floor(this.parts.section.clientWidth), height: size?.height ?? 0, size });
    this.parts.arithmetic.style.minHeight = "";
    this.step.lines = 1;
    this.lay();
    this.reveal(this.pins.cell);
  }

  /** Whether everything is laid out for the present window; without a width nothing is shown. */
  isLaid() {
    const width = Math.floor(this.parts.section.clientWidth);
    return !width || (width === this.width && (this.step.window()?.height ?? 0) === this.height);
  }

  lay() {
    const { model } = this;
    if (!this.size || !this.step.lay(this.size)) {
      this.size = null;
      this.step.flow();
      this.picture.lay(this.width, this.starts, this.open);
    }
    const result = model.player ? this.boxes.find(({ panel }) => panel.role === "result") : null;
    this.player.adopt(result, result && model.rules[result.panel.array]);
    const ask = this.handlers.onPin && ((...to) => this.ask(...to));
    showSliders(this.parts.windows, model, this.boxes, { move: (...to) => this.slide(...to), ask });
    if (this.size && this.step.wantsLine()) return this.lay();
    return this.refresh(true);
  }

  // Draw what the current cell changes: panels whose slice moved, the highlights, the arithmetic.
  refresh(all = false, flying = null) {
    const { picture, player, slices: last } = this;
    const current = this.current();
    const shown = current ?? this.pins.cell;
    if (shown) this.slices = follow(this.model, last, shown);
    markHead(this.parts.chosen, this.model, this.slices);
    const look = picture.look(this.slices, this.step.blanks(), this.step.cover.asks ? this.step.cover.asked : null);
    if (all) this.step.showAsks();
    if (all) picture.paintAll(look);
    else picture.paintMoved(look, last, flying ? player.frame.panel.array : null);
    const playing = current && !this.hovered && player.lit;
    const moves = playing ? flightsOf(look, current, player.lit) : null;
    const moving = moves || (this.model.whole && flying);
    picture.highlight(look, current, moving && { moves, pace: flying?.fly ? Math.min(700, 0.6 * flying.pace) : 0 });
    this.step.follow(current);
    if (this.model.arithmetic) this.step.explain(look, current);
  }

  /** The player moved on. */
  played(flying) {
    this.hovered = null;
    if (!this.reveal(this.player.cell)) this.refresh(false, { ...flying });
  }

  hover(cell) {
    if (this.player.running || (cell && this.player.blank(cell.array, cell.index))) return;
    if (JSON.stringify(cell) === JSON.stringify(this.hovered)) return;
    this.hovered = cell;
    if (!this.reveal(cell)) this.refresh();
  }

  // Move to a cell by keys: the window follows; a cell that was not sent is pinned, so that the server sends it.
  visit(cell) {
    if (!this.has(cell)) return this.handlers.onPin?.(cell);
    this.player.pause();
    this.hovered = cell;
    if (!this.reveal(cell)) this.refresh();
    this.picture.scrollTo(cell, this.slices);
    return this.say(cell);
  }

  leave() {
    this.hovered = null;
    this.player.stop();
    if (!this.reveal(this.current())) this.refresh();
    if (this.current()) this.say(this.current());
  }

  pin(cell) {
    this.player.stop();
    if (this.step.guess.takes(cell)) return;
    this.step.cover.ask(cell);
    this.hovered = null;
    this.pins.add(cell);
    this.parts.arithmetic.style.minHeight = "";
    if (!this.reveal(cell)) this.refresh();
    this.say(this.pins.cell, "pinned: ");
    this.handlers.onPin?.(this.pins.cell);
  }

  type(box, cell, key) {
    if (this.pins.holds(cell)) editCell(this, box, cell, key);
  }

  say(cell, before = "") {
    const covered = this.step.hides(cell.array, cell.index);
    this.parts.live.textContent = before + (covered ? `${placeWords(this.model, cell)}, covered` : this.model.whole ? sayPlace(this, cell) : spokenOf(this.model, cell));
  }

  slide(key, start) {
    this.starts.set(key, start);
    this.lay();
  }

  /** Show the column of a cell, of which the strip of a narrow page shows all. */
  slideTo(index) {
    const box = this.boxes.at(-1);
    this.hovered = null;
    this.slide(box.columns.key, index[box.panel.columns]);
  }

  /** What the painters draw now. */
  get look() {
    return this.picture.look(this.slices, this.step.blanks(), null);
  }

  // Pin a cell beyond an edge of the part that was sent.
  ask(key, place) {
    const cell = cellBeyond(this.boxes, this.slices, key, place);
    if (cell) this.handlers.onPin(cell);
  }

  // Move the windows so that a cell is in sight, and a single cell that it reads; gives whether everything was drawn anew.
  reveal(cell) {
    if (!cell || !this.width || !this.has(cell)) return false;
    const moved = startsToSee(this.model, this.boxes, this.starts, cell, highlightsOf(this.model, cell));
    for (const [key, start] of moved) this.starts.set(key, start);
    if (moved.length) this.lay();
    return moved.length > 0;
  }

  /** The middle of a cell on the screen, in the first panel that draws it; null if none does. */
  where(cell) {
    const area = areaOf(this, cell);
    if (!area) return null;
    const [frame, [x, y]] = [this.parts.stage.getBoundingClientRect(), middleOf(area)];
    return { x: frame.left + x, y: frame.top + y };
  }

  /**
   * Let the picture rest, because the present choices make none: it stays, greyed, and only the strip of steps is in reach.
   * The page shows its start, where it says the reason.
   */
  rest() {
    if (!this.model || !this.setResting(true)) return;
    this.hovered = null;
    this.player.stop();
    if (this.width) this.refresh();
    document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0);
  }

  // Let the picture rest, or end its rest; gives whether that changes anything.
  setResting(rests) {
    const { section, words, arcs, stage, dock, onward } = this.parts;
    if (section.classList.contains("rests") === rests) return false;
    section.classList.toggle("rests", rests);
    for (const part of [words, arcs, stage, dock, onward]) part.inert = rests;
    this.step.unskip?.(); // it leads to what is out of reach; a scene makes another
    this.step.unskip = null;
    return true;
  }
}
