import { brokenAt } from "../../assets/board/keep/snapshot.js";
import { dressedScene, point, press, standing } from "./stand.js";
import { assert, test } from "./testing.js";

/** What is done while the methods of some prototypes are others. */
function instead(changes, act) {
  const kept = changes.map(([type, name, made]) => {
    const real = type.prototype[name];
    type.prototype[name] = made;
    return () => (type.prototype[name] = real);
  });
  act();
  for (const back of kept) back();
}

/** A choice of the menu that saves a board. */
const way = (stand, kind) => [...stand.root.querySelectorAll(".save button")].find((one) => one.title.includes(kind));

/** What of a board is drawn, from its panels: the left end, the upper end and the size of the part that has any. */
function drawnPart(stand) {
  const panels = [...stand.root.querySelectorAll(".panel")].map(({ style }) => ["left", "top", "width", "height"].map((side) => parseFloat(style[side])));
  const [left, top] = [0, 1].map((side) => Math.floor(Math.min(...panels.map((one) => one[side]))));
  const [width, height] = [0, 1].map((side) => Math.max(...panels.map((one) => one[side] + one[side + 2])) - [left, top][side]);
  return { left, top, width, height };
}

/** The picture that the menu of a board keeps: its canvas, what is written on it [text, x, y, room], and its name. */
function kept(stand) {
  const found = { texts: [], sides: [], aligned: {}, canvas: null, name: "", address: "" };
  const write = CanvasRenderingContext2D.prototype.fillText;
  instead([
    [CanvasRenderingContext2D, "fillText", function fillText(text, x, y, ...room) {
      found.texts.push([text, Math.round(x), Math.round(y), ...room.map(Math.round)]);
      found.sides.push(this.textAlign);
      found.aligned[text] = `${this.textAlign} ${this.textBaseline}`;
      write.call(this, text, x, y, ...room);
    }],
    [HTMLCanvasElement, "toBlob", function toBlob(act) {
      found.canvas = this;
      act(new Blob());
    }],
    [HTMLAnchorElement, "click", function click() {
      [found.name, found.address] = [this.download, this.href];
    }],
  ], () => way(stand, "PNG").click());
  return found;
}

const texts = (picture) => picture.texts.map(([text]) => text);
const pixel = ({ canvas }, x, y) => [...canvas.getContext("2d").getImageData(x, y, 1, 1).data].join();

test("a kept picture is what a board shows, twice as sharp, on paper of its colour with room around it and the sentence of its cell below", () => {
  const stand = standing(dressedScene(), 1400);
  const stage = stand.find(".stage");
  const picture = kept(stand);
  const part = drawnPart(stand);
  const [wide, high] = [picture.canvas.width / 2 - 40, picture.canvas.height / 2 - 40 - 20];
  assert.ok(part.width < 1300 && wide >= part.width && wide <= part.width + 60, `${wide} ${part.width}`);
  assert.ok(high >= part.height && high <= part.height + 12, `${high} ${part.height}`);
  assert.equal(pixel(picture, 1, 1), "34,34,34,255");
  const sentence = picture.texts.at(-1);
  assert.deepEqual(sentence, ["result, head 0, row 1 b, column 2 r, 23 = 8 + 15 + 0", part.left, part.top + high + 6]);
  assert.ok(["Left", "Right", "Result", "All"].every((title) => texts(picture).includes(title)));
  const [left, title] = [stand.panel("left"), picture.texts.find(([text]) => text === "Left")];
  assert.deepEqual([picture.aligned.Left, picture.aligned[sentence[0]], picture.address.slice(0, 5)], ["left middle", "left top", "blob:"]);
  const { x, y } = stand.board.where({ array: "left", index: [0, 0, 0] });
  const frame = stage.getBoundingClientRect();
  assert.equal(pixel(picture, 2 * Math.round(20 + x - frame.left - part.left - 7), 2 * Math.round(20 + y - frame.top - part.top - 7)), "136,136,136,255");
  assert.deepEqual(title.slice(1), [parseFloat(left.style.left), parseFloat(left.style.top) + 10, title[3]].map(Math.round));
});

test("the sentence is of the cell that one points at or moves to, and in as many lines as it needs", () => {
  const stand = standing(dressedScene(), 240);
  point(stand, "left", [0, 1, 2]);
  assert.ok(texts(kept(stand)).includes("left, head 0, row 1 b, feature 2, 6"));
  press(stand, "result", "Home");
  const lines = kept(stand).texts.slice(-2);
  assert.equal(lines.map(([text]) => text).join(" "), "result, head 0, row 1 b, column 0 p, 17 = 0 + 5 + 12");
  assert.equal(lines[1][2] - lines[0][2], 20);
});

test("a board without a current cell is kept without a sentence", () => {
  const stand = standing(dressedScene((scene) => (scene.cell = null)));
  const picture = kept(stand);
  assert.ok(picture.canvas.height <= 2 * (drawnPart(stand).height + 40 + 12));
});

test("a very wide board is kept no larger than browsers can draw", () => {
  const stand = standing(dressedScene((scene) => (scene.zoom = 12)), 9000);
  const { width, height } = kept(stand).canvas;
  assert.equal(Math.max(width, height), 8000);
});

/** The SVG that the menu of a board keeps: its name, its text, and the document that it is. */
async function drawn(stand) {
  const real = URL.createObjectURL;
  const found = {};
  const noted = function click() {
    found.name = this.download;
  };
  URL.createObjectURL = (blob) => real.call(URL, (found.blob = blob));
  instead([[HTMLAnchorElement, "click", noted]], () => way(stand, "SVG").click());
  URL.createObjectURL = real;
  const text = await found.blob.text();
  return { ...found, text, page: new DOMParser().parseFromString(text, found.blob.type) };
}

/** The colours of an SVG at some points, as a browser shows it. */
async function shades(text, points) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
  canvas.getContext("2d").drawImage(image, 0, 0);
  return points.map(([x, y]) => pixel({ canvas }, x, y));
}

test("the SVG of a board has the words and the colours of its picture, each word with its width and within the type that it names", async () => {
  const stand = standing();
  const [svg, picture] = [await drawn(stand), kept(stand)];
  const words = [...svg.page.querySelectorAll("text")];
  assert.deepEqual([svg.name, svg.page.querySelector("parsererror")], ["board.svg", null]);
  assert.deepEqual(words.map((word) => word.textContent), texts(picture));
  assert.ok(words.every((word) => parseFloat(word.getAttribute("textLength")) >= 0 && word.getAttribute("font-size") > 0));
  const anchors = { left: "start", center: "middle", right: "end" };
  assert.deepEqual(words.map((word) => word.getAttribute("text-anchor")), picture.sides.map((side) => anchors[side]));
  const [wide, high] = ["width", "height"].map((side) => Number(svg.page.documentElement.getAttribute(side)));
  assert.deepEqual([2 * wide, 2 * high], [picture.canvas.width, picture.canvas.height]);
  const { x, y } = stand.board.where({ array: "left", index: [0, 0, 0] });
  const frame = stand.find(".stage").getBoundingClientRect();
  const part = drawnPart(stand);
  const points = [[1, 1], [Math.round(20 + x - frame.left - part.left - 7), Math.round(20 + y - frame.top - part.top - 7)]];
  assert.deepEqual(await shades(svg.text, points), points.map(([left, top]) => pixel(picture, 2 * left, 2 * top)));
});

test("small cells are pictures in the SVG, and what a scene says is text in it, whatever it says", async () => {
  const stand = standing(dressedScene((scene) => {
    scene.panels[0].title = '<script>"&\u0007\ud800';
    scene.panels[1].size = "small";
  }));
  const { page } = await drawn(stand);
  assert.equal(page.querySelector("parsererror, script"), null);
  assert.ok([...page.querySelectorAll("text")].some((word) => word.textContent === '<script>"&'));
});

test("the file is called after the page", () => {
  const stand = standing();
  const here = window.location.href;
  const named = ["/", "/scores", "/scores.html", "/a/all-heads?head=2"].map((path) => {
    history.replaceState(null, "", path);
    return kept(stand).name;
  });
  history.replaceState(null, "", here);
  assert.deepEqual(named, ["board.png", "scores.png", "scores.png", "all-heads.png"]);
});

test("a badge stands after its title where it has room, and the axes below both", () => {
  const badged = (badge) => standing(dressedScene(({ panels }) => Object.assign(panels[2], { badge })));
  const [short, long, longer] = [badged("2 heads"), badged(`2 heads, ${"x".repeat(400)}`), badged("x".repeat(400))];
  const [title, badge, axes] = ["Result", "2 heads", "↓ row\u2002→ column"].map((text) => kept(short).texts.find((one) => one[0] === text));
  const wide = short.panel("result").querySelector(".title").getBoundingClientRect().width;
  assert.ok(badge[1] > title[1] + 20 && Math.abs(badge[1] - title[1] - wide - 8) < 20, `${badge} ${title} ${wide}`);
  assert.deepEqual([badge[2], axes.slice(1)], [title[2] + 1, [title[1], title[2] + 17]]);
  assert.deepEqual(kept(long).texts.find(([text]) => text.startsWith("2 heads")), badge, "its words are left out first");
  assert.deepEqual(kept(longer).texts.filter(([text]) => text.includes("x")), [], "it is whole, or absent");
});

test("titles of thumbnails that stand close together are in two lines at most, the last one next to its matrix", () => {
  const title = "queries of every head and their keys";
  const stand = standing(dressedScene((scene) => {
    const [, , , all] = scene.panels;
    scene.panels = Array.from({ length: 10 }, (_, i) => ({ ...all, id: `all ${i}`, tiles: null, place: [i, 0], title }));
  }), 800);
  const texts = kept(stand).texts.filter(([text]) => title.includes(text.replace("…", "")));
  const lines = texts.filter(([, x]) => x === texts[0][1]); // of the first of them, however wide the typeface is
  assert.ok(stand.panel("all 0").classList.contains("broken"));
  assert.equal(lines.length, 2, JSON.stringify(texts));
  assert.equal(lines[0][2] - lines[1][2], 13, JSON.stringify(lines));
  assert.ok(lines[1][0].startsWith("queries"));
});

const signs = (text) => text.length;

test("a sentence is broken where a word would pass the edge; a word wider than the line stands alone, whole", () => {
  const lines = [[9, "scores of head 0"], [5, "a wonderful sum"], [99, "0.5 = 1 / 2"]].map(([width, text]) => brokenAt(width, text, signs).join("|"));
  return [lines, ["scores of|head 0", "a|wonderful|sum", "0.5 = 1 / 2"]];
});
