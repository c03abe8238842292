// Streamlit brings plotly.js in a file of its own, which leaves it in window.Plotly; only the file's name depends on the version.
const FOLDER = "../../../static/js/";

/** plotly.js, once it is there. */
export async function loadPlotly(file) {
  try {
    await import(new URL(FOLDER + file, import.meta.url).href);
    return window.Plotly;
  } catch {
    throw new Error("This chart could not be drawn: plotly.js did not load. Reload the page.");
  }
}
