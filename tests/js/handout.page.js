import { dressedScene, placeFor, press, sent } from "./stand.js";
import { assert, test } from "./testing.js";

test("a hand-out pins its cells, and offers nothing that only the app could do: other numbers, or those it does not have", async () => {
  const root = placeFor(1300);
  root.id = "board";
  const data = Object.assign(document.createElement("script"), { id: "scene", type: "application/json" });
  const scene = dressedScene(sent(5, 90));
  for (const panel of scene.panels) panel.editable = true;
  data.textContent = JSON.stringify(scene);
  root.append(data);
  await import("../../assets/board/handout.js");
  const stand = { panel: (id) => root.querySelector(`[data-panel="${id}"]`) };
  const told = () => root.querySelector(".what").textContent;
  press(stand, "result", "ArrowLeft");
  assert.ok(told().includes("column 5 "), "there is nothing before it");
  press(stand, "result", "ArrowRight");
  press(stand, "result", "Enter");
  stand.panel("result").focus();
  stand.panel("result").blur();
  assert.ok(told().includes("column 6 ") && !told().includes("Edit"), told());
  press(stand, "result", "7");
  assert.equal(root.querySelector(".editor"), null);
  assert.deepEqual([...root.querySelectorAll(".window button")], []);
  root.remove();
});
