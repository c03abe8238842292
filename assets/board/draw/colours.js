// Colours of numbers and of roles, and the ink that can be read on them.

const SHADES = 256;

/** Red, green and blue, 0 to 255, of "#rgb", "#rrggbb" or "rgb(r, g, b)". */
export function rgbOf(css) {
  if (css.startsWith("#")) {
    const hex = css.length === 4 ? [...css.slice(1)].map((sign) => sign + sign).join("") : css.slice(1, 7);
    return [0, 2, 4].map((i) => parseInt(hex.slice(i, i + 2), 16));
  }
  return css.match(/[\d.]+/g).slice(0, 3).map(Number);
}

/** The shades of a scale with stops [[0, css], …, [1, css]], as 256 triples in a row. */
export function shadesOf(stops) {
  const parsed = stops.map(([at, css]) => [at, rgbOf(css)]);
  const shades = new Uint8ClampedArray(3 * SHADES);
  for (let i = 0; i < SHADES; i += 1) {
    const at = i / (SHADES - 1);
    const next = Math.max(1, parsed.findIndex(([place]) => place >= at));
    const [low, from] = parsed[next - 1];
    const [high, to] = parsed[next];
    const share = (at - low) / (high - low || 1);
    for (let c = 0; c < 3; c += 1) shades[3 * i + c] = from[c] + share * (to[c] - from[c]);
  }
  return shades;
}

/** The shade of a value, 0 to 255: probabilities go from 0 to the limit, all other numbers from −limit to limit. */
export function shadeOf(value, limit, sequential) {
  const share = sequential ? value / limit : 0.5 + value / (2 * limit);
  return Math.round((SHADES - 1) * Math.min(1, Math.max(0, share || 0)));
}

/** The relative luminance of a colour, 0 black to 1 white (WCAG 2). */
export function luminance([red, green, blue]) {
  const [r, g, b] = [red, green, blue].map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** The contrast of two colours, 1 to 21 (WCAG 2). */
export function contrast(one, other) {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

/** Black or white, whichever reads better on a colour. */
export function inkOn(rgb) {
  return contrast(rgb, [0, 0, 0]) >= contrast(rgb, [255, 255, 255]) ? "#000000" : "#ffffff";
}

/** A colour with an opacity. */
export function faded(css, opacity) {
  return `rgba(${rgbOf(css).join(", ")}, ${opacity})`;
}

let opened = { key: null, palette: null };

/** A palette for the painters: its colours, and the shades and inks of its scales, computed once. */
export function openPalette(palette) {
  const key = JSON.stringify(palette);
  if (opened.key !== key) opened = { key, palette: workOut(palette) };
  return opened.palette;
}

function workOut(palette) {
  const scales = {};
  for (const kind of ["feature", "logit", "probability"]) {
    const shades = shadesOf(palette[kind] ?? palette.logit);
    const triples = Array.from({ length: SHADES }, (_, i) => [...shades.slice(3 * i, 3 * i + 3)]);
    scales[kind] = { shades, css: triples.map((rgb) => `rgb(${rgb.join(",")})`), inks: triples.map(inkOn) };
  }
  return { ...palette, scales, dark: luminance(rgbOf(palette.background)) < 0.4 };
}

/** The palette of a scene: its only one, or of two the one for the reader's colour scheme. */
export function chosenPalette(scene, prefersDark) {
  const { palette } = scene;
  return palette.light && palette.dark ? palette[prefersDark ? "dark" : "light"] : palette;
}

/** The colour of a role; arrays without a role have the colour of the text. */
export function roleColour(palette, role) {
  return palette[role] ?? palette.text;
}

const STYLED = ["background", "text", "muted", "line", "primary", "query", "key", "value", "focus", "hidden", "hatch"]; // that board.css uses
const STOPS = [0, 0.25, 0.5, 0.75, 1];

/** Set the colours of a palette as variables of the style sheet, with those of its scales for the legend. */
export function styleColours(section, palette) {
  for (const name of STYLED) section.style.setProperty(`--${name}`, palette[name]);
  for (const [name, scale] of [["feature", "feature"], ["score", "logit"], ["share", "probability"]]) {
    const { css = [] } = palette.scales[scale] ?? {};
    section.style.setProperty(`--${name}`, STOPS.map((at) => css[Math.round(at * (css.length - 1))] ?? "transparent").join(", "));
  }
}
