/*
 * The legend above a chart: names as buttons that hide and show lines or bars, by mouse, finger or keyboard. The legend of
 * plotly.js cannot be reached by keys, and takes a third of the time of a chart with many names.
 */

const BELOW = 8; // px between the names and the chart
const WIDE = 24, NARROW = 14, HIGH = 14; // px of the sign before a name: of a line, of others, and the height
const DASHES = { dash: "6 4", dot: "2 3", dashdot: "6 3 2 3" };
const TURNS = { ArrowRight: 1, ArrowLeft: -1 };

/** The legend of a chart's traces; redraw() is called when a name is pressed. Traces of one group share a name. */
export function createLegend(host, redraw) {
  const place = document.createElement("div");
  place.className = "names";
  place.setAttribute("role", "toolbar");
  place.setAttribute("aria-label", "Legend: pressed names are shown");
  const hidden = new Set();
  let shown = "";

  const press = (button, group) => {
    if (!hidden.delete(group)) hidden.add(group);
    button.setAttribute("aria-pressed", !hidden.has(group));
    redraw();
  };
  const buttonOf = (trace, i) => {
    const button = document.createElement("button");
    button.tabIndex = i ? -1 : 0;
    button.setAttribute("aria-pressed", !hidden.has(groupOf(trace)));
    button.append(signOf(trace), trace.name);
    button.addEventListener("click", () => press(button, groupOf(trace)));
    return button;
  };
  place.addEventListener("keydown", ({ key }) => moveAlong(place, TURNS[key]));

  return {
    /** Show the names of a figure; gives their height in px, 0 without names. */
    show({ data, layout }) {
      const named = layout.showlegend ? data.filter(({ showlegend }) => showlegend !== false) : [];
      const text = JSON.stringify(named.map(({ name, marker, line, mode }) => [name, marker, line, mode]));
      if (text !== shown) place.replaceChildren(...named.map(buttonOf));
      shown = text;
      if (!named.length) {
        place.remove();
        return 0;
      }
      if (!place.isConnected) host.prepend(place); // below the hover texts of plotly.js
      Object.assign(place.style, { left: `${layout.margin.l}px`, fontSize: `${(layout.legend.font ?? layout.font).size}px` });
      return place.offsetHeight + BELOW;
    },
    /** The traces, with those hidden whose name is not pressed. */
    chosen: (data) => data.map((trace) => (hidden.has(groupOf(trace)) ? { ...trace, visible: "legendonly" } : trace)),
  };
}

// Move the keyboard's focus to the next or previous name.
function moveAlong(place, turn) {
  const buttons = [...place.children];
  const next = turn && buttons[buttons.indexOf(place.getRootNode().activeElement) + turn];
  if (!next) return;
  for (const button of buttons) button.tabIndex = button === next ? 0 : -1;
  next.focus();
}

function groupOf({ legendgroup, name }) {
  return legendgroup ?? name;
}

// The sign of a trace: a bar, an area, a line, a marker, or a line with a marker.
function signOf({ type, mode = "", marker = {}, line = {}, fill, fillcolor, opacity = 1 }) {
  const width = mode.includes("lines") ? WIDE : NARROW;
  const sign = element("svg", { width, height: HIGH, viewBox: `${-width / 2} ${-HIGH / 2} ${width} ${HIGH}`, "aria-hidden": true });
  if (type === "bar") sign.append(element("rect", { x: -6, y: -6, width: 12, height: 12, fill: marker.color, opacity: marker.opacity }));
  if (fill) sign.append(element("rect", { x: -10, y: -6, width: 20, height: 12, fill: fillcolor, opacity }));
  if (mode.includes("lines") && line.width)
    sign.append(element("path", { d: "M-12 0H12", stroke: line.color, "stroke-width": line.width, "stroke-dasharray": DASHES[line.dash] }));
  if (mode.includes("markers")) sign.append(markerOf(marker));
  return sign;
}

function markerOf({ symbol = "circle", size = 6, color, opacity, line = {} }) {
  const largest = Math.max(...[size].flat()); // each point may have its own
  const r = Math.min(largest, HIGH - 2) / 2;
  const outlines = {
    circle: `M${-r} 0A${r} ${r} 0 1 0 ${r} 0A${r} ${r} 0 1 0 ${-r} 0`,
    square: `M${-r} ${-r}H${r}V${r}H${-r}Z`,
    diamond: `M0 ${-1.3 * r}L${1.3 * r} 0L0 ${1.3 * r}L${-1.3 * r} 0Z`,
    "triangle-up": `M0 ${-r}L${r} ${0.8 * r}H${-r}Z`,
  };
  const strokes = {
    x: `M${-r} ${-r}L${r} ${r}M${-r} ${r}L${r} ${-r}`,
    "line-ew": `M${-r} 0H${r}`,
  };
  if (symbol in strokes) return element("path", { d: strokes[symbol], stroke: line.color ?? color, "stroke-width": line.width ?? 0.8 * r });
  return element("path", { d: outlines[symbol] ?? outlines.circle, fill: color, opacity });
}

function element(name, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) if (value !== undefined) made.setAttribute(key, value);
  return made;
}
