import { withAround, withoutAround } from "./around.js";
import { attachTexts, forPlotly, withTexts } from "./cells.js";
import { attachClicks } from "./clicks.js";
import { createLegend } from "./legend.js";
import { loadPlotly } from "./library.js";
import { askedHeight, fitted, heightOf, tools, turnOf } from "./screen.js";

/** Show a figure in a component of Streamlit; the chart stays, and its zoom with it, while the page runs again. */
export default function mountChart(component) {
  const { data, parentElement } = component;
  const mount = (parentElement.attentionChart ??= createMount(parentElement));
  mount.component = component;
  mount.show(data);
  return () => {
    mount.end();
    delete parentElement.attentionChart;
  };
}

// What stands along the axes, which all tiles share: as long as it stays, so does the zoom.
function categories({ xaxis, yaxis }) {
  return JSON.stringify([xaxis?.categoryarray, yaxis?.categoryarray]);
}

// Tell plotly.js the room inside the margins beforehand: one that it finds changed costs it legend and colour bar twice.
function foretell({ _fullLayout: drawn, clientWidth }, { height, margin: { l, r, t, b } }) {
  if (drawn) Object.assign(drawn._size, { l, r, t, b, w: clientWidth - l - r, h: height - t - b });
}

function createMount(parent) {
  const host = document.createElement("div");
  host.className = "chart"; // plotly.js adds a class of its own
  host.setAttribute("role", "figure");
  parent.append(host);
  const mount = { component: null };
  let sent = "", library = null, figure = null, stops = null, drawing = null;
  const shown = () => ({ ...figure, data: legend.chosen(figure.data) });
  const config = tools(() => ({ data: withTexts(host, shown().data, library.board), layout: withAround(host.layout, figure.layout) }));

  const draw = () => {
    const { margin, ...given } = withoutAround(structuredClone(figure.layout)); // a copy: plotly.js writes into what it gets
    const top = legend.show(figure) || margin.t;
    host.style.height = `${askedHeight(host, figure.layout) + top - margin.t}px`;
    const layout = { ...given, margin: { ...margin, t: top }, height: heightOf(host), autosize: true, uirevision: categories(figure.layout) };
    foretell(host, layout);
    drawing = library.Plotly.react(host, forPlotly(shown(), library.board), layout, config);
    return drawing;
  };
  const legend = createLegend(host, draw);

  mount.show = async (data) => {
    const text = JSON.stringify(data);
    if (text === sent) return;
    sent = text;
    host.classList.toggle("clickable", data.clickable);
    if (!figure) host.style.height = `${data.figure.layout.height}px`;
    host.setAttribute("aria-label", data.figure.layout.meta.description);
    try {
      library ??= await loadPlotly(data.library);
    } catch (error) {
      host.textContent = error.message;
      return;
    }
    await turnOf(host);
    if (text !== sent) return; // another figure came meanwhile
    figure = data.figure;
    await draw();
    if (stops || text !== sent) return;
    stops = [fitted(host, draw), attachTexts(host, shown, library.board)];
    attachClicks(host, () => figure.layout, (clicked) => mount.component.setTriggerValue("click", clicked));
  };

  mount.end = async () => {
    sent = "";
    for (const stop of stops ?? []) stop();
    host.remove();
    await drawing; // plotly.js would miss in its last steps what purge takes away
    library?.Plotly.purge(host);
  };
  return mount;
}
