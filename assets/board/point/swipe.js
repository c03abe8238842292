// A finger drawn across the page turns the steps.

const LEAST_WAY = 60; // px
const STEEPEST = 0.5; // of the way across

/** Call turn(1) when a finger is drawn to the left, turn(−1) to the right, but not over what is scrolled or drawn on. */
export function attachSwipe(root, turn) {
  let from = null;
  root.addEventListener("touchstart", (event) => {
    const [finger] = event.touches;
    from = event.touches.length === 1 && !movesByTouch(event) ? { x: finger.clientX, y: finger.clientY } : null;
  }, { passive: true });
  root.addEventListener("touchend", (event) => {
    if (!from) return;
    const [finger] = event.changedTouches;
    const [across, down] = [finger.clientX - from.x, finger.clientY - from.y];
    from = null;
    if (Math.abs(across) >= LEAST_WAY && Math.abs(down) <= STEEPEST * Math.abs(across)) turn(across < 0 ? 1 : -1);
  }, { passive: true });
}

// Sliders, fields, matrices, over which a finger looks at cells, and parts that are wider than their place.
function movesByTouch(event) {
  return event.composedPath().some((one) => one instanceof Element && (one.matches("input, select, .panel, .strip .steps") || scrollsAcross(one)));
}

function scrollsAcross(part) {
  return part.scrollWidth > part.clientWidth + 1 && ["auto", "scroll"].includes(getComputedStyle(part).overflowX);
}
