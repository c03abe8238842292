// The two canvases of a board: cells below, highlights above.
import { paintReads } from "./chips.js";
import { put, sizeCanvas } from "./elements.js";
import { fitFlow, fitStage, heightOfRibbons, ribbonBoxes, ribbonsApart, stackFlow, withTitles } from "../place/fit.js";
import { paintFlights } from "./flights.js";
import { layOutGallery } from "../place/gallery.js";
import { areLines, fitLines } from "../place/lines.js";
import { areasOf, fixedAxes } from "../place/geometry.js";
import { layOut } from "../place/layout.js";
import { paintSigns } from "./lettering.js";
import { paintArrows } from "./links.js";
import { highlightsOf, paintHighlights, paintTileFrames } from "./overlay.js";
import { paintPanel } from "./paint.js";
import { placePanels } from "./stage.js";
import { fitWhole, stackWhole } from "../place/whole.js";

const PROBE = "Whom does 0.25 mean?"; // its width changes with the typeface

/** The drawn part of a board: two canvases, the cells below and the highlights above. */
export class Picture {
  constructor(parts) {
    Object.assign(this, { parts, boxes: [], widths: new Map(), size: [0, 0], motion: 0 });
  }

  /** Set a scene, its colours, and whether it is printed; then call lay. */
  dress(model, palette, font, printed) {
    Object.assign(this, { model, palette, font, printed, zoom: model.zoom ?? 1, signs: [] });
    const [known, typeface] = [this.typeface, this.widthAt(PROBE, 20)];
    if (known !== typeface) for (const widths of [this.widths, model.widest]) widths?.clear(); // another typeface has arrived
    this.typeface = typeface;
  }

  /** The layout of the panels of a step in a window; null if there is no room. space: see `fitStage`. */
  planStage(space, starts) {
    const within = { ...space, starts, measure: (...text) => this.measure(...text) };
    if (this.model.whole) return fitWhole(this.model, within);
    if (areLines(this.model)) return fitLines(this.model, within);
    if (!this.model.flow) return fitStage(this.model, within);
    const plan = fitFlow(this.model, within);
    return plan && { ...plan, boxes: withTitles(within, plan.boxes, plan.zoom, space.width) };
  }

  /** Draw the panels as `planStage` laid them out. */
  layStage(plan, space, open) {
    Object.assign(this, { boxes: plan.boxes, size: [space.width, space.height], signs: plan.signs, zoom: plan.zoom });
    this.draw(open);
  }

  /** Lay out the panels in a width. */
  lay(width, starts, open) {
    this.zoom = this.model.zoom ?? 1;
    const space = { width, zoom: this.zoom, starts, window: window.innerHeight, measure: (...text) => this.measure(...text) };
    const [panels, ribbons] = ribbonsApart(this.model);
    const arranged = this.model.whole ? stackWhole : this.model.gallery ? layOutGallery : this.model.flow ? stackFlow : layOut;
    const plan = arranged({ ...this.model, panels }, space);
    const boxes = [...plan.boxes, ...ribbonBoxes(this.model, ribbons, { y: plan.height, width })];
    Object.assign(this, { boxes, size: [Math.max(plan.width, width), plan.height + heightOfRibbons(ribbons) + 8], signs: [] });
    this.draw(open);
  }

  draw(open) {
    const { stage, base, overlay } = this.parts;
    stage.style.height = `${this.size[1]}px`;
    this.base = sizeCanvas(base, ...this.size);
    this.overlay = sizeCanvas(overlay, ...this.size);
    placePanels(this.parts, this.model, this.boxes, this.zoom, open);
  }

  // A step tries many sizes until everything fits: only whole sizes are measured.
  measure(text, size, bold = false) {
    const whole = Math.ceil(size);
    const key = `${bold} ${whole} ${text}`;
    if (!this.widths.has(key)) this.widths.set(key, this.widthAt(text, whole, bold));
    return (this.widths.get(key) * size) / whole;
  }

  widthAt(text, size, bold = false) {
    this.ruler ??= document.createElement("canvas").getContext("2d");
    this.ruler.font = `${bold ? "bold " : ""}${size}px ${this.font}`;
    return this.ruler.measureText(text).width;
  }

  /** The arguments of the painters. */
  look(slices, blank, covered) {
    const { model, boxes, palette, zoom, font, printed } = this;
    return { model, boxes, palette, zoom, font, printed, slices, blank, covered };
  }

  /** Draw every panel. */
  paintAll(look, context = this.base) {
    if (context === this.base) this.clear();
    paintArrows(context, look);
    paintSigns(context, look, this.signs);
    for (const box of this.boxes) paintPanel(context, box, look);
  }

  /** Remove the drawing: on paper a cleared canvas would be white, also in the dark. */
  clear() {
    this.base.fillStyle = this.palette.background;
    this.base[this.printed ? "fillRect" : "clearRect"](0, 0, ...this.size);
  }

  /** Draw the panels whose slice moved, and those of the array that is being played. */
  paintMoved(look, last, played = null) {
    if (look.model.whole) return this.paintAll(look); // its panels lie within one another
    const moved = (box) => {
      const [before, now] = [last, look.slices].map((slices) => slices[box.panel.array]);
      return fixedAxes(box, now.length).some((axis) => before[axis] !== now[axis]);
    };
    for (const box of this.boxes) {
      if (box.panel.array !== played && !moved(box)) continue;
      const { x, y, left, labelTop, caption, bodyWidth, bodyHeight, overhang } = box;
      const top = labelTop + caption;
      this.base.clearRect(x - left - 2, y - top - 2, bodyWidth + left + overhang + 4, bodyHeight + top + 4);
      paintPanel(this.base, box, look);
    }
  }

  /** Draw the highlights of the current cell. flights: {moves, pace} of the player; without movement if pace is 0. Arcs grow, too. */
  highlight(look, current, flights = null) {
    cancelAnimationFrame(this.motion);
    this.shown = { look, current };
    const lights = current && highlightsOf(this.model, current);
    // On paper a cleared canvas also clears what lies below it, so everything is drawn on one.
    if (this.printed) return this.paintLights(look, current, this.base, lights);
    const draw = (share) => {
      this.overlay.clearRect(0, 0, ...this.size);
      this.paintLights(look, current, this.overlay, lights, share);
      if (flights?.moves) paintFlights(this.overlay, look, flights.moves, share);
    };
    if (!flights?.pace || flights.moves?.numbers.length === 0) return draw(1);
    const begin = performance.now();
    const move = (now) => {
      const share = Math.min(1, Math.max(0, (now - begin) / flights.pace));
      draw(share);
      if (share < 1) this.motion = requestAnimationFrame(move);
    };
    return move(begin);
  }

  /** Draw the highlights of the current cell without movement. */
  paintLights(look, current, context, lights = current && highlightsOf(this.model, current), grown = 1) {
    if (current && this.model.whole) paintReads(context, look, current, grown);
    paintTileFrames(context, look, current);
    if (current) paintHighlights(context, look, current, lights);
  }

  /** Scroll the page as little as needed to show a cell that the arithmetic does not cover. */
  scrollTo(cell, slices) {
    const [area] = areasOf({ boxes: this.boxes, slices }, cell.array, cell.index);
    if (!area) return;
    const { spot, dock } = this.parts;
    const behind = getComputedStyle(dock).position === "sticky" ? dock.offsetHeight : 0;
    put(spot, area);
    spot.style.scrollMarginBottom = `${behind + 24}px`;
    spot.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** Stop all movement. */
  rest() {
    cancelAnimationFrame(this.motion);
  }
}
