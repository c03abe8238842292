// The entry for a sheet of a lesson: a picture of each moment.
import { Board } from "./board.js";
import { openPool } from "./scene/pool.js";

// Each place takes the scene whose number it names, in colours for paper.
function openSheet(page) {
  const { pool, scenes, palette } = JSON.parse(page.getElementById("pictures").textContent);
  const entry = openPool(pool);
  for (const place of page.querySelectorAll("[data-picture]")) {
    const scene = entry(scenes[Number(place.dataset.picture)]);
    place.classList.toggle("layer", Boolean(scene.flow)); // its columns need more room than a sheet has
    new Board(place).update({ ...scene, palette });
  }
}

openSheet(document);
