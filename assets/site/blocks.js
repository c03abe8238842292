// A page that is no step: blocks of words, fields, buttons and boards, from top to bottom.
import { createBoard } from "./board/board.js";
import { element } from "./board/draw/elements.js";
import { fieldOf, show } from "./controls.js";

/** The blocks of a page in a box; acts: changed(name, value) for a field or a button, pinned(cell, axes) for a cell of a board. */
export class Blocks {
  constructor(box, acts) {
    [this.box, this.acts, this.drawn] = [box, acts, []];
  }

  /** Draw blocks. Boards and fields that stay keep the keyboard. */
  update(blocks) {
    const shape = JSON.stringify(blocks.map(({ board, fields, button }) => [Boolean(board), fields?.map(({ name, options }) => [name, options]), button]));
    if (shape !== this.shape) this.rebuild(blocks, shape);
    blocks.forEach((block, place) => this.drawn[place](block));
  }

  rebuild(blocks, shape) {
    const { name } = this.box.contains(document.activeElement) ? document.activeElement : {};
    this.shape = shape;
    const parts = blocks.map((block) => {
      const part = element("section", "block");
      return [part, this.drawerOf(block, part)];
    });
    this.drawn = parts.map(([, draw]) => draw);
    this.box.replaceChildren(...parts.map(([part]) => part));
    if (name) this.box.querySelector(`[name="${name}"]`)?.focus();
  }

  // What shows a block in its part of the page, now and after each change.
  drawerOf({ board, fields, button }, part) {
    if (board) return this.boardOf(part);
    if (fields) {
      const form = part.appendChild(element("form", "fields"));
      form.addEventListener("submit", (event) => event.preventDefault());
      form.append(...fields.map((one) => fieldOf(one, this.acts.changed)));
      return (block) => block.fields.forEach((one) => show(form.elements[one.name], one));
    }
    if (button) {
      const press = part.appendChild(element("button", "act", button));
      return ({ name, value }) => Object.assign(press, { type: "button", name, onclick: () => this.acts.changed(name, value) });
    }
    return (block) => drawWords(part, block);
  }

  boardOf(part) {
    let scene = null;
    const onPin = (cell) => {
      const axes = scene.arrays[cell.array].axes.map((letter) => [letter, scene.axes[letter].block]);
      this.acts.pinned(cell, axes);
    };
    const board = createBoard(part, { onPin, onEdit: () => {}, onOpen: () => {}, onChoose: () => {} });
    return (block) => {
      scene = block.board;
      board.update(scene);
    };
  }
}

function drawWords(part, { heading, text, lines = [], tone }) {
  part.className = `block ${tone ?? ""}`;
  if (tone) part.setAttribute("role", "status");
  const words = [heading && element("h2", "", heading), text && element("p", "", text), lines.length > 0 && element("pre", "", lines.join("\n"))];
  part.replaceChildren(...words.filter(Boolean));
}
