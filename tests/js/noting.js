/**
 * A canvas that notes what is drawn: [colour, path] of each line, [colour, "fill", path] of each area; a path is one text.
 *
 * written: how each text is, "left bold 14px F"; open: how many states were saved and not restored.
 */
export function noting() {
  const drawn = [];
  let path = [];
  const rounded = (value) => Math.round(10 * value) / 10;
  const step = (sign) => (...numbers) => path.push(sign + numbers.map(rounded).join());
  const context = {
    dashed: [],
    written: [],
    open: 0,
    beginPath: () => (path = []),
    moveTo: step("M"),
    lineTo: step("L"),
    bezierCurveTo: (...ends) => path.push(`C${[0, 2, 4].map((i) => ends.slice(i, i + 2).map(rounded)).join(" ")}`),
    roundRect: (...box) => step("R")(...box.slice(0, 4)),
    stroke: () => drawn.push([context.strokeStyle, ...(context.dashed.length ? ["dashed"] : []), path.join(" ")]),
    fill: () => drawn.push([context.fillStyle, "fill", path.join(" ")]),
    fillRect: (...box) => drawn.push([context.fillStyle, "fill", `R${box.map(rounded)}`]),
    fillText: (text, x, y) => {
      drawn.push([context.fillStyle, "text", `${text} ${rounded(x)},${rounded(y)}`]);
      context.written.push(`${context.textAlign} ${context.font}`);
    },
    setLineDash: (dashes) => (context.dashed = dashes),
    measureText: (text) => ({ width: 6 * text.length }),
    createLinearGradient: (...ends) => {
      const stops = [];
      return { addColorStop: (at, colour) => stops.push(`${at} ${colour}`), toString: () => `from ${ends}: ${stops.sort().join("; ")}` };
    },
    strokeRect: (...box) => drawn.push([context.strokeStyle, `R${box.map(rounded)}`]),
    rect: (...box) => step("R")(...box),
    clip: () => drawn.push(["clip", path.join(" ")]),
    clearRect: (...box) => drawn.push(["clear", `R${box.map(rounded)}`]),
    translate: (x, y) => drawn.push(["from", `${rounded(x)},${rounded(y)}`]),
    rotate: (angle) => drawn.push(["turned", rounded((angle * 180) / Math.PI)]),
    drawImage() {},
    save: () => (context.open += 1),
    restore: () => {
      context.dashed = [];
      context.open -= 1;
    },
  };
  return { context, drawn };
}
