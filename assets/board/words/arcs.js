/**
 * The places of the words of a sentence in one line: {size, words: [{place, x, width}], cut}.
 *
 * widthOf(word, size): px; room: {from, width}; sizes: {most, least} px of the type. All words are shown in the largest type
 * with which they fit; of a longer sentence those around the word in focus.
 */
export function lineOfWords(words, focus, { from, width }, sizes, widthOf) {
  for (let size = sizes.most; size >= sizes.least; size -= 1) {
    const line = spread(words.map((_, place) => place), words, size, widthOf, { from, width });
    if (line) return { size, words: line, cut: false };
  }
  const size = sizes.least;
  let shown = [focus];
  for (let turn = 1; turn < words.length; turn += 1) {
    const more = [focus - turn, focus + turn].filter((place) => place >= 0 && place < words.length);
    const longer = [...shown, ...more].sort((a, b) => a - b);
    if (!more.length || !spread(longer, words, size, widthOf, { from, width })) break;
    shown = longer;
  }
  return { size, words: spread(shown, words, size, widthOf, { from, width }) ?? [], cut: true };
}

const WORD_GAP = { least: 0.5, most: 2.2 }; // of the size of the type

// The words side by side in the middle of the room; null if they do not fit.
function spread(places, words, size, widthOf, { from, width }) {
  const widths = places.map((place) => widthOf(words[place], size));
  const used = widths.reduce((sum, one) => sum + one, 0);
  const gaps = places.length - 1;
  const gap = gaps ? Math.min(WORD_GAP.most * size, (width - used) / gaps) : 0;
  if (used > width || (gaps && gap < WORD_GAP.least * size)) return null;
  let x = from + (width - used - gap * gaps) / 2;
  return places.map((place, i) => {
    const at = { place, x, width: widths[i] };
    x += widths[i] + gap;
    return at;
  });
}

const ARC = { thin: 1.25, thick: 13, lowest: 0.36, far: 240 }; // px; the height of the lowest arc as a share of the room

/**
 * The arcs of the word in focus: {place, share, thick, path, top: [x, y]}, the largest share first.
 *
 * shares: pairs of a place and its share; middles: the x of each place that is shown; base: the y of their ends; room: px above
 * it, or below it if side is 1; scale: of the thickness.
 */
export function arcsFrom(focus, shares, middles, { base, room, side, scale = 1 }) {
  const end = middles.get(focus);
  if (end === undefined) return [];
  const shown = shares.filter(([place]) => middles.has(place));
  const farthest = Math.max(ARC.far, ...shown.map(([place]) => Math.abs(end - middles.get(place))));
  return shown.map(([place, share]) => {
    const start = middles.get(place);
    const thick = scale * (ARC.thin + ARC.thick * share);
    const high = Math.max(4, room - thick / 2) * (ARC.lowest + ((1 - ARC.lowest) * Math.abs(end - start)) / farthest);
    const [y, bend] = [base + side * high, base + side * high * (4 / 3)];
    if (place === focus) {
      const wide = Math.min(14, 0.6 * high + 4);
      return { place, share, thick, path: `M${start - 3} ${base}C${start - wide} ${bend} ${start + wide} ${bend} ${start + 3} ${base}`, top: [start, y] };
    }
    return { place, share, thick, path: `M${start} ${base}C${start} ${bend} ${end} ${bend} ${end} ${base}`, top: [(start + end) / 2, y] };
  });
}
