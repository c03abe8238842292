import { buildStage, placePanels } from "../../assets/board/draw/stage.js";
import { assert, test } from "./testing.js";

const axes = { T: { word: "row" }, K: { word: "feature" } };
const box = (id, more = {}, panel = {}) => ({
  panel: { id, title: `title ${id}`, badge: "2 × 3", role: "operand", rows: 0, columns: 1, ...panel },
  array: { axes: ["T", "K"] }, worded: true, small: false,
  titleX: 10, titleY: 20, titleWidth: 80, x: 30, y: 50, bodyWidth: 100, bodyHeight: 40, ...more,
});

/** The panels of boxes on a stage; place(boxes) puts others there and gives their panels. */
function placed(...boxes) {
  const parts = buildStage(document.createElement("div"), () => {});
  const place = (all) => {
    placePanels(parts, { axes }, all, 1, (link) => (parts.opened = link));
    return [...parts.panels.children];
  };
  return { parts, place, panels: place(boxes) };
}

test("a panel reaches from its title over its matrix, whichever is wider", () => {
  const extent = ({ style }) => [style.left, style.top, style.width, style.height];
  assert.deepEqual(extent(placed(box("a")).panels[0]), ["10px", "20px", "120px", "70px"]);
  assert.deepEqual(extent(placed(box("a", { titleWidth: 300 })).panels[0]), ["10px", "20px", "300px", "70px"]);
});

test("it has its title, its badge and the axes along which it runs; where titles stand close together no badge", () => {
  const words = (panel) => ["title", "badge", "axes"].map((name) => panel.querySelector(`.${name}`)?.textContent ?? null);
  assert.deepEqual(words(placed(box("a")).panels[0]), ["title a", "2 × 3", "↓ row\u2002→ feature"]);
  assert.deepEqual(words(placed(box("a", { tight: true, worded: false })).panels[0]), ["title a", null, null]);
  assert.deepEqual(words(placed(box("a", {}, { badge: undefined, rows: null })).panels[0]), ["title a", null, "→ feature"]);
  assert.deepEqual(words(placed(box("a", {}, { columns: null })).panels[0])[2], "↓ row");
  const [panel] = placed(box("a")).panels;
  assert.deepEqual([panel.querySelector(".title").title, panel.getAttribute("aria-label")], ["title a", "title a, 2 × 3, ↓ row\u2002→ feature"]);
});

test("keys reach results, operands and stacks; what stands aside and what leads elsewhere is a group", () => {
  const told = (panel) => ["role", "tabindex"].map((name) => placed(box("a", {}, panel)).panels[0].getAttribute(name)).join();
  assert.deepEqual(["result", "operand", "tiles"].map((role) => told({ role })), Array(3).fill("application,0"));
  assert.deepEqual(["aside", "row"].map((role) => told({ role })), ["group,", "group,"]);
  assert.equal(told({ link: "split" }), "group,");
  const { parts, panels } = placed(box("a"));
  assert.equal(panels[0].getAttribute("aria-describedby"), parts.help.id);
});

test("panels that stay are kept in the new order, and others go; a title that is the same is not written anew", () => {
  const { place, panels: [a, b] } = placed(box("a"), box("b"));
  const title = b.querySelector(".title");
  const [first, second] = place([box("b"), box("c")]);
  assert.ok(first === b && b.querySelector(".title") === title && second !== a && second.dataset.panel === "c");
  assert.equal(place([box("b", {}, { title: "other" })])[0].querySelector(".title").textContent, "other");
});

test("every board has its own words about keys", () => {
  assert.ok(placed().parts.help.id !== placed().parts.help.id);
});
