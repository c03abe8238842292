// The entry for a page that needs no server.
import { Board } from "./board.js";

// Show the scene that the page holds. Numbers cannot be edited here: nothing would compute the others anew.
function openHandout(page) {
  const scene = JSON.parse(page.getElementById("scene").textContent);
  for (const panel of scene.panels) panel.editable = false;
  new Board(page.getElementById("board")).update(scene);
}

openHandout(document);
