import { Board } from "../../assets/board/board.js";
import { array, productScene } from "./scenes.js";
import { afterwards } from "./testing.js";

const [GREY, INK] = ["#888888", "#222222"];
const NAMES = ["background", "text", "muted", "line", "primary", "focus", "key", "query", "output", "hidden", "hatch"];
const SCALES = { logit: [[0, GREY], [1, GREY]], probability: [[0, GREY], [1, GREY]] };
const PALETTE = { ...Object.fromEntries(NAMES.map((name) => [name, INK])), ...SCALES };

/** The scene of a product in two colours; change: what is done to it before. */
export function dressedScene(change = () => {}) {
  const scene = { ...productScene(), palette: PALETTE };
  change(scene);
  return scene;
}

/** The scene with a panel whose numbers can be changed. */
export const editable = (place) => dressedScene(({ panels }) => Object.assign(panels[place], { editable: true }));

/** What changes a scene: so many of 100 columns were sent, of which 64 are seen at a time. */
export const sent = (start, count) => (scene) => {
  scene.axes.S.labels = Array.from({ length: 100 }, (_, i) => `s${i}`);
  scene.arrays.right = array([count, 3], "SK", Array(3 * count).fill(1), { start: [start, 0], whole: [100, 3] });
  scene.arrays.result = array([2, 2, count], "HTS", Array(4 * count).fill(1), { start: [0, 0, start], whole: [2, 2, 100] });
  scene.cell = { array: "result", index: [0, 0, start] };
};

/** What a board needs of its style sheet. */
export const BOARD_STYLE = ".board, .stage { position: relative } .panel, .editor { position: absolute } .overlay { pointer-events: none }";

/** A place on the page for a board, so many px wide. */
export function placeFor(width) {
  const root = document.createElement("div");
  root.style.cssText = `position: absolute; inset: 0 auto auto 0; width: ${width}px`;
  root.append(Object.assign(document.createElement("style"), { textContent: BOARD_STYLE }));
  document.body.append(root);
  return root;
}

/** A board on the page, so many px wide, with what it told of in calls: [handler, what it got] of each; end() takes it away before the test is over. */
export function standing(scene = dressedScene(), width = 1000) {
  const root = placeFor(width);
  const calls = [];
  const handlers = Object.fromEntries(["onPin", "onEdit", "onOpen"].map((name) => [name, (told) => calls.push([name, told])]));
  const board = new Board(root, handlers);
  board.update(scene);
  const find = (selector) => root.querySelector(selector);
  const panel = (id) => find(`[data-panel="${id}"]`);
  const end = () => (board.destroy(), root.remove());
  afterwards(end);
  return { root, board, calls, find, panel, end };
}

/** Where a cell is, as an event says it. */
export function at({ board }, array, index) {
  const { x, y } = board.where({ array, index });
  return { clientX: x, clientY: y, bubbles: true, cancelable: true };
}

/** Point at a cell, by mouse unless another kind is told. */
export function point(stand, array, index, pointerType = "mouse") {
  stand.find(".stage").dispatchEvent(new PointerEvent("pointermove", { ...at(stand, array, index), pointerType }));
}

/** Click a cell. */
export function click(stand, array, index, kind = "click") {
  stand.find(".stage").dispatchEvent(new MouseEvent(kind, at(stand, array, index)));
}

/** Press a key on a panel; gives whether the browser may still act on it. */
export function press(stand, id, key, more = {}) {
  return stand.panel(id).dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }));
}

/** The current cell in short: "result 0,1,2". */
export function current({ board }) {
  const { array, index } = board.current();
  return `${array} ${index}`;
}
