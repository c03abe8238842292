/*
 * What is faster drawn on a canvas than by plotly.js, which makes an element of the page of each: the numbers beside bars,
 * and stacked bars.
 */
import { columnsOf, isStacked, paintStacked } from "./bars.js";
import { MIDDLE, planeOf, writeWords } from "./paper.js";

/** The traces of a figure for plotly.js, without what is drawn here. */
export function forPlotly({ data, layout }, board) {
  if (isStacked(layout)) return [columnsOf(data, board)];
  return data.map((trace) => (isWritten(trace) ? { ...trace, visible: false } : trace));
}

/**
 * Whenever the chart is drawn, write the texts of traces that are nothing but texts, and draw stacked bars.
 *
 * figure(): what is drawn. board: the functions by which the board reads its numbers. Gives back how to stop.
 */
export function attachTexts(host, figure, board) {
  const paper = document.createElement("canvas");
  paper.className = "canvas-texts";
  const write = () => {
    const { data, layout } = figure();
    const [written, stacked] = [data.filter(isWritten), isStacked(layout)];
    if (!written.length && !stacked) {
      paper.remove();
      return;
    }
    const { width, height } = host._fullLayout;
    host.querySelector(".gl-container").append(paper); // above the chart, below what shows when one points at it
    const context = board.sizeCanvas(paper, width, height);
    context.clearRect(0, 0, width, height);
    if (stacked) paintStacked(context, host, data, layout, board);
    for (const trace of written) writePoints(context, trace, host, layout, board);
  };
  for (const event of ["plotly_afterplot", "plotly_relayouting"]) host.on(event, write);
  document.fonts.addEventListener("loadingdone", write);
  write();
  return () => document.fonts.removeEventListener("loadingdone", write);
}

function isWritten({ type, mode }) {
  return type === "scatter" && mode === "text";
}

// Write the texts of a trace at its points, to the left of them or to the right.
function writePoints(context, trace, host, layout, { floatsOf }) {
  const { xaxis, yaxis } = planeOf(host, trace);
  const [xs, ys] = [trace.x, trace.y].map((places) => (places.bdata ? floatsOf(places.bdata) : places));
  const { size } = trace.textfont;
  context.textAlign = trace.textposition.endsWith("left") ? "right" : "left";
  context.fillStyle = trace.textfont.color ?? layout.font.color;
  for (const [i, text] of trace.text.entries()) {
    writeWords(context, text, size, layout.font.family, xaxis._offset + xaxis.l2p(xs[i]), yaxis._offset + yaxis.l2p(ys[i]) + MIDDLE * size);
  }
}
