import { render } from "../../assets/board/widget.js";
import { array, written } from "./scenes.js";
import { BOARD_STYLE, dressedScene, press } from "./stand.js";
import { afterwards, assert, test } from "./testing.js";

const GROUNDS = { light: "#eeeeee", dark: "#101010" };
const pinned = (...index) => ({ array: "result", index });

/** A live board whose notebook hides every board that its style reaches, with the model between both: told holds what it was told of. */
function live(change = () => {}) {
  const scene = dressedScene((one) => {
    one.palette = Object.fromEntries(Object.entries(GROUNDS).map(([mode, background]) => [mode, { ...one.palette, background, text: background }]));
    one.panels[0].editable = true;
    change(one);
  });
  const [state, listeners, told] = [{ scene: written(scene, 1), pin: scene.cell }, {}, []];
  const set = (name, value) => {
    state[name] = value;
    for (const act of listeners[`change:${name}`] ?? []) act();
  };
  const model = {
    get: (name) => state[name],
    set: (name, value) => told.push([name, value]) && set(name, value),
    save_changes: () => told.push("saved"),
    on: (event, act) => (listeners[event] ??= new Set()).add(act),
    off: (event, act) => listeners[event].delete(act),
  };
  document.body.innerHTML = "<style>.board, canvas { display: none !important }</style><div></div>";
  globalThis.STYLE = BOARD_STYLE; // as attention_viz/live_scene.py writes it before the script
  const el = document.body.lastChild;
  const end = render({ model, el });
  afterwards(end);
  const find = (selector) => el.shadowRoot.querySelector(selector);
  const stand = { find, panel: (id) => find(`[data-panel="${id}"]`) };
  return { ...stand, told, set, end, listens: () => Object.values(listeners).some(({ size }) => size > 0) };
}

test("in a notebook pins go both ways, an edit is told, and another scene is shown", () => {
  const stand = live();
  const result = () => stand.find(".arithmetic .result").textContent;
  assert.equal(result(), "23");
  stand.set("pin", pinned(0, 0, 1));
  assert.equal(result(), "6");
  press(stand, "result", "ArrowDown");
  press(stand, "result", "Enter");
  assert.deepEqual(stand.told.splice(0), [["pin", pinned(0, 1, 1)], "saved"]);
  stand.set("pin", { array: "left", index: [0, 0, 0] });
  press(stand, "left", "7");
  stand.find(".editor").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
  assert.deepEqual(stand.told, [["edit", { array: "left", index: [0, 0, 0], value: 7 }], "saved"]);
  stand.set("scene", written(dressedScene(({ arrays }) => (arrays.left = array([2, 2, 3], "HTK", Array(12).fill(2))))));
  assert.equal(result(), "2");
});

test("it follows the theme of JupyterLab, which hides it for less than a frame, keeps its keys from the notebook, and listens no more at its end", async () => {
  const stand = live();
  const themed = (light) => new Promise((resolve) => {
    document.body.style.display = "none";
    document.body.dataset.jpThemeLight = light;
    requestAnimationFrame(() => {
      document.body.style.display = "";
      setTimeout(() => resolve([stand.find("section").style.getPropertyValue("--background"), stand.find(".arithmetic .name").style.color]), 100);
    });
  });
  assert.deepEqual([await themed("false"), await themed("true")], [[GROUNDS.dark, "rgb(16, 16, 16)"], [GROUNDS.light, "rgb(238, 238, 238)"]]);
  delete document.body.dataset.jpThemeLight;
  let heard = 0;
  document.body.addEventListener("keydown", () => (heard += 1), { once: true });
  press(stand, "result", "a", { composed: true });
  stand.end();
  assert.deepEqual([heard, stand.find("section"), stand.listens()], [0, null, false]);
});
