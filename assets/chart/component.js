import { attachClicks } from "./clicks.js";
import { createLegend } from "./legend.js";
import { loadPlotly } from "./library.js";
import { askedHeight, fitted, heightOf, tools, turnOf } from "./screen.js";
import { attachTexts, forPlotly } from "./texts.js";

/** Show a figure in a component of Streamlit; the chart stays while the page runs again. */
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

// Tell plotly.js the room inside the margins beforehand: if it finds that changed, it draws twice.
function foretell({ _fullLayout: drawn, clientWidth }, { height, margin: { l, r, t, b } }) {
  if (drawn) Object.assign(drawn._size, { l, r, t, b, w: clientWidth - l - r, h: height - t - b });
}

/** A chart in its place on the page, from its first figure until the page goes. */
class Mount {
  constructor(parent) {
    Object.assign(this, { component: null, sent: "", library: null, figure: null, stops: null, drawing: null });
    this.host = hostIn(parent);
    this.legend = createLegend(this.host, () => this.draw());
    this.config = tools(() => this.picture());
  }

  async show(data) {
    const text = JSON.stringify(data);
    if (text === this.sent) return;
    this.sent = text;
    this.host.classList.toggle("clickable", data.clickable);
    if (!this.figure) this.host.style.height = `${data.figure.layout.height}px`;
    this.host.setAttribute("aria-label", data.figure.layout.meta.description);
    try {
      this.library ??= await loadPlotly(data.library);
    } catch (error) {
      this.host.textContent = error.message;
      return;
    }
    await turnOf(this.host);
    if (text !== this.sent) return; // another figure came meanwhile
    this.figure = data.figure;
    await this.draw();
    if (!this.stops && text === this.sent) this.attach();
  }

  draw() {
    const { host, figure, library } = this;
    const { margin, ...given } = structuredClone(figure.layout); // a copy: plotly.js writes into what it gets
    const top = this.legend.show(figure) || margin.t;
    host.style.height = `${askedHeight(host, figure.layout) + top - margin.t}px`;
    const layout = { ...given, showlegend: false, margin: { ...margin, t: top }, height: heightOf(host), autosize: true, uirevision: "kept" }; // so does the view of a globe
    foretell(host, layout);
    this.drawing = library.Plotly.react(host, forPlotly(this.shown(), library.board), layout, this.config);
    return this.drawing;
  }

  attach() {
    const { host, library } = this;
    this.stops = [fitted(host, () => this.draw()), attachTexts(host, () => this.shown(), library.board)];
    attachClicks(host, (clicked) => this.component.setTriggerValue("click", clicked));
  }

  shown() {
    return { ...this.figure, data: this.legend.chosen(this.figure.data) };
  }

  // The chart as it is now, with the legend and all that is else drawn here, for a picture that plotly.js makes.
  picture() {
    const { layout: drawn } = this.host;
    const { margin, showlegend } = this.figure.layout;
    return { data: this.shown().data, layout: { ...drawn, showlegend, margin, height: drawn.height + margin.t - drawn.margin.t } };
  }

  async end() {
    this.sent = "";
    for (const stop of this.stops ?? []) stop();
    this.host.remove();
    await this.drawing; // plotly.js would miss in its last steps what purge takes away
    this.library?.Plotly.purge(this.host);
  }
}

function hostIn(parent) {
  const host = document.createElement("div");
  host.className = "chart"; // plotly.js adds a class of its own
  host.setAttribute("role", "figure");
  parent.append(host);
  return host;
}
