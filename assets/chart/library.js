// Streamlit brings plotly.js in a file of its own, which leaves it in window.Plotly; only the file's name depends on the version.
const FOLDER = "../../../static/js/";
// The board's files are served beside those of the charts.
const BOARD = "../attention-lab.board/";

/** plotly.js, and the functions by which the board writes numbers, once they are there. */
export async function loadPlotly(file) {
  try {
    const [decode, colours, numbers] = await Promise.all(
      [`${FOLDER}${file}`, ...["decode", "colours", "numbers"].map((name) => `${BOARD}${name}.js`)].map(
        (path) => import(new URL(path, import.meta.url).href),
      ),
    ).then(([, ...modules]) => modules);
    return { Plotly: window.Plotly, board: { ...decode, ...colours, ...numbers } };
  } catch {
    throw new Error("This chart could not be drawn: plotly.js did not load. Reload the page.");
  }
}
