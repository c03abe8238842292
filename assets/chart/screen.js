// Four corners, as on other buttons of this kind.
const CORNERS = {
  width: 24,
  height: 24,
  path: "M3 3h7v3H6v4H3zM14 3h7v7h-3V6h-4zM3 14h3v4h4v3H3zM18 14h3v7h-7v-3h4z",
};

function turnFull(host) {
  if (document.fullscreenElement) document.exitFullscreen();
  else host.requestFullscreen();
}

/** The tools above a chart: where there is a pointer that can hover, since they would cover a small picture. */
export const CONFIG = {
  displayModeBar: matchMedia("(hover: hover)").matches ? "hover" : false,
  displaylogo: false,
  plotlyServerURL: "", // nothing leaves the machine
  modeBarButtonsToRemove: ["sendChartToCloud", "select2d", "lasso2d", "autoScale2d", "zoomIn2d", "zoomOut2d"],
  modeBarButtonsToAdd: [{ name: "full", title: "Full screen", icon: CORNERS, click: turnFull }],
  toImageButtonOptions: { format: "svg" },
};

/** Keep a chart as large as its place, or as the screen: draw(height) draws it anew. Gives back how to stop. */
export function fitted(host, draw) {
  const fit = () => {
    const full = document.fullscreenElement === host;
    const height = full ? window.innerHeight : Number.parseFloat(host.style.height);
    if (!host.clientWidth) return; // in a part of the page that is folded away
    const { width, height: drawn } = host._fullLayout;
    if (Math.abs(drawn - height) > 1 || Math.abs(width - host.clientWidth) > 1) draw(height);
  };
  const watch = new ResizeObserver(fit);
  watch.observe(host);
  return () => watch.disconnect();
}
