// A context to draw on that writes SVG.

const START = { fillStyle: "#000", strokeStyle: "#000", lineWidth: 1, lineJoin: "miter", font: "10px sans-serif", textAlign: "left", textBaseline: "alphabetic", dash: [], place: "" }; // what save keeps
const ANCHORS = { left: "start", center: "middle", right: "end" };
const FONT_PARTS = /^(?:(bold|\d{3}) )?([\d.]+)px (.+)$/;

/** A context whose drawings become elements of one SVG. It has only the parts of a canvas that the painters of a board use. */
export class VectorContext {
  constructor() {
    this.probe = document.createElement("canvas").getContext("2d");
    Object.assign(this, START, { parts: [], shades: 0, states: [], path: "" });
  }

  /** The whole picture as the text of a file. */
  written(width, height) {
    const head = `<svg xmlns="http://www.w3.org/2000/svg" width="${briefSize(width)}" height="${briefSize(height)}" viewBox="0 0 ${briefSize(width)} ${briefSize(height)}">`;
    return [head, ...this.parts, "</svg>"].join("\n");
  }

  save() {
    this.states.push(Object.fromEntries(Object.keys(START).map((name) => [name, this[name]])));
  }

  restore() {
    Object.assign(this, this.states.pop());
  }

  translate(x, y) {
    this.place += `translate(${briefSize(x)} ${briefSize(y)})`;
  }

  rotate(angle) {
    this.place += `rotate(${briefSize((angle * 180) / Math.PI)})`;
  }

  setLineDash(dash) {
    this.dash = dash;
  }

  beginPath() {
    this.path = "";
  }

  moveTo = this.stepOf("M");
  lineTo = this.stepOf("L");
  bezierCurveTo = this.stepOf("C");

  // What adds a step to the path, with the numbers that it needs.
  stepOf(sign) {
    return (...numbers) => (this.path += sign + numbers.map(briefSize).join(" "));
  }

  rect(x, y, width, height) {
    this.path += `M${briefSize(x)} ${briefSize(y)}h${briefSize(width)}v${briefSize(height)}h${briefSize(-width)}Z`;
  }

  roundRect(x, y, width, height, wish) {
    const r = Math.min(wish, width / 2, height / 2);
    const [across, down, turn] = [briefSize(width - 2 * r), briefSize(height - 2 * r), `a${briefSize(r)} ${briefSize(r)} 0 0 1`];
    const [one, back] = [briefSize(r), briefSize(-r)];
    this.path += `M${briefSize(x + r)} ${briefSize(y)}h${across}${turn} ${one} ${one}v${down}${turn} ${back} ${one}h-${across}${turn} ${back} ${back}v-${down}${turn} ${one} ${back}Z`;
  }

  fill() {
    this.add("path", { d: this.path, ...this.ink("fill", this.fillStyle) });
  }

  stroke() {
    const dash = this.dash.length ? { "stroke-dasharray": this.dash.join(" ") } : {};
    const line = { "stroke-width": briefSize(this.lineWidth), "stroke-linejoin": this.lineJoin, ...dash };
    this.add("path", { d: this.path, fill: "none", ...this.ink("stroke", this.strokeStyle), ...line });
  }

  fillRect(...area) {
    this.beginPath();
    this.rect(...area);
    this.fill();
  }

  strokeRect(...area) {
    this.beginPath();
    this.rect(...area);
    this.stroke();
  }

  measureText(text) {
    this.probe.font = this.font;
    return this.probe.measureText(text);
  }

  fillText(text, x, y, room = Infinity) {
    const [, weight = "normal", size = "10", family = this.font] = FONT_PARTS.exec(this.font) ?? [];
    const letters = { "font-family": family, "font-size": size, "font-weight": weight, "text-anchor": ANCHORS[this.textAlign] ?? "start" };
    // A reader may not have the typeface: a word keeps its width in any other.
    const width = { textLength: briefSize(Math.max(0, Math.min(room, this.measureText(text).width))), lengthAdjust: "spacingAndGlyphs" };
    this.add("text", { x: briefSize(x), y: briefSize(y + this.baseline()), ...letters, ...width, ...this.ink("fill", this.fillStyle) }, escapedText(text));
  }

  // The distance from the requested line down to the baseline of the letters.
  baseline() {
    const { probe } = this;
    const above = (line) => {
      probe.textBaseline = line;
      return this.measureText("H").actualBoundingBoxAscent;
    };
    return above("alphabetic") - above(this.textBaseline);
  }

  /** Small cells arrive as a picture with a pixel for each, which stays a picture. */
  drawImage(image, left, top, wide, high, x, y, width, height) {
    const part = document.createElement("canvas");
    [part.width, part.height] = [wide, high];
    part.getContext("2d").drawImage(image, left, top, wide, high, 0, 0, wide, high);
    const size = { x: briefSize(x), y: briefSize(y), width: briefSize(width), height: briefSize(height), preserveAspectRatio: "none" };
    this.add("image", { ...size, style: "image-rendering: pixelated", href: part.toDataURL() });
  }

  createLinearGradient(x1, y1, x2, y2) {
    this.shades += 1;
    const [id, stops] = [`shade-${this.shades}`, []];
    const ends = { x1: briefSize(x1), y1: briefSize(y1), x2: briefSize(x2), y2: briefSize(y2) };
    return {
      addColorStop: (offset, colour) => stops.push([offset, colour]),
      /** Its element, written once, at its first use. */
      named: () => {
        const inside = stops
          .sort(([one], [other]) => one - other)
          .map(([offset, colour]) => elementText("stop", { offset, ...this.ink("stop", colour) }))
          .join("");
        this.parts.push(elementText("linearGradient", { id, gradientUnits: "userSpaceOnUse", ...ends }, inside));
        return `url(#${id})`;
      },
    };
  }

  add(name, attributes, inside = "") {
    this.parts.push(elementText(name, this.place ? { ...attributes, transform: this.place } : attributes, inside));
  }

  // A colour as every SVG reader knows it, with its opacity apart.
  ink(of, colour) {
    if (colour.named) return { [of]: colour.named() };
    this.probe.fillStyle = colour;
    const [name, covers] = of === "stop" ? ["stop-color", "stop-opacity"] : [of, `${of}-opacity`];
    const parts = /^rgba\((.+), ([\d.]+)\)$/.exec(this.probe.fillStyle);
    return parts ? { [name]: `rgb(${parts[1]})`, [covers]: parts[2] } : { [name]: this.probe.fillStyle };
  }
}

function briefSize(number) {
  return String(Math.round(number * 100) / 100);
}

function elementText(name, attributes, inside = "") {
  const given = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapedText(String(value))}"`);
  return `<${name}${given.join("")}>${inside}</${name}>`;
}

// Control characters are not allowed in XML, not even escaped.
function escapedText(text) {
  return text
    .replace(/[^\P{Cc}\t\n\r]|[\uFFFE\uFFFF]|\p{Cs}/gu, "")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
