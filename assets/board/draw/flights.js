// Numbers that fly to the cell that is being computed.
import { roleColour } from "./colours.js";
import { fillBox, outlineBox } from "./elements.js";
import { areaOf, middleOf } from "../place/geometry.js";
import { number } from "../scene/numbers.js";
import { derivationOf } from "../scene/scene.js";

/** The movements of a moment of the player: numbers of the lit terms fly from their cells to the result, where the sum stands. */
export function flightsOf(look, cell, [from, to]) {
  const derivation = derivationOf(look.model, cell);
  const target = areaOf(look, cell, "result") ?? areaOf(look, cell);
  if (!target) return null;
  const terms = derivation.terms.slice(from, to);
  const factors = terms.length === 1 ? terms[0].factors : [];
  const numbers = factors.flatMap((factor) => {
    const source = areaOf(look, factor);
    const colour = roleColour(look.palette, look.model.arrays[factor.array].role);
    return source ? [{ source, colour, text: number(factor.value, 2) }] : [];
  });
  const known = derivation.terms.slice(0, to);
  const running =
    derivation.operation === "sum" && derivation.terms.length > 1 ? known.reduce((sum, { value }) => sum + value, 0) : null;
  return { target, numbers, lit: terms.flatMap((term) => term.factors), running };
}

/** Draw the lit factors, the flying numbers (share 0 to 1 of their way) and, when they have arrived, the running sum. */
export function paintFlights(context, look, flights, share) {
  const { target, numbers, lit, running } = flights;
  for (const factor of lit) {
    const area = areaOf(look, factor);
    if (area) outlineBox(context, area, roleColour(look.palette, look.model.arrays[factor.array].role), 3, 3, 1);
  }
  const eased = share < 0.5 ? 2 * share * share : 1 - 2 * (1 - share) ** 2;
  const end = middleOf(target);
  if (share < 1) {
    numbers.forEach(({ source, colour, text }, i) => {
      const start = middleOf(source);
      const lift = Math.sin(Math.PI * eased) * 10 * (i ? -1 : 1);
      const at = [0, 1].map((side) => start[side] + eased * (end[side] - start[side]) + (side ? lift : 0));
      paintNumber(context, look, at, text, colour);
    });
  } else if (running !== null) {
    paintNumber(context, look, end, number(running, 2), look.palette.focus);
  }
}

function paintNumber(context, { palette, zoom, font }, [x, y], text, colour) {
  Object.assign(context, { font: `bold ${12.5 * zoom}px ${font}`, textAlign: "center", textBaseline: "middle" });
  const [width, height] = [context.measureText(text).width + 12 * zoom, 20 * zoom];
  const ground = { x: x - width / 2, y: y - height / 2, width, height };
  context.save();
  Object.assign(context, { shadowColor: "rgba(0, 0, 0, 0.3)", shadowBlur: 6, shadowOffsetY: 2 });
  fillBox(context, ground, palette.background, 6);
  context.restore();
  outlineBox(context, ground, colour, 1.5, 6, 0);
  context.fillStyle = colour;
  context.fillText(text, x, y + 0.5);
}
