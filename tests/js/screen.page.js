import { fitted, heightOf, tools, turnOf } from "../../assets/chart/screen.js";
import { assert, test } from "./testing.js";

// Sizes are told after what waits for a frame.
const settled = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))));

/** A place for a chart, so many px wide and high. */
function chart(width, height) {
  const host = document.body.appendChild(document.createElement("div"));
  Object.assign(host.style, { width: `${width}px`, height: `${height}px` });
  return host;
}

test("a chart is drawn anew when its place has another size, not when it has the same or is folded away, and not when it is gone", async () => {
  const host = chart(300, 100);
  let drawn = 0, size = { width: 300, height: 100 };
  const stop = fitted(host, () => size, () => {
    drawn += 1;
    size = { width: host.clientWidth, height: heightOf(host) };
  });
  const after = async (style) => {
    Object.assign(host.style, style);
    await settled();
    return drawn;
  };
  assert.equal(await after({}), 0);
  assert.equal(await after({ width: "301px" }), 0, "less than two px are no other size");
  assert.equal(await after({ width: "350px" }), 1);
  assert.equal(await after({ height: "150px" }), 2);
  assert.equal(await after({ display: "none" }), 2);
  assert.equal(await after({ display: "", width: "250px" }), 3);
  stop();
  assert.equal(await after({ width: "100px" }), 3);
  host.remove();
});

test("a chart in sight is drawn at once, one below or above it when there is nothing else to do", async () => {
  const late = async (top) => {
    const host = chart(100, 50);
    Object.assign(host.style, { position: "fixed", top: `${top}px` });
    const [idle, wait] = [window.requestIdleCallback, []];
    window.requestIdleCallback = (act, options) => wait.push(options.timeout) && act();
    await turnOf(host);
    window.requestIdleCallback = idle;
    host.remove();
    return wait.length > 0;
  };
  assert.deepEqual([await late(0), await late(innerHeight - 1), await late(-49)], [false, false, false]);
  assert.deepEqual([await late(innerHeight + 1), await late(-60)], [true, true]);
});

test("the tools send nothing away, and the picture that is kept is as large as the chart", () => {
  const { modeBarButtonsToRemove, modeBarButtonsToAdd, plotlyServerURL } = tools(() => ({ layout: { width: 640, height: 480 } }), () => "training-loss");
  assert.deepEqual([plotlyServerURL, modeBarButtonsToRemove.includes("sendChartToCloud")], ["", true]);
  let [kept, ground] = [null, null];
  window.Plotly = { downloadImage: ({ layout }, options) => ([kept, ground] = [options, layout.paper_bgcolor]) };
  const host = document.body.appendChild(document.createElement("div"));
  host.style.setProperty("--st-background-color", "rgb(1, 2, 3)");
  const size = { filename: "training-loss", width: 640, height: 480 };
  modeBarButtonsToAdd[0].click(host);
  assert.deepEqual([kept, ground], [{ format: "png", ...size, scale: 2 }, "rgb(1, 2, 3)"], "it has the ground of the page");
  delete window.Plotly;
  host.remove();
});
