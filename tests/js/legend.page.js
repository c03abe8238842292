import { createLegend } from "../../assets/chart/legend.js";
import { assert, test } from "./testing.js";

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
  assert.deepEqual([stand.hidden(), stand.pressed()], [[], "true,true,true"]);
  stand.buttons()[1].click();
  assert.deepEqual([stand.hidden(), stand.pressed(), stand.drawn], [["head 1"], "true,false,true", 1]);
  assert.ok(stand.legend.chosen(traces)[0] === traces[0]);
  stand.buttons()[1].click();
  assert.deepEqual([stand.hidden(), stand.pressed(), stand.drawn], [[], "true,true,true", 2]);
  stand.host.remove();
});

test("traces of one group go and come with one name", () => {
  const data = [{ ...traces[0], legendgroup: "all" }, { ...traces[1], legendgroup: "all", showlegend: false }, traces[2]];
  const stand = standing(data);
  assert.deepEqual(stand.buttons().map(({ textContent }) => textContent), ["head 0", "sum"]);
  stand.buttons()[0].click();
  assert.deepEqual(stand.hidden(), ["head 0", "head 1"]);
  stand.host.remove();
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
  stand.host.remove();
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
  stand.host.remove();
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
  stand.host.remove();
});

test("the sign before a name is what stands for its trace in the chart", () => {
  const signs = (trace) => {
    const stand = standing([{ name: "one", ...trace }]);
    stand.host.remove();
    const keys = ["fill", "stroke", "stroke-dasharray", "opacity"];
    return [...stand.host.querySelector("svg").children].map((part) => [part.tagName, ...keys.map((key) => part.getAttribute(key))]);
  };
  const [dark, light] = ["#000000", "#ffffff"];
  assert.deepEqual(signs({ type: "bar", marker: { color: dark, opacity: 0.5 } }), [["rect", dark, null, null, "0.5"]]);
  assert.deepEqual(signs({ mode: "lines", line: { color: dark, width: 2, dash: "dot" } }), [["path", null, dark, "2 3", null]]);
  const area = { mode: "lines", fill: "toself", fillcolor: light, opacity: 0.2, line: { width: 0 } };
  assert.deepEqual(signs(area), [["rect", light, null, null, "0.2"]]);
  const both = { mode: "lines+markers", line: { color: dark, width: 1 }, marker: { color: light, symbol: "diamond" } };
  assert.deepEqual(signs(both), [["path", null, dark, null, null], ["path", light, null, null, null]]);
  assert.deepEqual(signs({ mode: "markers", marker: { symbol: "x", line: { color: light } } }), [["path", null, light, null, null]]);
});
