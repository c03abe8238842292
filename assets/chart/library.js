// plotly.js leaves itself in window.Plotly; the server gives its URL below the app's own (attention_ui/server.py).
const APP = "../../../";
// The board's files are served beside those of the charts.
const BOARD = "../attention-lab.board/";

const NAMES = ["canvas", "decode", "colours", "numbers"];

/** plotly.js, and the functions by which the board writes numbers, once they are there. */
export async function loadPlotly(file) {
  const paths = [`${APP}${file}`, ...NAMES.map((name) => `${BOARD}${name}.js`)];
  try {
    const [, ...modules] = await Promise.all(paths.map((path) => import(new URL(path, import.meta.url).href)));
    return { Plotly: window.Plotly, board: Object.assign({}, ...modules) };
  } catch {
    throw new Error("This chart could not be drawn: plotly.js did not load. Reload the page.");
  }
}
