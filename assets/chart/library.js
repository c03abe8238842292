// plotly.js leaves itself in window.Plotly; the server gives its URL below the app's own (attention_ui/server.py).
const APP = "../../../";
/** plotly.js, once it is there. */
export async function loadPlotly(file) {
  try {
    await import(new URL(`${APP}${file}`, import.meta.url).href);
    return window.Plotly;
  } catch {
    throw new Error("This chart could not be drawn: plotly.js did not load. Reload the page.");
  }
}
