import { element } from "./elements.js";
import { axesWords } from "./stage.js";
import { spokenOf } from "./wording.js";

const SHARPNESS = 2;
const LONGEST_SIDE = 8000; // pixels of a side that every browser can draw
const PAPER = 20; // around the board
const LINE_HEIGHT = 20;

/** Keep the board as a PNG file: its matrices with their titles, what is lit, and below in words the current cell. */
export function savePicture(picture) {
  const page = window.location.pathname.split("/").pop().replace(/\.\w+$/, "") || "board";
  pictureOf(picture).toBlob((file) => {
    const link = element("a");
    link.href = URL.createObjectURL(file);
    link.download = `${page}.png`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
}

/** The board on a canvas of its own, sharp enough for a slide. */
function pictureOf(picture) {
  const { look, current } = picture.shown;
  const { zoom, font, palette, model } = look;
  const [width, height] = picture.size;
  const write = document.createElement("canvas").getContext("2d");
  write.font = `${14 * zoom}px ${font}`;
  const lines = current ? brokenAt(width, spokenOf(model, current), (text) => write.measureText(text).width) : [];
  const [wide, high] = [width + 2 * PAPER, height + 2 * PAPER + lines.length * LINE_HEIGHT * zoom];
  const ratio = Math.min(SHARPNESS, LONGEST_SIDE / Math.max(wide, high));
  [write.canvas.width, write.canvas.height] = [Math.round(wide * ratio), Math.round(high * ratio)];
  write.scale(ratio, ratio);
  write.fillStyle = palette.background;
  write.fillRect(0, 0, wide, high);
  write.translate(PAPER, PAPER);
  picture.paintAll(look, write);
  picture.paintLights(look, current, write);
  for (const box of look.boxes) paintTitle(write, box, look);
  Object.assign(write, { font: `${14 * zoom}px ${font}`, fillStyle: palette.text, textAlign: "left", textBaseline: "top" });
  lines.forEach((line, i) => write.fillText(line, 0, height + 6 + i * LINE_HEIGHT * zoom));
  return write.canvas;
}

/** A sentence in lines that are no wider than a width, as far as its words allow. */
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
  if (room >= Math.min(55 * zoom, context.measureText(badge).width)) context.fillText(badge, after, middle + zoom, room);
  if (box.worded) context.fillText(axesWords(model, box), titleX, middle + 17 * zoom);
}

// In two lines where one is too short, the last one next to the matrix.
function paintTightly(context, { panel, broken, titleX, titleY, titleWidth }, { zoom, font }) {
  context.font = `600 ${11 * zoom}px ${font}`;
  const lines = brokenAt(titleWidth, panel.title ?? "", (text) => context.measureText(text).width).slice(0, 2);
  const last = broken ? 22.5 : 13.5;
  lines.reverse().forEach((line, i) => context.fillText(line, titleX, titleY + (last - 13 * i) * zoom, titleWidth));
}
