/*
 * What stands around the cells of a heatmap: a frame around it and around the cell in focus, its title, and the scale of
 * its colours. plotly.js takes half of the time of a picture of many tiles for them, so they are drawn here.
 */

const ABOVE = 7; // px from the cells up to the line on which a title stands
const BESIDE = 4; // px from the cells to their scale, and from the scale to its numbers
const MIDDLE = 0.35; // from the middle of a sign down to the line it stands on, as a part of its height

/** A layout without what is drawn here. */
export function withoutAround(layout) {
  const { shapes = [], annotations = [], coloraxis } = layout;
  return {
    ...layout,
    shapes: shapes.filter((shape) => !isFrame(shape)),
    annotations: annotations.filter((word) => !isTitle(word)),
    showlegend: false,
    ...(coloraxis && { coloraxis: { ...coloraxis, showscale: false } }),
  };
}

/** A layout as plotly.js has it, with what was drawn here, for a picture that plotly.js makes. */
export function withAround(drawn, { shapes, annotations, coloraxis, showlegend, margin }) {
  const height = drawn.height + margin.t - drawn.margin.t;
  return { ...drawn, shapes, annotations, showlegend, margin, height, ...(coloraxis && { coloraxis }) };
}

/** Draw the frames, the titles and the scale that a layout tells of. */
export function paintAround(context, host, layout, board) {
  const { shapes = [], annotations = [], coloraxis, font } = layout;
  for (const frame of shapes.filter(isFrame)) paintFrame(context, planeOf(host, { xaxis: frame.xref, yaxis: frame.yref }), frame);
  context.textAlign = "left";
  for (const title of annotations.filter(isTitle)) {
    const [xaxis, yaxis] = [title.xref, title.yref].map((ref) => ref.split(" ")[0]);
    const plane = planeOf(host, { xaxis, yaxis });
    context.fillStyle = title.font.color;
    writeWords(context, title.text, title.font.size, font.family, plane.xaxis._offset, plane.yaxis._offset - ABOVE);
  }
  if (coloraxis) paintScale(context, host, layout, board);
}

/** What plotly.js knows of the plane of a trace: its two axes. */
export function planeOf({ _fullLayout: drawn }, trace) {
  return drawn._plots[`${trace.xaxis ?? "x"}${trace.yaxis ?? "y"}`];
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

/** Write a text, all of it bold if some of it stands in <b>. */
export function writeWords(context, text, size, family, x, y) {
  const words = text.replace(/<\/?b>/g, "");
  context.font = `${words === text ? "" : "bold "}${size}px ${family}`;
  context.fillText(words, x, y);
}

function isFrame({ type }) {
  return type === "rect";
}

function isTitle({ yref }) {
  return Boolean(yref?.endsWith(" domain"));
}

function paintFrame(context, plane, { x0, x1, y0, y1, line }) {
  const [left, right] = [x0, x1].map((at) => Math.round(plane.xaxis._offset + plane.xaxis.l2p(at)));
  const [top, bottom] = [y0, y1].map((at) => Math.round(plane.yaxis._offset + plane.yaxis.l2p(at)));
  onPlane(context, plane, () => {
    context.strokeStyle = line.color;
    context.lineWidth = line.width;
    context.strokeRect(left, top, right - left, bottom - top);
  });
}

// The colours from the largest number down to the least, with round numbers beside them.
function paintScale(context, { _fullLayout: drawn }, { coloraxis, font }, { shadesOf }) {
  const { cmin, cmax, colorscale, colorbar } = coloraxis;
  const { thickness, len, nticks, tickfont } = colorbar;
  const { l, t, w } = drawn._size;
  const [left, size] = [l + w + BESIDE, tickfont.size];
  const shades = shadesOf(colorscale);
  const fill = context.createLinearGradient(0, t + len, 0, t);
  for (let i = 0; i < shades.length; i += 3) fill.addColorStop(i / (shades.length - 3), `rgb(${shades.slice(i, i + 3).join(",")})`);
  context.fillStyle = fill;
  context.fillRect(left, t, thickness, len);
  context.fillStyle = font.color;
  context.font = `${size}px ${font.family}`;
  for (const value of roundNumbers(cmin, cmax, nticks)) {
    const y = t + (len * (cmax - value)) / (cmax - cmin);
    context.fillText(briefly(value), left + thickness + BESIDE, Math.max(t + 0.7 * size, y + MIDDLE * size));
  }
}

/** At most so many round numbers from one number to a larger one: multiples of 1, 2 or 5 times a power of ten. */
export function roundNumbers(low, high, most) {
  const power = 10 ** Math.floor(Math.log10((high - low) / most));
  const countOf = (step) => Math.floor(high / step) - Math.ceil(low / step) + 1;
  const step = [1, 2, 5, 10].map((part) => part * power).find((one) => countOf(one) <= most) ?? 20 * power;
  return Array.from({ length: countOf(step) }, (_, i) => (Math.ceil(low / step) + i) * step);
}

/** A round number without needless signs, such as 0.2, −5 or 3e+7. */
export function briefly(value) {
  const rounded = Number(value.toPrecision(6)); // 3 · 0.1 is not 0.3
  const size = Math.abs(rounded);
  const text = size && (size < 1e-4 || size >= 1e5) ? rounded.toExponential() : String(rounded || 0);
  return text.replaceAll("-", "−");
}
