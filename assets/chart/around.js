/*
 * What stands around the cells of a heatmap: a frame around it and around the cell in focus, its title, the names of its
 * rows and columns, and the scale of its colours. plotly.js takes more than half of the time of a picture of many tiles
 * for them, so they are drawn here.
 */
import { MIDDLE, onPlane, planeOf, writeWords } from "./paper.js";
import { paintScale } from "./scale.js";

const ABOVE = 7; // px from the cells up to the line on which a title stands
const BESIDE = 4; // px from the cells to the names of their rows and columns

/** A layout without what is drawn here. */
export function withoutAround(layout) {
  const { shapes = [], annotations = [], coloraxis } = layout;
  const axes = namedAxes(layout).map((name) => [name, { ...layout[name], showticklabels: false }]);
  return {
    ...layout,
    ...Object.fromEntries(axes),
    shapes: shapes.filter((shape) => !isFrame(shape)),
    annotations: annotations.filter((word) => !isTitle(word)),
    showlegend: false,
    ...(coloraxis && { coloraxis: { ...coloraxis, showscale: false } }),
  };
}

/** A layout as plotly.js has it, with what was drawn here, for a picture that plotly.js makes. */
export function withAround(drawn, layout) {
  const { shapes, annotations, coloraxis, showlegend, margin } = layout;
  const axes = namedAxes(layout).map((name) => [name, { ...drawn[name], showticklabels: true }]);
  const height = drawn.height + margin.t - drawn.margin.t;
  return { ...drawn, ...Object.fromEntries(axes), shapes, annotations, showlegend, margin, height, ...(coloraxis && { coloraxis }) };
}

/** Draw the frames, the titles, the names and the scale that a layout tells of. */
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
  context.fillStyle = font.color;
  for (const name of namedAxes(layout)) writeNames(context, host._fullLayout, name, layout);
  if (coloraxis) paintScale(context, host, layout, board);
}

function isFrame({ type }) {
  return type === "rect";
}

function isTitle({ yref }) {
  return Boolean(yref?.endsWith(" domain"));
}

function namedAxes(layout) {
  return Object.keys(layout).filter((name) => layout[name]?.categoryarray);
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

// The names along an axis: beside the first tile of a line, and below the last one of a column, aslant if they are long.
function writeNames(context, drawn, name, { [name]: given, font }) {
  const axis = drawn[name];
  const other = drawn[given.anchor.replace(/^[xy]/, "$&axis")];
  const { size } = given.tickfont;
  const write = (text, x, y) => writeWords(context, text, size, font.family, x, y);
  const below = other._offset + other._length + BESIDE;
  const [beside, level] = [name.startsWith("y"), given.tickangle === 0];
  context.textAlign = level ? "center" : "right";
  context.font = `${size}px ${font.family}`;
  const room = level && !beside ? Math.max(...given.categoryarray.map((text) => context.measureText(text).width)) + BESIDE : size;
  for (const place of chosenNames(axis, given, room)) {
    const [text, at] = [given.categoryarray[place], axis._offset + axis.l2p(place)];
    if (beside) write(text, other._offset - BESIDE, at + MIDDLE * size);
    else if (level) write(text, at, below + size);
    else {
      context.save();
      context.translate(at + MIDDLE * size, below);
      context.rotate((given.tickangle * Math.PI) / 180);
      write(text, 0, MIDDLE * size);
      context.restore();
    }
  }
}

/** The places of the names in view, at equal distances: at most so many as the axis is told, and none that touch. room: px for a name. */
export function chosenNames({ range, l2p }, { categoryarray, nticks }, room) {
  const [low, high] = [Math.min(...range), Math.max(...range)];
  const [first, last] = [Math.max(0, Math.ceil(low)), Math.min(categoryarray.length - 1, Math.floor(high))];
  const apart = Math.ceil(room / Math.abs(l2p(1) - l2p(0)));
  const step = Math.max(apart, nticks ? Math.ceil((last - first + 1) / nticks) : 1);
  const places = [];
  for (let place = Math.ceil(first / step) * step; place <= last; place += step) places.push(place);
  return places;
}
