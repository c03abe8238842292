const STEP = 512; // px

/**
 * Give a canvas a size in px and the resolution of the screen; gives its context.
 *
 * It holds more lines than it shows, because changing their number costs a new canvas.
 */
export function sizeCanvas(canvas, width, height) {
  const ratio = Math.min(window.devicePixelRatio || 1, 3);
  const [wide, high] = [Math.round(width * ratio), Math.round(STEP * Math.ceil(height / STEP) * ratio)];
  if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high];
  Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}
