import { attachClicks } from "../../assets/chart/component.js";
import { createLegend } from "../../assets/chart/legend.js";
import { fitted, heightOf, tools, turnOf, askedHeight } from "../../assets/chart/screen.js";
import { assert, test } from "./testing.js";

// Sizes are told after what waits for a frame.
const settled = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))));

/** A place for a chart, so many px wide and high. */
function chart(width, height) {
  const host = document.body.appendChild(document.createElement("div"));
  Object.assign(host.style, { width: `${width}px`, height: `${height}px` });
  return host;
}

test("a chart is drawn anew when its place has another size, not when it has the same or is folded away, and not when it is gone", async () => {
  const host = chart(300, 100);
  let drawn = 0, size = { width: 300, height: 100 };
  const stop = fitted(host, () => size, () => {
    drawn += 1;
    size = { width: host.clientWidth, height: heightOf(host) };
  });
  const after = async (style) => {
    Object.assign(host.style, style);
    await settled();
    return drawn;
  };
  const sizes = [{}, { width: "301px" }, { width: "350px" }, { height: "150px" }, { display: "none" }, { display: "", width: "250px" }];
  const counts = [];
  for (const size of sizes) counts.push(await after(size));
  assert.deepEqual(counts, [0, 0, 1, 2, 2, 3]); // less than two px are no other size
  stop();
  assert.equal(await after({ width: "100px" }), 3);
});

test("a chart in sight is drawn at once, one below or above it when there is nothing else to do", async () => {
  const late = async (top) => {
    const host = chart(100, 50);
    Object.assign(host.style, { position: "fixed", top: `${top}px` });
    const [idle, wait] = [window.requestIdleCallback, []];
    window.requestIdleCallback = (act, options) => wait.push(options.timeout) && act();
    await turnOf(host);
    window.requestIdleCallback = idle;
    return wait.length > 0;
  };
  assert.deepEqual([await late(0), await late(innerHeight - 1), await late(-49)], [false, false, false]);
  assert.deepEqual([await late(innerHeight + 1), await late(-60)], [true, true]);
});

test("the tools send nothing away, and the picture that is kept is as large as the chart", () => {
  const { modeBarButtonsToRemove, modeBarButtonsToAdd, plotlyServerURL } = tools(() => ({ layout: { width: 640, height: 480 } }), () => "training-loss");
  assert.deepEqual([plotlyServerURL, modeBarButtonsToRemove.includes("sendChartToCloud")], ["", true]);
  let [kept, ground] = [null, null];
  window.Plotly = { downloadImage: ({ layout }, options) => ([kept, ground] = [options, layout.paper_bgcolor]) };
  const host = document.body.appendChild(document.createElement("div"));
  host.style.setProperty("--st-background-color", "rgb(1, 2, 3)");
  const size = { filename: "training-loss", width: 640, height: 480 };
  modeBarButtonsToAdd[0].click(host);
  assert.deepEqual([kept, ground], [{ format: "png", ...size, scale: 2 }, "rgb(1, 2, 3)"], "it has the ground of the page");
  delete window.Plotly;
});

/** A chart that can be clicked. */
function clicked(clickable = true) {
  const host = document.createElement("div");
  const told = [];
  let click = null;
  host.classList.toggle("clickable", clickable);
  host.on = (event, act) => (click = act);
  attachClicks(host, (what) => told.push(what));
  const point = { customdata: "head 2" };
  const act = (type, more = {}) => host.dispatchEvent(new (type === "mousedown" ? MouseEvent : PointerEvent)(type, more));
  return { host, told, act, press: () => click({ points: [point] }) };
}

// What comes before a press on a point, and whether the press tells the point's name.
const PRESSES = {
  "a click tells the point's name at once": [["pointerdown", ["mousedown", { detail: 1 }]], true],
  "a finger that scrolls the page chooses nothing": [["pointerdown", "pointercancel"], false],
  "the next one that taps does": [["pointerdown", "pointercancel", "pointerdown"], true],
  "the second click of a double one tells nothing": [[["mousedown", { detail: 2 }]], false],
  "nor does one in a chart in which nothing is to be chosen": [[], false, false],
};
for (const [fact, [acts, tells, clickable]] of Object.entries(PRESSES)) {
  test(fact, () => {
    const { told, act, press } = clicked(clickable);
    for (const one of acts) act(...[one].flat());
    press();
    return [told, tells ? [{ name: "head 2" }] : []];
  });
}

const layout = { showlegend: true, margin: { l: 30 }, font: { size: 13 }, legend: {} };
const traces = [
  { name: "head 0", type: "bar", marker: { color: "#111111" } },
  { name: "head 1", type: "bar", marker: { color: "#222222" } },
  { name: "sum", type: "scatter", mode: "lines", line: { color: "#333333", width: 2, dash: "dash" } },
];

/** A legend above a chart: its buttons, what of the traces is hidden, and how often the chart was drawn anew. */
function standing(data = traces, more = {}) {
  const host = document.body.appendChild(document.createElement("div"));
  const stand = { host, drawn: 0 };
  stand.legend = createLegend(host, () => (stand.drawn += 1));
  stand.show = (shown, about = {}) => stand.legend.show({ data: shown, layout: { ...layout, ...about } });
  stand.room = stand.show(data, more);
  stand.buttons = () => [...host.querySelectorAll("button")];
  stand.pressed = () => stand.buttons().map((button) => button.getAttribute("aria-pressed")).join();
  stand.hidden = (all = data) => stand.legend.chosen(all).filter(({ visible }) => visible === "legendonly").map(({ name }) => name);
  return stand;
}

test("a name hides what it names and shows it again; other traces are handed on as they are", () => {
  const stand = standing();
  const after = (act = () => {}) => (act(), [stand.hidden(), stand.pressed(), stand.drawn]);
  const press = () => stand.buttons()[1].click();
  assert.deepEqual([after(), after(press)], [[[], "true,true,true", 0], [["head 1"], "true,false,true", 1]]);
  assert.ok(stand.legend.chosen(traces)[0] === traces[0]);
  assert.deepEqual(after(press), [[], "true,true,true", 2]);
});

test("traces of one group go and come with one name", () => {
  const data = [{ ...traces[0], legendgroup: "all" }, { ...traces[1], legendgroup: "all", showlegend: false }, traces[2]];
  const stand = standing(data);
  assert.deepEqual(stand.buttons().map(({ textContent }) => textContent), ["head 0", "sum"]);
  stand.buttons()[0].click();
  assert.deepEqual(stand.hidden(), ["head 0", "head 1"]);
});

test("a chart drawn with other numbers keeps its buttons and what they hide; with other names, what they hide", () => {
  const stand = standing();
  const [first] = stand.buttons();
  first.click();
  stand.show(traces.map((trace) => ({ ...trace, y: [1, 2] })));
  assert.ok(stand.buttons()[0] === first);
  stand.show([traces[2], traces[0]]);
  assert.deepEqual([stand.pressed(), stand.hidden()], ["true,false", ["head 0"]]);
  stand.show([{ ...traces[0], marker: { color: "#444444" } }, traces[2]]);
  assert.equal(stand.host.querySelector("rect").getAttribute("fill"), "#444444", "in the dark it has another colour");
});

test("the names take room above the chart, and none where there are none", () => {
  const stand = standing();
  const place = stand.host.querySelector(".names");
  assert.equal(stand.room, place.offsetHeight + 8);
  assert.deepEqual([place.style.left, place.style.fontSize, stand.host.firstElementChild === place], ["30px", "13px", true]);
  stand.show(traces, { legend: { font: { size: 10 } } });
  assert.equal(place.style.fontSize, "10px");
  assert.deepEqual([stand.show(traces, { showlegend: false }), stand.host.children.length], [0, 0]);
  assert.ok(stand.show(traces) > 0);
  assert.equal(stand.buttons().length, 3);
});

test("by keyboard the names are one stop, arrows go from name to name and end at the last", () => {
  const stand = standing();
  const press = (key) => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  const state = () => [stand.buttons().indexOf(document.activeElement), stand.buttons().map(({ tabIndex }) => tabIndex).join()];
  stand.buttons()[0].focus();
  const after = (...keys) => {
    keys.forEach(press);
    return state();
  };
  assert.deepEqual(after("ArrowLeft"), [0, "0,-1,-1"]);
  assert.deepEqual(after("ArrowRight", "ArrowRight", "ArrowRight"), [2, "-1,-1,0"]);
  assert.deepEqual(after("ArrowLeft", "Home", "a"), [1, "-1,0,-1"]);
});

test("the sign before a name is what stands for its trace in the chart", () => {
  const partsOf = (trace) => {
    const stand = standing([{ name: "one", ...trace }]);
    return [...stand.host.querySelector("svg").children];
  };
  const signs = (trace) => partsOf(trace).map((part) => [part.tagName, ...["fill", "stroke", "stroke-dasharray", "opacity"].map((key) => part.getAttribute(key))]);
  const outlineOf = (trace) => partsOf(trace)[0].getAttribute("d");
  const [dark, light] = ["#000000", "#ffffff"];
  assert.deepEqual(signs({ type: "bar", marker: { color: dark, opacity: 0.5 } }), [["rect", dark, null, null, "0.5"]]);
  assert.deepEqual(signs({ mode: "lines", line: { color: dark, width: 2, dash: "dot" } }), [["path", null, dark, "2 3", null]]);
  const area = { mode: "lines", fill: "toself", fillcolor: light, opacity: 0.2, line: { width: 0 } };
  const both = { mode: "lines+markers", line: { color: dark, width: 1 }, marker: { color: light, symbol: "diamond" } };
  assert.deepEqual([signs(area), signs(both)], [[["rect", light, null, null, "0.2"]], [["path", null, dark, null, null], ["path", light, null, null, null]]]);
  assert.equal(outlineOf({ mode: "markers", marker: { size: [0, 8] } }), outlineOf({ mode: "markers", marker: { size: 8 } }));
  assert.deepEqual(signs({ mode: "markers", marker: { symbol: "x", line: { color: light } } }), [["path", null, light, null, null]]);
});

const wide = { height: 560, margin: { l: 36, r: 8, t: 52, b: 28 } };

test("a plane with equal scales is no higher than its width can fill, other charts have the height they ask for", () => {
  const asked = (clientWidth, yaxis) => askedHeight({ clientWidth }, { ...wide, yaxis });
  const plane = { scaleanchor: "x" };
  return [[asked(358, plane), asked(900, plane), asked(358, {})], [358 - 36 - 8 + 52 + 28, 560, 560]];
});
