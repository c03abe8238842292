import * as decode from "../../assets/board/decode.js";
import { attachTexts, forPlotly } from "../../assets/chart/texts.js";
import { noting } from "./noting.js";
import { encoded } from "./scenes.js";
import { assert, test } from "./testing.js";

const layout = { font: { family: "F", color: "ink", size: 12 } };
const points = (more = {}) => ({
  type: "scatter", mode: "text", x: [0, 1], y: { bdata: encoded([1, 0]) }, text: ["one", "two"],
  textfont: { size: 10 }, textposition: "middle right", ...more,
});

/** A chart of 3 columns and 2 rows of 50 by 30 px, 100 px from the left and 10 from the top. */
function chart() {
  const axis = (_offset, pitch, count) => ({ _offset, _length: pitch * count, l2p: (i) => pitch * (i + 0.5) });
  const acts = {};
  const place = document.createElement("div");
  return {
    _fullLayout: { _plots: { xy: { xaxis: axis(100, 50, 3), yaxis: axis(10, 30, 2) } }, width: 400, height: 300 },
    querySelector: () => place,
    on: (event, act) => (acts[event] = act),
    acts,
    place,
  };
}

/** What is drawn over a chart of traces. */
function drawn(data) {
  const { context, drawn: notes } = noting();
  const [host, sizes] = [chart(), []];
  const sizeCanvas = (_, ...size) => sizes.push(size) && context;
  const stop = attachTexts(host, () => ({ data, layout }), { ...decode, sizeCanvas });
  const texts = () => notes.filter(([, kind]) => kind === "text").map(([colour, , text]) => `${colour} ${text}`);
  return { host, notes, sizes, texts, stop, context };
}

test("texts at points stand beside them, on the side and in the colour that is told", () => {
  const { texts, context } = drawn([points()]);
  assert.deepEqual([texts(), context.textAlign], [["ink one 125,58.5", "ink two 175,28.5"], "left"]);
  assert.equal(drawn([points({ textposition: "middle left" })]).context.textAlign, "right");
  assert.equal(drawn([points({ textfont: { size: 10, color: "red" } })]).texts()[0].split(" ")[0], "red");
});

test("whenever the chart is drawn anew so are they, on a cleared canvas as large as the chart; without any the canvas goes", () => {
  const data = [points()];
  const { host, notes, sizes, stop } = drawn(data);
  assert.deepEqual([host.place.children.length, sizes, notes[0]], [1, [[400, 300]], ["clear", "R0,0,400,300"]]);
  notes.length = 0;
  host.acts.plotly_relayouting();
  assert.ok(notes.length > 0);
  data.length = 0;
  host.acts.plotly_afterplot();
  assert.equal(host.place.children.length, 0);
  data.push(points());
  document.fonts.dispatchEvent(new Event("loadingdone"));
  assert.equal(host.place.children.length, 1);
  stop();
  notes.length = 0;
  document.fonts.dispatchEvent(new Event("loadingdone"));
  assert.equal(notes.length, 0);
});

test("plotly.js does not draw the texts again, and gets everything else as it is", () => {
  const line = { type: "scatter", mode: "lines" };
  const [signs, kept] = forPlotly({ data: [points(), line], layout }, decode);
  assert.deepEqual([signs.visible, kept === line], [false, true]);
});
