import { createBoard } from "./board.js";

// Show the scene that the page carries; a pinned cell is kept in the page.
function openHandout(page) {
  const scene = JSON.parse(page.getElementById("scene").textContent);
  const board = createBoard(page.getElementById("board"), {
    onPin: (cell) => board.update({ ...scene, cell }),
  });
  board.update(scene);
}

openHandout(document);
