// Arrows from panel to panel, and bands from the cells that a cell reads to it.
import { faded, roleColour } from "./colours.js";
import { fillBetween } from "./elements.js";
import { middleOf } from "../place/geometry.js";

const LANE = 7; // px between the matrices and an arrow that passes below them

/** Draw the arrows of a whole layer, from column to column: bent, and below the columns between. */
export function paintArrows(context, { model, boxes, palette }) {
  for (const [from, to] of model.arrows ?? []) {
    const [one, other] = [from, to].map((id) => boxes.find(({ panel }) => panel.id === id));
    if (one && other) paintArrow(context, one, other, boxes, palette.muted);
  }
}

// One that would lead back, among matrices one below another, is left out.
function paintArrow(context, one, other, boxes, colour) {
  const [start, end] = [[one.x + one.bodyWidth + 4, one.y + one.bodyHeight / 2], [other.titleX - 8, other.y + other.bodyHeight / 2]];
  if (end[0] <= start[0]) return;
  const passed = boxes.filter(({ x, bodyWidth, titleX }) => titleX > start[0] && x + bodyWidth < end[0]);
  Object.assign(context, { strokeStyle: colour, lineWidth: 1.25 });
  context.beginPath();
  context.moveTo(...start);
  let at = start;
  if (passed.length) {
    const below = LANE + Math.max(...passed.map(({ y, bodyHeight }) => y + bodyHeight));
    bend(context, start, [Math.min(...passed.map(({ titleX }) => titleX)), below]);
    at = [Math.max(...passed.map(({ x, bodyWidth }) => x + bodyWidth)), below];
    context.lineTo(...at);
    end[1] = other.y + 0.85 * other.bodyHeight;
  }
  bend(context, at, end);
  context.stroke();
  paintHead(context, [end[0] - 8, end[1], ...end, true], colour);
}

// A curve that leaves and arrives level, or else upright.
function bend(context, [x1, y1], [x2, y2], level = true) {
  const [x, y] = [(x1 + x2) / 2, (y1 + y2) / 2];
  context.bezierCurveTo(...(level ? [x, y1, x, y2] : [x1, y, x2, y]), x2, y2);
}

function paintHead(context, [x1, y1, x2, y2, level], colour) {
  const ahead = level ? [Math.sign(x2 - x1) || 1, 0] : [0, Math.sign(y2 - y1) || 1];
  const side = level ? [0, 1] : [1, 0];
  const wings = [1, -1].map((turn) => [x2 - 6 * ahead[0] + 4 * turn * side[0], y2 - 6 * ahead[1] + 4 * turn * side[1]]);
  fillBetween(context, [[x2 + 2 * ahead[0], y2 + 2 * ahead[1]], ...wings], colour);
}

/**
 * Draw links from the cells that a cell reads to it: a band if a row or column runs towards it, else one thin curve from the
 * nearest panel.
 *
 * If another panel lies between, the curve passes the same number there (twins), or is left out.
 */
export function paintBeams(context, areas, cells, twins, { palette, boxes }) {
  const ends = (area) => cells.filter(({ box }) => area.box !== box && !box.small);
  const pairs = areas.flatMap((area) => ends(area).map((cell) => [area, cell]));
  const aligned = pairs.filter(([area, cell]) => runsInto(area, cell));
  const { role, kind } = areas[0].light;
  const colour = roleColour(palette, role);
  if (kind === "read")
    for (const [area, cell] of aligned) beam(context, area, cell, runsInto(area, cell), colour, role === "text");
  const single = ({ box, width, height }) => !box.small && width < 1.5 * box.cell.width && height < 1.5 * box.cell.height;
  const loose = pairs.filter(([area]) => single(area));
  if (aligned.length || !loose.length) return;
  const far = ([area, cell]) => Math.hypot(...[0, 1].map((side) => middleOf(area)[side] - middleOf(cell)[side]));
  const pair = loose.reduce((one, other) => (far(other) < far(one) ? other : one));
  const [from, to] = kind === "reader" ? [...pair].reverse() : pair;
  const between = boxes.filter((box) => !box.small && box !== from.box && box !== to.box && liesBetween(box, from, to));
  const stops = between.map((box) => (kind === "read" ? twins.find((twin) => twin.box === box) : undefined));
  if (stops.some((stop) => !stop)) return;
  const route = [from, ...stops.sort((a, b) => (a.y - b.y) * Math.sign(to.y - from.y)), to];
  for (let i = 1; i < route.length; i += 1)
    paintLink(context, route[i - 1], route[i], colour, palette.background, kind === "reader");
}

function liesBetween({ x, y, bodyWidth, bodyHeight }, from, to) {
  const [left, right] = [Math.min(from.x, to.x), Math.max(from.x, to.x)];
  const [top, bottom] = [Math.min(from.y, to.y), Math.max(from.y, to.y)];
  return x < right && x + bodyWidth > left && y < bottom && y + bodyHeight > top;
}

// A band runs from the edge of the matrix to the cell, and must not cross cells that are not read.
function runsInto(area, cell) {
  const { tile, box } = area;
  const near = (one, other) => Math.abs(one - other) < 1;
  const touches = (at, extent, from, whole, ahead) => near(ahead ? at + extent : at, ahead ? from + whole : from);
  if (near(area.y, cell.y) && near(area.height, cell.height)) {
    return touches(area.x, area.width, tile.x, box.columns.count * box.cell.width, area.x < cell.x) ? "level" : null;
  }
  if (!near(area.x, cell.x) || !near(area.width, cell.width)) return null;
  return touches(area.y, area.height, tile.y, box.rows.count * box.cell.height, area.y < cell.y) ? "upright" : null;
}

function beam(context, area, cell, direction, colour, plain) {
  const level = direction === "level";
  const [side, extent] = level ? ["x", "width"] : ["y", "height"];
  const before = area[side] < cell[side];
  const from = before ? area[side] + area[extent] : cell[side] + cell[extent];
  const to = before ? cell[side] : area[side];
  const shade = level ? context.createLinearGradient(from, 0, to, 0) : context.createLinearGradient(0, from, 0, to);
  shade.addColorStop(before ? 0 : 1, faded(colour, plain ? 0.16 : 0.28));
  shade.addColorStop(before ? 1 : 0, faded(colour, 0.06));
  const strip = (shift, thick) => context.fillRect(...(level ? [from, cell.y + shift, to - from, thick] : [cell.x + shift, from, thick, to - from]));
  const wide = level ? cell.height : cell.width;
  context.fillStyle = shade;
  strip(0, wide);
  context.fillStyle = faded(colour, 0.75);
  strip(0, 1);
  strip(wide - 1, 1);
}

// Inside a matrix the link runs between the cells, so that it crosses no number.
function paintLink(context, from, to, colour, ground, dashed) {
  const endsOf = ({ tile: { x, y }, box: { rows, columns, cell } }) => ({ x, y, right: x + columns.count * cell.width, bottom: y + rows.count * cell.height });
  const [one, other] = [from, to].map(endsOf);
  const level = one.y < other.bottom && other.y < one.bottom;
  const [near, far, extent, cross] = level ? ["x", "right", "width", "y"] : ["y", "bottom", "height", "x"];
  const ahead = one[near] < other[near];
  const point = (along, across) => (level ? [along, across] : [across, along]);
  const [leave, enter] = ahead ? [one[far], other[near]] : [one[near], other[far]];
  const [begin, end] = ahead ? [from[near] + from[extent], to[near]] : [from[near], to[near] + to[extent]];
  context.save();
  for (const [strokeStyle, lineWidth] of [[faded(ground, 0.85), 4.5], [colour, 2]]) {
    Object.assign(context, { strokeStyle, lineWidth });
    context.setLineDash(dashed && lineWidth < 3 ? [4, 3] : []);
    context.beginPath();
    context.moveTo(...point(begin, from[cross]));
    context.lineTo(...point(leave, from[cross]));
    bend(context, point(leave, from[cross]), point(enter, to[cross]), level);
    context.lineTo(...point(end, to[cross]));
    context.stroke();
  }
  context.restore();
  paintHead(context, [...point(enter, to[cross]), ...point(end + (ahead ? -2 : 2), to[cross]), level], colour);
}
