const PATIENCE = 300; // ms in which plotly.js takes a second click for a double one

/**
 * Tell of clicked points: act({name}).
 *
 * A double click shows a zoomed chart whole and is no choice of a point. Only there a click waits whether another follows.
 */
export function attachClicks(host, layout, act) {
  let pressed = true, clicks = 1, waiting = 0;
  // A finger that scrolls the page chooses nothing.
  host.addEventListener("pointerdown", () => (pressed = true), true);
  host.addEventListener("pointercancel", () => (pressed = false), true);
  const count = ({ detail }) => {
    clicks = detail;
    if (clicks > 1) clearTimeout(waiting);
  };
  host.addEventListener("mousedown", count, true);
  host.on("plotly_click", ({ points: [point] }) => {
    if (!host.classList.contains("clickable") || !pressed || clicks > 1) return;
    const clicked = { name: point.customdata };
    if (isZoomed(host, layout())) waiting = setTimeout(act, PATIENCE, clicked);
    else act(clicked);
  });
}

function isZoomed({ _fullLayout: drawn }, given) {
  const axes = Object.keys(given).filter((name) => /^[xy]axis\d*$/.test(name) && drawn[name]?.range);
  return axes.some((name) => {
    const [{ range: wanted }, { range, autorange }] = [given[name], drawn[name]];
    return wanted ? wanted.some((end, i) => Math.abs(end - range[i]) > 1e-6) : !autorange;
  });
}
