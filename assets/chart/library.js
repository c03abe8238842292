// plotly.js sets window.Plotly; its URL is relative to that of the app (attention_ui/browser_files.py).
const APP = "../../../";
/** plotly.js, when it has loaded. */
export async function loadPlotly(file) {
  try {
    await import(new URL(`${APP}${file}`, import.meta.url).href);
    return window.Plotly;
  } catch {
    throw new Error("This chart could not be drawn: plotly.js did not load. Reload the page.");
  }
}
