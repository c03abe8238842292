import { loadPlotly } from "./library.js";
import { CONFIG, fitted } from "./screen.js";

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

// What stands along the axes: as long as it stays, so does the zoom.
function categories(layout) {
  return JSON.stringify(Object.values(layout).map((part) => part?.categoryarray ?? null));
}

function createMount(parent) {
  const host = document.createElement("div");
  host.className = "chart"; // plotly.js adds a class of its own
  host.setAttribute("role", "figure");
  parent.append(host);
  const mount = { component: null };
  let sent = "", Plotly = null, stop = null, pressed = true;
  // A finger that scrolls the page chooses nothing.
  host.addEventListener("pointerdown", () => (pressed = true), true);
  host.addEventListener("pointercancel", () => (pressed = false), true);

  mount.show = async (data) => {
    const text = JSON.stringify(data);
    if (text === sent) return;
    sent = text;
    host.classList.toggle("clickable", data.clickable);
    host.style.height = `${data.figure.layout.height}px`;
    host.setAttribute("aria-label", data.figure.layout.meta.description);
    try {
      Plotly ??= await loadPlotly(data.library);
    } catch (error) {
      host.textContent = error.message;
      return;
    }
    if (text !== sent) return; // another figure came meanwhile
    const layout = { ...data.figure.layout, autosize: true, uirevision: categories(data.figure.layout) };
    await Plotly.react(host, data.figure.data, layout, CONFIG);
    if (stop) return;
    stop = fitted(Plotly, host);
    host.on("plotly_click", ({ points: [point] }) => {
      if (!host.classList.contains("clickable") || !pressed) return;
      mount.component.setTriggerValue("click", { name: point.customdata, tile: point.data.meta, cell: point.pointNumber });
    });
  };

  mount.end = () => {
    sent = "";
    stop?.();
    Plotly?.purge(host);
    host.remove();
  };
  return mount;
}
