/** Report clicked points: act({name}). The second click of a double click, and a finger that scrolls, are ignored. */
export function attachClicks(host, act) {
  let pressed = true, clicks = 1;
  host.addEventListener("pointerdown", () => (pressed = true), true);
  host.addEventListener("pointercancel", () => (pressed = false), true);
  host.addEventListener("mousedown", ({ detail }) => (clicks = detail), true);
  host.on("plotly_click", ({ points: [point] }) => {
    if (host.classList.contains("clickable") && pressed && clicks < 2) act({ name: point.customdata });
  });
}
