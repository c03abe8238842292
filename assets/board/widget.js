// The entry for a live board in a notebook. Before it, attention_viz/live_scene.py puts STYLE, the text of the style sheets.
import { Board } from "./board.js";
import { element } from "./draw/elements.js";
import { openMessage } from "./scene/scene.js";

/** Show the scene of a widget's model; pins go both ways, edits to the model. Gives what ends it. */
export function render({ model, el }) {
  el.dataset.lmSuppressShortcuts = "true"; // in JupyterLab, whose keys would act on the notebook
  const [style, place] = [element("style", "", STYLE), element("div", "place")];
  // A root of its own: no style of the notebook reaches the board, and none of the board's the notebook.
  (el.shadowRoot ?? el.attachShadow({ mode: "open" })).replaceChildren(style, place);
  place.addEventListener("keydown", (event) => event.stopPropagation());
  const tell = (name) => (value) => {
    model.set(name, value);
    model.save_changes();
  };
  const board = new Board(place, { onPin: tell("pin"), onEdit: tell("edit") });
  let scene = null;
  const show = () => board.update({ ...scene, cell: model.get("pin") });
  const open = () => {
    const { buffer, byteOffset, byteLength } = model.get("scene");
    scene = openMessage(new Uint8Array(buffer, byteOffset, byteLength));
    show();
  };
  open();
  model.on("change:scene", open);
  model.on("change:pin", show);
  return () => {
    model.off("change:scene", open);
    model.off("change:pin", show);
    board.destroy();
  };
}
