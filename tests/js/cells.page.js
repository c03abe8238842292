import * as colours from "../../assets/board/colours.js";
import * as decode from "../../assets/board/decode.js";
import * as numbers from "../../assets/board/numbers.js";
import { attachTexts, forPlotly, withTexts } from "../../assets/chart/cells.js";
import { noting } from "./noting.js";
import { encoded } from "./scenes.js";
import { assert, test } from "./testing.js";

const layout = { font: { family: "F", color: "ink", size: 12 }, hoverlabel: { bgcolor: "ground" } };
const VALUES = [0.5, -1, NaN, 12.345, 0, -0.001];
const tile = (more = {}) => ({
  type: "heatmap", z: { shape: "2,3", bdata: encoded(VALUES) }, textfont: { size: 12 }, xgap: 2, ygap: 2,
  zmin: -20, zmax: 20, colorscale: [[0, "#000000"], [1, "#ffffff"]], ...more,
});

/** A chart of 3 columns and 2 rows of cells, so many px wide and high, 100 px from the left and 10 from the top. */
function chart(wide = 50, high = 30) {
  const axis = (_offset, pitch, count) => ({ _offset, _length: pitch * count, l2p: (i) => pitch * (i + 0.5) });
  const acts = {};
  const place = document.createElement("div");
  return {
    _fullLayout: { _plots: { xy: { xaxis: axis(100, wide, 3), yaxis: axis(10, high, 2) } }, width: 400, height: 300 },
    querySelector: () => place,
    on: (event, act) => (acts[event] = act),
    acts,
    place,
  };
}

/** What is drawn over a chart of traces. */
function drawn(data, host = chart(), more = {}) {
  const { context, drawn: notes } = noting();
  const sizes = [];
  const sizeCanvas = (_, ...size) => sizes.push(size) && context;
  const stop = attachTexts(host, () => ({ data, layout: { ...layout, ...more } }), { ...colours, ...decode, ...numbers, sizeCanvas });
  const texts = () => notes.filter(([, kind]) => kind === "text").map(([colour, , text]) => `${colour} ${text}`);
  return { host, notes, sizes, texts, stop, context };
}

test("every cell has its number in its middle, in an ink that can be read on it; what is no number stays empty", () => {
  const written = drawn([tile({ xgap: 0 })]).texts().map((one) => one.split(" ").slice(1).join(" "));
  assert.deepEqual(written, ["0.50 125,29.2", "−1.00 175,29.2", " 225,29.2", "12.35 125,59.2", "0.00 175,59.2", "0.00 225,59.2"]);
  const dark = drawn([tile({ z: { shape: "1,2", bdata: encoded([-20, 20]) } })]).texts();
  assert.deepEqual(dark.map((one) => one.slice(0, 7)), ["#ffffff", "#000000"]);
});

test("the lines between cells lie between them, and not at their edges", () => {
  const grounds = drawn([tile()]).notes.filter(([colour, kind]) => colour === "ground" && kind === "fill");
  assert.deepEqual(grounds.map((one) => one.at(-1)), ["R149,10,2,60", "R199,10,2,60", "R100,39,150,2"]);
  assert.deepEqual(drawn([tile({ xgap: 0 })]).notes.filter(([colour]) => colour === "ground"), []);
});

test("numbers become smaller with their cells, lose a decimal, and are left out where none can be read", () => {
  const shown = (wide, high) => {
    const { texts, context } = drawn([tile()], chart(wide, high));
    return [texts()[3]?.split(" ")[1] ?? null, texts().length && parseFloat(context.font)];
  };
  assert.deepEqual(shown(50, 30), ["12.35", 12]);
  assert.deepEqual(shown(30, 30), ["12.35", 10]);
  assert.deepEqual(shown(50, 12), ["12.35", 9.5]);
  assert.deepEqual(shown(24, 30), ["12.3", 9.5]);
  assert.deepEqual(shown(15, 30), [null, 0]);
  assert.deepEqual(shown(50, 9), [null, 0]);
});

test("all tiles have numbers of one size and as many decimals, those of the longest", () => {
  const short = tile({ z: { shape: "1,1", bdata: encoded([0]) } });
  assert.equal(drawn([short, tile()], chart(24, 30)).texts()[0].split(" ")[1], "0.0");
});

test("signs of a trace's own are written as they are, in its size and colour", () => {
  const own = tile({ text: [["a", "b", "c"], ["d", "e", "f"]], textfont: { size: 20, color: "red" } });
  const { texts, context } = drawn([own]);
  assert.deepEqual([texts()[5], parseFloat(context.font)], ["red f 225,62", 20]);
});

test("of a zoomed chart only what is in view is drawn, within its plane", () => {
  const host = chart();
  Object.assign(host._fullLayout._plots.xy.xaxis, { l2p: (i) => 150 * (i - 0.5) });
  const { texts, notes } = drawn([tile()], host);
  assert.deepEqual(texts().map((one) => one.split(" ")[1]), ["−1.00", "0.00"]);
  assert.deepEqual(notes.find(([kind]) => kind === "clip"), ["clip", "R100,10,150,60"]);
});

test("texts at points stand beside them, on the side that is told", () => {
  const look = { textfont: { size: 10 }, textposition: "middle right" };
  const points = { type: "scatter", mode: "text", x: [0, 1], y: { bdata: encoded([1, 0]) }, text: ["one", "two"], ...look };
  const { texts, context } = drawn([points]);
  assert.deepEqual([texts(), context.textAlign], [["ink one 125,58.5", "ink two 175,28.5"], "left"]);
  assert.equal(drawn([{ ...points, textposition: "middle left" }]).context.textAlign, "right");
});

test("whenever the chart is drawn anew so are they, on a cleared canvas as large as the chart; without any the canvas goes", () => {
  const data = [tile()];
  const { host, notes, sizes, stop } = drawn(data);
  assert.deepEqual([host.place.children.length, sizes, notes[0]], [1, [[400, 300]], ["clear", "R0,0,400,300"]]);
  notes.length = 0;
  host.acts.plotly_relayouting();
  assert.ok(notes.length > 0);
  data.length = 0;
  host.acts.plotly_afterplot();
  assert.equal(host.place.children.length, 0);
  data.push(tile());
  document.fonts.dispatchEvent(new Event("loadingdone"));
  assert.equal(host.place.children.length, 1);
  stop();
  notes.length = 0;
  document.fonts.dispatchEvent(new Event("loadingdone"));
  assert.equal(notes.length, 0);
});

test("plotly.js draws neither texts nor lines between cells; a kept picture has the numbers as they are on the screen", () => {
  const board = { ...colours, ...decode, ...numbers };
  const points = { type: "scatter", mode: "text" };
  const line = { type: "scatter", mode: "lines" };
  const [cells, signs, kept] = forPlotly({ data: [tile({ text: [["a"]] }), points, line], layout }, board);
  assert.deepEqual([cells.xgap, cells.ygap, cells.text, cells.texttemplate, signs.visible, kept === line], [0, 0, undefined, "", false, true]);
  const template = (wide) => withTexts(chart(wide), [tile(), tile({ text: [["a"]] }), line], board);
  assert.deepEqual([template(50)[0].texttemplate, template(50)[0].textfont.size, template(24)[0].texttemplate], ["%{z:.2f}", 12, "%{z:.1f}"]);
  assert.deepEqual([template(15)[0].texttemplate, template(50)[1].texttemplate, template(50)[2] === line], ["", undefined, true]);
});
