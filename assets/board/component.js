// The entry for Streamlit.
import { Board } from "./board.js";
import { openMessage } from "./scene/scene.js";

/** Show the scene that a Streamlit component gets as bytes; the board stays while the page runs again. */
export default function mountBoard(component) {
  const { data, parentElement } = component;
  const mount = (parentElement.attentionBoard ??= { component, board: null });
  mount.component = component;
  mount.board ??= new Board(parentElement, {
    onPin: (cell) => mount.component.setTriggerValue("pin", cell),
    onEdit: (edit) => mount.component.setTriggerValue("edit", edit),
    onOpen: (link) => mount.component.setTriggerValue("open", link),
    onChoose: (name, value) => mount.component.setTriggerValue("choose", { name, value }),
  });
  if (data?.rests) mount.board.rest();
  else mount.board.update(data && openMessage(data));
  (parentElement.host ?? parentElement).toggleAttribute("data-drawn", true); // until then the style sheet of the page outlines its place
  return () => {
    mount.board?.destroy();
    delete parentElement.attentionBoard;
  };
}
