// Numbers that fly to the cell that is being computed.
import { roleColour } from "./colours.js";
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
  for (const factor of lit) paintLit(context, look, factor);
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

function paintLit(context, look, factor) {
  const area = areaOf(look, factor);
  if (!area) return;
  context.lineWidth = 3;
  context.strokeStyle = roleColour(look.palette, look.model.arrays[factor.array].role);
  context.beginPath();
  context.roundRect(area.x - 1, area.y - 1, area.width + 2, area.height + 2, 3);
  context.stroke();
}

function paintNumber(context, { palette, zoom, font }, [x, y], text, colour) {
  context.font = `bold ${12.5 * zoom}px ${font}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  const width = context.measureText(text).width + 12 * zoom;
  const height = 20 * zoom;
  context.save();
  context.shadowColor = "rgba(0, 0, 0, 0.3)";
  context.shadowBlur = 6;
  context.shadowOffsetY = 2;
  context.fillStyle = palette.background;
  context.beginPath();
  context.roundRect(x - width / 2, y - height / 2, width, height, 6);
  context.fill();
  context.restore();
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.stroke();
  context.fillStyle = colour;
  context.fillText(text, x, y + 0.5);
}
