// A chart, drawn by plotly.js in a Streamlit component.
import { createLegend } from "./legend.js";
import { askedHeight, fitted, heightOf, tools, turnOf } from "./screen.js";

/** Show a figure in a Streamlit component; the chart stays while the page runs again. */
export default function mountChart(component) {
  const { data, parentElement } = component;
  const mount = (parentElement.attentionChart ??= new Mount(parentElement));
  mount.component = component;
  mount.show(data);
  return () => {
    mount.end();
    delete parentElement.attentionChart;
  };
}

/** A chart on the page, from its first figure until the page is left. */
class Mount {
  constructor(parent) {
    Object.assign(this, { component: null, sent: "", plotly: null, figure: null, size: null, stop: null, drawing: null });
    this.host = hostIn(parent);
    this.legend = createLegend(this.host, () => this.draw());
    this.config = tools(() => this.picture(), () => this.name);
  }

  async show(data) {
    const text = JSON.stringify(data);
    if (text === this.sent) return;
    this.sent = text;
    this.name = data.name;
    this.host.classList.toggle("clickable", data.clickable);
    if (!this.figure) this.host.style.height = `${data.figure.layout.height}px`;
    this.host.setAttribute("aria-label", data.figure.layout.meta.description);
    try {
      this.plotly ??= await loadPlotly(data.library);
    } catch (error) {
      this.host.textContent = error.message;
      return;
    }
    await turnOf(this.host);
    if (text !== this.sent) return; // another figure has arrived
    this.figure = data.figure;
    await this.draw();
    if (!this.stop && text === this.sent) this.attach();
  }

  draw() {
    const { host, figure, plotly } = this;
    const { margin, ...given } = structuredClone(figure.layout); // a copy: plotly.js writes into what it gets
    const top = this.legend.show(figure) || margin.t;
    host.style.height = `${askedHeight(host, figure.layout) + top - margin.t}px`;
    this.size = { width: host.clientWidth, height: heightOf(host) };
    const layout = { ...given, ...this.size, showlegend: false, margin: { ...margin, t: top }, uirevision: "kept" }; // so does the view of a globe
    this.drawing = plotly.react(host, this.data(), layout, this.config);
    return this.drawing;
  }

  attach() {
    this.stop = fitted(this.host, () => this.size, () => this.draw());
    attachClicks(this.host, (clicked) => this.component.setTriggerValue("click", clicked));
  }

  data() {
    return this.legend.chosen(this.figure.data);
  }

  // The chart as it is now, for an image file: with Plotly's legend in the place of the buttons.
  picture() {
    const { layout: drawn } = this.host;
    const { margin, showlegend } = this.figure.layout;
    return { data: this.data(), layout: { ...drawn, showlegend, margin, height: drawn.height + margin.t - drawn.margin.t } };
  }

  async end() {
    this.sent = "";
    this.stop?.();
    this.host.remove();
    await this.drawing; // plotly.js fails if purge comes before its last steps
    this.plotly?.purge(this.host);
  }
}

function hostIn(parent) {
  const host = document.createElement("div");
  host.className = "chart"; // plotly.js adds a class of its own
  host.setAttribute("role", "figure");
  parent.append(host);
  return host;
}

/** Report clicked points: act({name}). The second click of a double click, and a finger that scrolls, are ignored. */
export function attachClicks(host, act) {
  let pressed = true, clicks = 1;
  host.addEventListener("pointerdown", () => (pressed = true), true);
  host.addEventListener("pointercancel", () => (pressed = false), true);
  host.addEventListener("mousedown", ({ detail }) => (clicks = detail), true);
  host.on("plotly_click", ({ points: [point] }) => {
    if (host.classList.contains("clickable") && pressed && clicks < 2) act({ name: point.customdata });
  });
}

// plotly.js sets window.Plotly; its URL may be relative to that of the app (attention_ui/browser_files.py).
// A page may have two of them, so that each is kept by its URL.
const loaded = new Map();
async function loadPlotly(file) {
  const { href } = new URL(file, new URL("../../../", import.meta.url));
  try {
    if (!loaded.has(href)) loaded.set(href, import(href).then(() => window.Plotly));
    return await loaded.get(href);
  } catch {
    loaded.delete(href);
    throw new Error("This chart could not be drawn: plotly.js did not load. Reload the page.");
  }
}
