import { createBoard } from "./board.js";

// Show the scene that the page carries. Numbers are changed only where they are computed anew.
function openHandout(page) {
  const scene = JSON.parse(page.getElementById("scene").textContent);
  for (const panel of scene.panels) panel.editable = false;
  createBoard(page.getElementById("board")).update(scene);
}

openHandout(document);
