// Room around a number in its cell, the width of a sign as a part of its height, and the least height that can be read.
const ROOM = 3;
const BREADTH = 0.53;
const LEAST = 8;

/**
 * The traces of a figure with numbers in their cells, all of one size.
 *
 * size: the width and height of the picture in px. board: the functions by which the board writes its numbers. Cells
 * too narrow for two decimals get one, and those too narrow for that nothing.
 */
export function lettered({ data, layout }, size, board) {
  const tiles = data.filter(isNumbered).map((trace) => tileOf(trace, layout, size, board));
  if (!tiles.length) return data;
  const letters = lettersFor(tiles, board.cellNumber);
  const texttemplate = letters ? `%{z:.${letters.digits}f}` : "";
  return data.map((trace) => (isNumbered(trace) ? { ...trace, texttemplate, textfont: { size: letters?.size } } : trace));
}

/** Whenever the chart is drawn, write the number of each cell in black or white; figure(): what is drawn. */
export function attachInks(host, figure, board) {
  const ink = () => {
    const { data, layout } = figure();
    if (!data.some(isNumbered)) return;
    const inks = new Map();
    for (const drawn of host.querySelectorAll(".hm")) {
      const { index } = drawn.__data__[0].trace;
      if (!isNumbered(data[index])) continue;
      if (!inks.has(index)) inks.set(index, inksOf(data[index], layout, board));
      for (const text of drawn.querySelectorAll(".heatmap-label text")) text.style.fill = inks.get(index)(text.__data__.z);
    }
  };
  host.on("plotly_afterplot", ink);
  ink();
}

function isNumbered({ texttemplate }) {
  return Boolean(texttemplate?.includes("%{z"));
}

function tileOf(trace, layout, { width, height }, { floatsOf }) {
  const [x, y] = [trace.xaxis ?? "x", trace.yaxis ?? "y"].map((name) => layout[`${name[0]}axis${name.slice(1)}`]);
  const { l, r, t, b } = layout.margin;
  const part = ({ domain: [start, end] }) => end - start;
  return {
    trace,
    values: floatsOf(trace.z.bdata),
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

// The ink on the colour that a trace gives to a number.
function inksOf(trace, layout, { inkOn, shadeOf, shadesOf }) {
  const { cmin, cmax, colorscale } = trace.coloraxis
    ? layout[trace.coloraxis]
    : { cmin: trace.zmin, cmax: trace.zmax, colorscale: trace.colorscale };
  const shades = shadesOf(colorscale);
  return (value) => {
    const at = 3 * shadeOf(value, cmax, cmin === 0);
    return inkOn([...shades.slice(at, at + 3)]);
  };
}
