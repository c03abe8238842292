const STEP = 512; // px

/**
 * Give a canvas a size in px, as sharp as the screen is; gives what draws on it.
 *
 * It holds more lines than it shows: another number of them costs a new canvas.
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
