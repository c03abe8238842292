// The tools above a chart, and its size on the page and on the whole screen.

const ICONS = {
  corners: "M3 3h7v3H6v4H3zM14 3h7v7h-3V6h-4zM3 14h3v4h4v3H3zM18 14h3v7h-7v-3h4z", // the usual sign of full screen
  picture: "M3 4h18v16H3zm2 2v9l4-5 4 5 2-2.5 4 5V6zm9 1.5a1.75 1.75 0 1 1 0 3.5 1.75 1.75 0 0 1 0-3.5z", // a hill and a sun in a frame
};
const MAX_WAIT = 500; // ms
const SHARPNESS = 2; // dots for each px, enough for a slide

const iconOf = (name) => ({ width: 24, height: 24, path: ICONS[name] });

function turnFull(host) {
  if (document.fullscreenElement) document.exitFullscreen();
  else host.requestFullscreen();
}

/**
 * The tools above a chart, only with a pointer that can hover: on a phone they would cover the picture.
 *
 * picture(): the data and the layout of the image file; name(): what it is called.
 */
export function tools(picture, name) {
  // The picture gets the background of the page: without one it could not be read on paper of another colour.
  const keep = (host) => {
    const { data, layout } = picture();
    const paper_bgcolor = getComputedStyle(host).getPropertyValue("--st-background-color") || "white";
    const { width, height } = layout;
    return window.Plotly.downloadImage({ data, layout: { ...layout, paper_bgcolor } }, { format: "png", filename: name(), width, height, scale: SHARPNESS });
  };
  return {
    displayModeBar: matchMedia("(hover: hover)").matches ? "hover" : false,
    displaylogo: false,
    plotlyServerURL: "", // nothing leaves the machine
    modeBarButtonsToRemove: ["sendChartToCloud", "toImage", "select2d", "lasso2d", "autoScale2d", "zoomIn2d", "zoomOut2d"],
    modeBarButtonsToAdd: [
      { name: "keep", title: "Keep as a picture", icon: iconOf("picture"), click: keep },
      { name: "full", title: "Full screen", icon: iconOf("corners"), click: turnFull },
    ],
  };
}

/** Wait until a chart is to be drawn: at once if it is in sight, else when the browser is idle. */
export async function turnOf(host) {
  const { top, bottom } = host.getBoundingClientRect();
  if (bottom >= 0 && top <= innerHeight) return;
  await new Promise((resolve) => (globalThis.requestIdleCallback ?? setTimeout)(resolve, { timeout: MAX_WAIT }));
}

/** The height in px of a figure; a plane with equal scales is no higher than its width can fill. */
export function askedHeight({ clientWidth }, { height, yaxis, margin: { l, r, t, b } }) {
  return yaxis?.scaleanchor ? Math.min(height, clientWidth - l - r + t + b) : height;
}

/** The height in px of a chart: in full screen that of the screen. */
export function heightOf(host) {
  return document.fullscreenElement === host ? window.innerHeight : Number.parseFloat(host.style.height);
}

/** Keep a chart as large as its place or the screen. size(): the size in which it was drawn; draw(): draws it anew. Gives a function that stops this. */
export function fitted(host, size, draw) {
  const fit = () => {
    if (!host.clientWidth) return; // in a closed part of the page
    const { width, height } = size();
    if (Math.abs(height - heightOf(host)) > 1 || Math.abs(width - host.clientWidth) > 1) draw();
  };
  const watch = new ResizeObserver(fit);
  watch.observe(host);
  return () => watch.disconnect();
}
