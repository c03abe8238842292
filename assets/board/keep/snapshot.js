// The board as a file: a picture of points, or one of lines.
import { element } from "../draw/elements.js";
import { axesWords } from "../draw/stage.js";
import { VectorContext } from "./vector.js";
import { spokenOf } from "../words/wording.js";

const SHARPNESS = 2;
const LONGEST_SIDE = 8000; // pixels of a side that every browser can draw
const PAPER = 20; // px around the board
const LINE_HEIGHT = 20;
const LEAST_LINE = 480; // px, the room for the sentence below a narrow board
const FOOT = 4; // px, a frame around what lies lowest

/** Save the board as a file, "png" or "svg": the matrices with their titles and highlights, and below the current cell in words. */
export function savePicture(picture, kind) {
  if (kind === "svg") offerFile(new Blob([drawingOf(picture)], { type: "image/svg+xml" }), kind);
  else pictureOf(picture).toBlob((file) => offerFile(file, kind));
}

function offerFile(file, kind) {
  const page = window.location.pathname.split("/").pop().replace(/\.\w+$/, "") || "board";
  const link = element("a");
  link.href = URL.createObjectURL(file);
  link.download = `${page}.${kind}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** The board on a canvas of its own, sharp enough for a slide. */
function pictureOf(picture) {
  const canvas = document.createElement("canvas");
  const write = canvas.getContext("2d");
  const paper = paperOf(picture, write);
  const ratio = Math.min(SHARPNESS, LONGEST_SIDE / Math.max(paper.wide, paper.high));
  [canvas.width, canvas.height] = [Math.round(paper.wide * ratio), Math.round(paper.high * ratio)];
  write.scale(ratio, ratio);
  drawOn(write, picture, paper);
  return canvas;
}

/** The board as the text of an SVG file: sharp at every size, and its words stay text. */
function drawingOf(picture) {
  const write = new VectorContext();
  const paper = paperOf(picture, write);
  drawOn(write, picture, paper);
  return write.written(paper.wide, paper.high);
}

/** The size of the whole picture, what of the board it shows, and the sentence below it in lines. */
function paperOf(picture, write) {
  const { look, current } = picture.shown;
  const { zoom, font, model } = look;
  const area = drawnArea(picture);
  const width = Math.max(area.width, Math.min(LEAST_LINE, picture.size[0]));
  write.font = `${14 * zoom}px ${font}`;
  const lines = current ? brokenAt(width, spokenOf(model, current), (text) => write.measureText(text).width) : [];
  return { area, lines, wide: width + 2 * PAPER, high: area.height + 2 * PAPER + lines.length * LINE_HEIGHT * zoom };
}

// The part of a board that has something on it: a stage is as large as its window, its matrices may be smaller.
function drawnArea({ boxes, size, model }) {
  const lane = model.flow ? PAPER : 0; // of the arrows below the columns
  const right = ({ x, bodyWidth, overhang, close, titleX, titleWidth }) => Math.max(x + bodyWidth + Math.max(overhang, close?.across ?? 0), titleX + titleWidth);
  const bottom = ({ y, bodyHeight, close }) => y + bodyHeight + (close?.down ?? 0) + lane;
  const [x, y] = [Math.min(...boxes.map(({ titleX }) => titleX)), Math.min(...boxes.map(({ titleY }) => titleY))].map(Math.floor);
  const ends = [Math.min(size[0], Math.max(...boxes.map(right))), Math.min(size[1], Math.max(...boxes.map(bottom)) + FOOT)];
  return { x, y, width: Math.ceil(ends[0]) - x, height: Math.ceil(ends[1]) - y };
}

function drawOn(write, picture, { area, lines, wide, high }) {
  const { look, current } = picture.shown;
  const { zoom, font, palette } = look;
  write.fillStyle = palette.background;
  write.fillRect(0, 0, wide, high);
  write.translate(PAPER - area.x, PAPER - area.y);
  picture.paintAll(look, write);
  picture.paintLights(look, current, write);
  for (const box of look.boxes) paintTitle(write, box, { ...look, zoom: box.zoom ?? zoom });
  Object.assign(write, { font: `${14 * zoom}px ${font}`, fillStyle: palette.text, textAlign: "left", textBaseline: "top" });
  lines.forEach((line, i) => write.fillText(line, area.x, area.y + area.height + 6 + i * LINE_HEIGHT * zoom));
}

/** A sentence in lines no wider than a width, unless a single word is wider. */
export function brokenAt(width, sentence, widthOf) {
  const lines = [""];
  for (const word of sentence.split(" ")) {
    const longer = lines.at(-1) ? `${lines.at(-1)} ${word}` : word;
    if (lines.at(-1) && widthOf(longer) > width) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

// On the page titles are elements, so that they can be read aloud and clicked.
function paintTitle(context, box, { model, zoom, font, palette }) {
  const { panel, small, tight, titleX, titleY, titleWidth, x, bodyWidth } = box;
  Object.assign(context, { textAlign: "left", textBaseline: "middle", fillStyle: small ? palette.muted : palette.text });
  if (tight) return paintTightly(context, box, { zoom, font });
  context.font = `${small ? 600 : 650} ${(small ? 12.5 : 14) * zoom}px ${font}`;
  const [title, middle] = [panel.title ?? "", titleY + 10 * zoom];
  const [wide, badge] = [context.measureText(title).width, panel.badge ?? ""];
  context.fillText(title, titleX, middle, titleWidth);
  Object.assign(context, { font: `${11 * zoom}px ${font}`, fillStyle: palette.muted });
  const after = titleX + Math.min(wide, titleWidth) + 8 * zoom;
  const room = Math.max(titleX + titleWidth, x + bodyWidth) - after;
  const whole = [badge, badge.split(", ")[0]].find((text) => context.measureText(text).width <= room);
  if (whole) context.fillText(whole, after, middle + zoom);
  if (box.worded) context.fillText(axesWords(model, box), titleX, middle + 17 * zoom);
}

// In two lines if one is too short, the last one next to the matrix.
function paintTightly(context, { panel, broken, titleX, titleY, titleWidth }, { zoom, font }) {
  context.font = `600 ${11 * zoom}px ${font}`;
  const lines = brokenAt(titleWidth, panel.title ?? "", (text) => context.measureText(text).width).slice(0, 2);
  const last = broken ? 22.5 : 13.5;
  lines.reverse().forEach((line, i) => context.fillText(line, titleX, titleY + (last - 13 * i) * zoom, titleWidth));
}
