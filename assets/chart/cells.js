// Room around a number in its cell, the width of a sign as a part of its height, and the least height that can be read.
const ROOM = 3;
const BREADTH = 0.53;
const LEAST = 8;

/**
 * The traces of a figure with numbers in their cells, all of one size and each in black or white.
 *
 * size: the width and height of the picture in px. board: the functions by which the board writes its numbers. Cells
 * too narrow for two decimals get one, and those too narrow for that nothing.
 */
export function lettered({ data, layout }, size, board) {
  const tiles = data.filter(({ texttemplate }) => texttemplate?.includes("%{z")).map((trace) => tileOf(trace, layout, size, board));
  if (!tiles.length) return data;
  const letters = lettersFor(tiles, board.cellNumber);
  const written = new Map(tiles.map((tile) => [tile.trace, writtenOn(tile, letters, layout, board)]));
  return data.map((trace) => written.get(trace) ?? trace);
}

function tileOf(trace, layout, { width, height }, { floatsOf }) {
  const [x, y] = [trace.xaxis ?? "x", trace.yaxis ?? "y"].map((name) => layout[`${name[0]}axis${name.slice(1)}`]);
  const { l, r, t, b } = layout.margin;
  const part = ({ domain: [start, end] }) => end - start;
  return {
    trace,
    values: floatsOf(trace.z.bdata),
    columns: trace.x.length,
    width: ((width - l - r) * part(x)) / trace.x.length,
    height: ((height - t - b) * part(y)) / trace.y.length,
    most: trace.textfont.size,
  };
}

// One size and one number of decimals for all tiles, such that the longest number fits.
function lettersFor(tiles, cellNumber) {
  const least = (side) => Math.min(...tiles.map((tile) => tile[side]));
  for (const digits of [2, 1]) {
    const signs = Math.max(...tiles.flatMap(({ values }) => Array.from(values, (value) => textOf(value, digits, cellNumber).length)));
    const size = Math.min(least("most"), 0.8 * least("height"), (least("width") - ROOM) / (BREADTH * signs));
    if (size >= LEAST) return { digits, size: Math.floor(2 * size) / 2 };
  }
  return null;
}

function textOf(value, digits, cellNumber) {
  return Number.isFinite(value) ? cellNumber(value, digits) : "";
}

function writtenOn({ trace, values, columns }, letters, layout, { cellNumber, inkOn, shadeOf, shadesOf }) {
  if (!letters) return { ...trace, texttemplate: "" };
  const { cmin, cmax, colorscale } = trace.coloraxis
    ? layout[trace.coloraxis]
    : { cmin: trace.zmin, cmax: trace.zmax, colorscale: trace.colorscale };
  const shades = shadesOf(colorscale);
  const ink = (value) => {
    const at = 3 * shadeOf(value, cmax, cmin === 0);
    return inkOn([...shades.slice(at, at + 3)]);
  };
  const texts = Array.from(values, (value) =>
    Number.isFinite(value) ? `<span style="color:${ink(value)}">${cellNumber(value, letters.digits)}</span>` : "",
  );
  const rows = Array.from({ length: texts.length / columns }, (_, row) => texts.slice(row * columns, (row + 1) * columns));
  return { ...trace, text: rows, texttemplate: "%{text}", textfont: { size: letters.size } };
}
