/* What all that is drawn on a chart's canvas needs: the planes of plotly.js, and words. */

/** From the middle of a sign down to the line it stands on, as a part of its height. */
export const MIDDLE = 0.35;

/** What plotly.js knows of the plane of a trace: its two axes. */
export function planeOf({ _fullLayout: drawn }, { xaxis = "x", yaxis = "y" }) {
  return drawn._plots[xaxis + yaxis];
}

/** Draw on the part of a plane that is in view, and on nothing else. */
export function onPlane(context, { xaxis, yaxis }, draw) {
  context.save();
  context.beginPath();
  context.rect(xaxis._offset, yaxis._offset, xaxis._length, yaxis._length);
  context.clip();
  draw();
  context.restore();
}

/** Write a text, all of it bold if some of it stands in <b>; what was markup to plotly.js is a sign here. */
export function writeWords(context, text, size, family, x, y) {
  const words = text.replace(/<\/?b>/g, "");
  context.font = `${words === text ? "" : "bold "}${size}px ${family}`;
  context.fillText(words.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&"), x, y);
}
