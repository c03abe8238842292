/*
 * Bars that are stacked, and the ticks on them, drawn on the canvas: plotly.js makes an element of each of 960 bars, which
 * takes two thirds of the time of their chart. It gets one bar for a whole column, which is not seen and tells its parts.
 */
import { onPlane, planeOf } from "./paper.js";

/** Whether a chart is of stacked bars. */
export function isStacked({ barmode }) {
  return barmode === "relative";
}

/** The columns of stacked bars as one trace that is not seen; what points at one reads all of its parts. */
export function columnsOf(data, { floatsOf, number }) {
  const { tops, bottoms } = stackOf(data, floatsOf);
  const parts = data.filter(isShown).map((trace) => ({ name: trace.name, values: valuesOf(trace, floatsOf), colour: inkOf(trace) }));
  const texts = tops.map((_, i) =>
    parts.map(({ name, values, colour }) => `<span style="color:${colour}">■</span> ${name}: <b>${number(values[i], 4)}</b>`).join("<br>"),
  );
  return {
    type: "bar",
    x: data[0].x,
    base: bottoms,
    y: tops.map((top, i) => top - bottoms[i]),
    opacity: 0,
    text: texts,
    textposition: "none",
    hovertemplate: "%{x}<br>%{text}<extra></extra>",
  };
}

/** Draw the bars one on the other, away from zero, and each tick of a trace of markers. */
export function paintStacked(context, host, data, { bargap }, { floatsOf }) {
  const plane = planeOf(host, {});
  const { xaxis, yaxis } = plane;
  const [left, heightOf] = [(i) => xaxis._offset + xaxis.l2p(i), (value) => yaxis._offset + yaxis.l2p(value)];
  const wide = (1 - bargap) * (left(1) - left(0));
  onPlane(context, plane, () => {
    for (const { trace, i, from, to } of stackOf(data, floatsOf).bars) {
      context.fillStyle = inkOf(trace);
      context.fillRect(left(i) - wide / 2, heightOf(from), wide, heightOf(to) - heightOf(from));
    }
    for (const trace of data.filter((one) => isShown(one) && one.type !== "bar")) {
      const { size, line } = trace.marker;
      context.fillStyle = line.color;
      for (const [i, value] of valuesOf(trace, floatsOf).entries())
        context.fillRect(left(i) - size / 2, heightOf(value) - line.width / 2, size, line.width);
    }
  });
}

function isShown({ visible }) {
  return visible !== "legendonly";
}

function inkOf({ marker }) {
  return marker.color ?? marker.line.color;
}

function valuesOf({ y }, floatsOf) {
  return y.bdata ? floatsOf(y.bdata) : y;
}

// Where each bar begins and ends, and where each column does.
function stackOf(data, floatsOf) {
  const [tops, bottoms, bars] = [data[0].x.map(() => 0), data[0].x.map(() => 0), []];
  for (const trace of data.filter((one) => isShown(one) && one.type === "bar")) {
    for (const [i, value] of valuesOf(trace, floatsOf).entries()) {
      const ends = value < 0 ? bottoms : tops;
      bars.push({ trace, i, from: ends[i], to: ends[i] + value });
      ends[i] += value;
    }
  }
  return { tops, bottoms, bars };
}
