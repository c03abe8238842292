import mountBoard from "../../assets/board/component.js";
import mountChart from "../../assets/chart/component.js";
import { written } from "./scenes.js";
import { click, dressedScene, placeFor, press, sent } from "./stand.js";
import { assert, test } from "./testing.js";

test("a board stays while the page runs again, tells the newest run, and is gone with its place", () => {
  const parentElement = placeFor(1000);
  const told = [];
  const run = (name, data = written(dressedScene(), 1)) =>
    mountBoard({ data, parentElement, setTriggerValue: (kind, value) => told.push([name, kind, value.array]) });
  run("first");
  const section = parentElement.querySelector("section");
  const end = run("second");
  assert.ok(parentElement.querySelector("section") === section);
  const { board } = parentElement.attentionBoard;
  const stand = { board, find: (selector) => parentElement.querySelector(selector) };
  click(stand, "left", [0, 0, 0]);
  assert.deepEqual(told, [["second", "pin", "left"]]);
  end();
  assert.deepEqual([parentElement.querySelector("section"), parentElement.attentionBoard], [null, undefined]);
  run("third");
  assert.ok(parentElement.querySelector("section"));
  parentElement.attentionBoard.board.destroy();
});

test("a board at rest keeps its picture out of reach, and the same scene wakes it", () => {
  const parentElement = placeFor(1000);
  const run = (data) => mountBoard({ data, parentElement, setTriggerValue: () => {} });
  const end = run({ rests: true });
  const section = parentElement.querySelector("section");
  assert.ok(!section.classList.contains("rests"), "there is no picture yet");
  const scene = () => written(dressedScene(), 1);
  const state = (data) => (run(data), [section.classList.contains("rests"), section.querySelector(".stage").inert, section.querySelector(".arithmetic").textContent]);
  const [, , told] = state(scene());
  const rests = [true, true, told];
  assert.deepEqual([{ rests: true }, { rests: true }, scene()].map(state), [rests, rests, [false, false, told]]);
  end();
});

test("a chart whose library does not load says so, under the name of what it would show", async () => {
  const parentElement = document.body.appendChild(document.createElement("div"));
  const data = { figure: { data: [], layout: { height: 200, meta: { description: "all heads" } } }, clickable: true, library: "none.js" };
  const end = mountChart({ data, parentElement });
  const host = parentElement.querySelector(".chart");
  for (let waited = 0; !host.textContent && waited < 100; waited += 1) await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(host.textContent, "This chart could not be drawn: plotly.js did not load. Reload the page.");
  assert.deepEqual([host.getAttribute("aria-label"), host.getAttribute("role"), host.style.height], ["all heads", "figure", "200px"]);
  assert.ok(host.classList.contains("clickable"));
  end();
  assert.deepEqual([parentElement.children.length, parentElement.attentionChart], [0, undefined]);
});

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
