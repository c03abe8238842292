// The entry for a sheet of a lesson: a picture of each moment.
import { Board } from "./board.js";
import { openPool } from "./scene/pool.js";

// Each place takes the scene whose number it names, in colours for paper.
function openSheet(page) {
  const { pool, scenes, palette } = JSON.parse(page.getElementById("pictures").textContent);
  const entry = openPool(pool);
  for (const place of page.querySelectorAll("[data-picture]")) {
    new Board(place).update({ ...entry(scenes[Number(place.dataset.picture)]), palette });
  }
}

openSheet(document);
