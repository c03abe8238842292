import { MIDDLE } from "./paper.js";

const BESIDE = 4; // px from the cells to their scale, and from the scale to its numbers

/** Draw the colours of a scale from the largest number down to the least, with round numbers beside them. */
export function paintScale(context, { _fullLayout: drawn }, { coloraxis, font }, { shadesOf }) {
  const { cmin, cmax, colorscale, colorbar } = coloraxis;
  const { thickness, len, nticks, tickfont } = colorbar;
  const { l, t, w } = drawn._size;
  const [left, size] = [l + w + BESIDE, tickfont.size];
  const shades = shadesOf(colorscale);
  const fill = context.createLinearGradient(0, t + len, 0, t);
  for (let i = 0; i < shades.length; i += 3) fill.addColorStop(i / (shades.length - 3), `rgb(${shades.slice(i, i + 3).join(",")})`);
  context.fillStyle = fill;
  context.fillRect(left, t, thickness, len);
  context.textAlign = "left";
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
