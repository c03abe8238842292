// The sentence in one line, with an arc for each share of the word in focus.
import { arcsFrom, filledIn, labelPlaces, leftOutWords, lineOfWords, LONGEST_WORD, placeAlong, rowOf, saidOf, sharesOfUnits, unitsOf, withPlaces } from "./arcs.js";
import { button, drawn, element } from "../draw/elements.js";
import { percentOf, shorten } from "../scene/numbers.js";

const TYPES = { large: { most: 28, least: 11 }, small: { most: 15, least: 11 } }; // px
const HEIGHTS = { large: { share: 0.24, least: 96, most: 200, scrolled: 216 }, small: 46 }; // px, and of the window
const NAME_WIDTH = 85; // px, the name of a head and half a percentage
const TOLD = { width: 236, from: 700 }; // px, the words about each head, beside the sentence if it is so wide
const TOLD_LINES = { one: 20, two: 38, narrow: 480 }; // px, the words about a head above or below the sentence, in one line or two
const LABELLED_SHARE = 0.1; // smaller shares are told where one points
const MUCH = 0.3; // of a row, told in larger type
const WANTED = 4; // words that a head reads most, which a long sentence shows even if they are far away
const NEXT_WORD = { ArrowLeft: -1, ArrowRight: 1 };

/** The sentence of a scene in one line, with an arc for each share of the word in focus; clicks and keys choose a word or an arc, or open a word into its pieces. */
export class Sentence {
  constructor(board, root) {
    Object.assign(this, { board, root, about: null, box: null, drawn: "", opened: null, units: [] });
    root.addEventListener("pointerleave", () => this.point(null));
    root.addEventListener("keydown", (event) => this.key(event));
  }

  /** Take over the sentence of the scene, if it has one. */
  adopt(about) {
    const stays = JSON.stringify(about?.groups) === JSON.stringify(this.about?.groups);
    Object.assign(this, { about: about ?? null, box: null, drawn: "", opened: stays ? this.opened : null });
    this.units = about ? unitsOf(about, this.opened) : [];
    this.root.hidden = !about;
  }

  // Open a word, so that its pieces stand in its place; null closes it.
  open(first) {
    this.opened = first;
    this.units = unitsOf(this.about, first);
    this.drawn = "";
  }

  // The unit of a piece.
  unitOf(place) {
    return this.units.findIndex(({ from, to }) => from <= place && place < to);
  }

  get isLarge() {
    return this.about?.size === "large";
  }

  /** The height in px that the sentence takes in a width; 0 if it is not shown. window: the height of a window, or null. */
  room(width, window = null) {
    if (!this.about || (!this.isLarge && this.board.surroundings.now().printed)) return 0;
    if (!this.isLarge) return width < 40 * Math.min(6, this.about.words.length) ? 0 : HEIGHTS.small;
    const { share, least, most, scrolled } = HEIGHTS.large;
    const high = window === null ? scrolled : Math.round(Math.min(most, Math.max(least, share * window)));
    return this.about.heads?.length === 1 || !this.about.heads ? Math.round(0.75 * high) : high;
  }

  /** Draw the sentence in a box {x, y, width, height} of the board; null: as a part that is scrolled with it. */
  lay(box, width) {
    const high = box?.height ?? this.room(width);
    this.root.hidden = !high;
    if (!high) this.root.replaceChildren();
    this.box = high ? { width: box?.width ?? width, height: high } : null;
    this.drawn = "";
    const [left, top] = box ? [`${box.x}px`, `${box.y}px`] : ["", ""];
    Object.assign(this.root.style, { left, top, width: box ? `${box.width}px` : "", height: `${high}px` });
  }

  /** Show the word in focus of a cell, and its arcs. */
  follow(current) {
    if (!this.about || !this.box) return;
    const cell = current ?? this.board.pins.cell;
    const focus = this.focusOf(cell);
    const heads = this.headsAt(cell, focus);
    const state = JSON.stringify([focus, heads, this.opened, this.box, this.board.picture.typeface]);
    if (state === this.drawn) return;
    this.drawn = state;
    this.draw(focus, heads);
  }

  // The piece in focus: the last one of the word that a pointer or the keyboard is at, else the query of the cell.
  focusOf(cell) {
    const place = this.pointed ?? placeAlong(this.board.model, cell, "T") ?? this.about.query;
    return Math.min(place, this.about.words.length - 1);
  }

  // The heads {head, title, chosen, shares, lines, start} at a piece, with the shares of units and the unit where the arcs begin; without heads in the scene that of the cell.
  headsAt(cell, focus) {
    const { model } = this.board;
    const chosen = placeAlong(model, cell, "H");
    if (!this.about.heads) {
      const at = this.arrayAt(cell);
      const shares = this.isCovered ? [] : sharesOfUnits(this.units, rowOf(model, at, focus));
      const title = filledIn(this.about.says.title, { array: at && model.arrays[at.array].title, head: at && placeAlong(model, at, "H") });
      return [{ head: chosen, title, chosen: true, shares, lines: this.isCovered ? [] : this.saidAbout(focus, shares) }];
    }
    const all = this.about.heads.map(({ head, title, arcs, asks, from }) => {
      const shares = sharesOfUnits(this.units, arcs[focus]);
      const lines = asks?.[focus] ?? this.saidAbout(focus, shares);
      return { head, title, chosen: head === (chosen ?? model.stage?.heads?.chosen ?? head), shares, lines, start: this.unitOf(from?.[focus] ?? focus) };
    });
    if (all.length && !all.some((one) => one.chosen)) all[0].chosen = true;
    const shown = this.isLarge ? all : all.filter((one) => one.chosen);
    return this.isCovered ? shown.map((one) => ({ ...one, shares: [], lines: [] })) : shown;
  }

  // What is said of a piece: what it reads most, and which piece of its word asks.
  saidAbout(focus, shares) {
    const { says, words } = this.about;
    const unit = this.unitOf(focus);
    const { from, to } = this.units[unit];
    const said = [[saidOf(says, this.units.map(({ text }) => text), unit, shares), ""]];
    return to - from > 1 ? [said, [[filledIn(focus === to - 1 ? says.last : says.piece, { piece: words[focus] }), ""]]] : [said];
  }

  // A covered result must not be read off the arcs.
  get isCovered() {
    const { step } = this.board;
    return step.cover.asks || (!this.isLarge && (step.cover.moments.hiding || step.guess.isOpen));
  }

  // The array of shares at a cell {array, index}: the cell's own, or the scene's.
  arrayAt(cell) {
    const { model, slices } = this.board;
    const own = cell && model.arrays[cell.array];
    if (own?.kind === "probability" && own.axes.at(-1) === "S") return cell;
    const { array } = this.about;
    return model.arrays[array] ? { array, index: slices[array] } : null;
  }

  draw(focus, heads) {
    const { width, height } = this.box;
    const { units } = this;
    const [at, continued] = [this.unitOf(focus), units.flatMap(({ joined }, unit) => (joined ? [unit] : []))];
    const beside = this.isLarge && width >= TOLD.from;
    const room = this.isLarge ? { from: beside ? TOLD.width : 0, width: beside ? width - TOLD.width : width, continued } : { from: 2, width: width - 4, continued };
    const air = continued.length ? 0.24 : 0.5; // of the size of the type: pieces of a word touch
    const measured = (word, size) => this.board.picture.measure(shorten(word, LONGEST_WORD), size, true) + air * size;
    const type = this.isLarge ? { ...TYPES.large, most: Math.min(TYPES.large.most, Math.round(0.17 * height)) } : TYPES.small;
    const strongest = heads.flatMap(({ shares }) => shares.slice(0, WANTED)).sort((a, b) => b[1] - a[1]).map(([place]) => place);
    const line = lineOfWords(units.map(({ text }) => text), at, room, type, measured, strongest);
    const lines = !this.isLarge || beside ? 0 : width < TOLD_LINES.narrow ? TOLD_LINES.two : TOLD_LINES.one;
    const high = Math.round(1.5 * line.size);
    const free = height - high - lines * heads.length;
    const two = heads.length > 1;
    const above = lines + Math.round(this.isLarge ? free * (two ? 0.56 : 1) : free);
    const middles = new Map(line.words.map(({ place, x, width: wide }) => [place, x + wide / 2]));
    const areas = [
      { base: above, room: above - lines - 16, side: -1 },
      { base: above + high, room: height - above - high - lines - 16, side: 1 },
    ];
    const arcs = heads.flatMap((head, i) => arcsFrom(head.start ?? at, head.shares, middles, { ...areas[i], scale: this.isLarge ? 1 : 0.35 }).map((arc) => ({ ...arc, head, side: areas[i].side })));
    const edges = (side) => ({ left: room.from, right: width, top: side < 0 ? lines : above + high, bottom: side < 0 ? above : height - lines });
    const large = arcs.filter(({ share, place }) => share >= LABELLED_SHARE || units[place].piece);
    const places = labelPlaces(arcs, (arc) => this.typeOf(arc), edges, this.isLarge ? large : large.slice(0, 1));
    const told = heads.map((head, i) => this.told(head, beside ? [i ? above + high * 0.6 : 4, TOLD.width - 16] : [i ? height - lines : 0, width]));
    this.root.classList.toggle("beside", beside);
    this.root.classList.toggle("small", !this.isLarge);
    this.root.replaceChildren(
      this.drawing(arcs, places, focus, { width, height }),
      element("div", "arc-words", ...line.words.map((spot) => this.word(spot, focus, arcs, { y: above, high, size: line.size })), ...line.gaps.map((gap) => leftOut(gap, { y: above, high, size: line.size }))),
      ...(this.isLarge ? told : this.named(heads, places)),
    );
  }

  // The size in px of the type of an arc's percentage.
  typeOf({ share }) {
    if (!this.isLarge) return 12;
    return share >= MUCH ? 16 : 13;
  }

  // The name of the head stands on the left; on the right where a percentage needs the left.
  named(heads, places) {
    const isTaken = [...places.values()].some(([x]) => x < NAME_WIDTH);
    return heads.filter(({ title }) => title).map(({ title }) => element("span", `arc-head${isTaken ? " right" : ""}`, title));
  }

  // What is said of a head, at [y, width].
  told({ title, lines, chosen, head }, [y, width]) {
    const parts = lines.map((line) => element("p", "", ...line.map(([text, role]) => (role ? element("b", role, text) : text))));
    const name = title && button(`arc-title${chosen ? " on" : ""}`, title, `Choose ${title}`, () => this.choose(head));
    const made = element("div", "arc-told", name || null, ...parts);
    Object.assign(made.style, { top: `${y}px`, width: `${width}px` });
    return made;
  }

  // The button of a unit at its place in the line.
  word({ place: unit, x, width }, focus, arcs, { y, high, size }) {
    const { from, to, text, parts } = this.units[unit];
    const place = to - 1;
    const isOn = unit === this.unitOf(focus);
    const written = from >= (this.about.written ?? Infinity);
    const shown = parts.length && text.length <= LONGEST_WORD ? parts.map((part) => element("span", "part", part)) : [shorten(text, LONGEST_WORD)];
    const made = element("button", `arc-word${isOn ? " on" : ""}${written ? " written" : ""}`, element("bdi", "", ...shown));
    const read = arcs.filter((arc) => arc.place === unit).map(({ head, share }) => `${head.title} ${percentOf(share)}`);
    const title = to - from > 1 ? `${text}: ${this.about.words.slice(from, to).join(" · ")}` : text;
    Object.assign(made, { type: "button", title, tabIndex: isOn ? 0 : -1 });
    made.dataset.place = place;
    if (isOn) made.setAttribute("aria-current", "true");
    else if (read.length) made.setAttribute("aria-label", `${text}: ${read.join(", ")}`);
    Object.assign(made.style, { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${high}px`, fontSize: `${size}px` });
    made.addEventListener("pointerenter", (event) => event.pointerType !== "touch" && this.point(place));
    made.addEventListener("click", () => this.press(unit));
    return made;
  }

  // A click on a word: choose it; one that is chosen opens into its pieces, or closes.
  press(unit) {
    const { from, to, piece } = this.units[unit];
    const isChosen = unit === this.unitOf(placeAlong(this.board.model, this.board.pins.cell, "T") ?? -1);
    if (isChosen && piece) this.open(null);
    else if (isChosen && to - from > 1) this.open(from);
    this.choose(null, to - 1);
  }

  // A click on an arc: choose its piece; that of a whole word opens the word.
  take(arc, focus) {
    const { from, to } = this.units[arc.place];
    const key = this.strongestIn(arc.head.head, focus, from, to);
    if (to - from > 1) this.open(from);
    this.choose(arc.head.head, focus, key);
  }

  // The piece of a word that a head reads most.
  strongestIn(head, focus, from, to) {
    const at = this.cellAt(focus, head, from);
    const found = at ? this.sharesAt(at, focus).find(([key]) => key >= from && key < to) : null;
    return found?.[0] ?? from;
  }

  // The arcs, small shares first, and above them their percentages: those with a place of their own, the others where one points.
  drawing(arcs, places, focus, { width, height }) {
    const svg = drawn("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" });
    const labels = [];
    for (const arc of [...arcs].reverse()) {
      const group = drawn("g", { class: arc.head.chosen ? "on" : "" });
      group.append(drawn("path", { d: arc.path, "stroke-width": arc.thick.toFixed(2) }), drawn("path", { d: arc.path, class: "hit" }));
      const name = drawn("title", {});
      name.textContent = `${arc.head.title} ${percentOf(arc.share)}`;
      group.append(name);
      group.addEventListener("click", () => this.take(arc, focus));
      svg.append(group);
      const label = this.label(arc, places.get(arc));
      for (const [event, isAt] of [["pointerenter", true], ["pointerleave", false]]) group.addEventListener(event, () => label.classList.toggle("pointed", isAt));
      labels.push(label);
    }
    svg.append(...labels);
    return svg;
  }

  // The percentage of an arc in its place; without one at the top of the arc, out of sight.
  label(arc, place) {
    const { top: [left, top], share, side, thick, head } = arc;
    const size = this.typeOf(arc);
    const [x, y] = place ?? [left, top + side * (thick / 2 + 0.7 * size)];
    const label = drawn("text", { x, y: y + 0.36 * size, class: `${head.chosen ? "on" : ""}${share >= MUCH ? " much" : ""}${place ? "" : " quiet"}`, "font-size": size });
    label.textContent = percentOf(share);
    return label;
  }

  point(place) {
    if (this.pointed === place || (place === null && this.pointed === undefined)) return;
    this.pointed = place ?? undefined;
    const cell = place === null ? null : this.cellAt(place);
    if (place === null) this.board.hover(null);
    else if (cell && this.board.has(cell)) this.board.hover(cell);
    this.follow(this.board.current());
  }

  /** Pin the cell of a head, a word and the word that it reads; what is null stays, or is the one that the word reads most. */
  choose(head, place = null, key = null) {
    const focus = place ?? this.focusOf(this.board.pins.cell);
    this.pointed = undefined;
    const cell = this.cellAt(focus, head, key);
    if (cell) this.board.pin(cell);
    else this.follow(this.board.current());
  }

  cellAt(place, head = null, key = null) {
    const { model, pins } = this.board;
    const shares = this.arrayAt(this.board.hovered ?? pins.cell);
    if (shares) {
      const at = withPlaces(model, shares, { H: head, T: place });
      const [strongest] = this.sharesAt(at, place);
      return withPlaces(model, at, { S: key ?? strongest?.[0] });
    }
    const base = pins.cell;
    const letter = base && ["T", "S"].find((one) => placeAlong(model, base, one) !== null);
    return letter ? withPlaces(model, base, { H: head, [letter]: place }) : null;
  }

  sharesAt(cell, place) {
    const head = placeAlong(this.board.model, cell, "H");
    return this.about.heads?.find((one) => one.head === head)?.arcs[place] ?? rowOf(this.board.model, cell, place);
  }

  key(event) {
    const step = NEXT_WORD[event.key];
    const at = event.target.dataset?.place;
    if (!step || at === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    const unit = Math.max(0, Math.min(this.units.length - 1, this.unitOf(Number(at)) + step));
    const next = this.units[unit].to - 1;
    this.point(next);
    this.root.querySelector(`[data-place="${next}"]`)?.focus();
  }
}

// How many words a line leaves out, in their place.
function leftOut({ count, x, width }, { y, high, size }) {
  const made = element("span", "arc-gap", leftOutWords(count));
  made.title = `Words that are not shown here: ${count}`;
  Object.assign(made.style, { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${high}px`, lineHeight: `${high}px`, fontSize: `${size}px` });
  return made;
}
