// A page as blocks (attention_viz/blocks.py): words, choices, boards, charts and tables from top to bottom.
import { Board } from "./board/board.js";
import { element } from "./board/draw/elements.js";
import { mathOf } from "./board/words/words.js";
import mountChart from "./chart/component.js";
import { fieldOf, focusOn, show } from "./controls.js";

const PLOTLY = new URL("plotly/plotly.js", document.baseURI).href;
const IN_SPACE = new URL("plotly/in-space.js", document.baseURI).href; // four times as large

/** The blocks of a page in a box; acts: do(act) for what a visitor does, and go(href) for a link in a text, take(name) for a file, open(label) for what is unfolded. */
export class Blocks {
  constructor(box, acts) {
    Object.assign(this, { box, acts, drawn: [], parts: [] });
  }

  /** Draw blocks. Boards, charts and fields that stay keep the keyboard. */
  update(blocks) {
    const shape = JSON.stringify(blocks.map(shapeOf));
    if (shape !== this.shape) this.rebuild(blocks, shape);
    blocks.forEach((block, place) => this.drawn[place](block));
  }

  rebuild(blocks, shape) {
    const { name } = this.box.contains(document.activeElement) ? document.activeElement : {};
    this.shape = shape;
    const parts = blocks.map((block) => {
      const kind = block.kind === "board" ? "scene" : block.kind; // “board” is the class of the board itself
      const part = element(block.kind === "folded" ? "details" : "section", `block ${kind}`);
      return [part, DRAWERS[block.kind](part, this.acts, block)];
    });
    this.drawn = parts.map(([, draw]) => draw);
    this.box.replaceChildren(...parts.map(([part]) => part));
    if (name) focusOn(this.box, name);
  }
}

// What must stay the same for a block to keep its elements.
function shapeOf({ kind, items, parts, label }) {
  return [kind, label, parts?.length, items?.map((one) => [one.kind, one.name ?? one.label, one.options])];
}

// For each kind of block, what makes its elements in a part of the page, and gives what fills them now and after each change.
const DRAWERS = {
  question: (part) => ({ title, text }) => part.replaceChildren(element("h1", "", title), element("p", "", text)),
  heading: (part, acts) => ({ words }) => part.replaceChildren(element("h2", "", ...drawn(words, acts))),
  text: (part, acts) => ({ words, small }) => {
    part.classList.toggle("small", small);
    part.replaceChildren(...drawn(words, acts));
  },
  note: (part, acts) => {
    part.setAttribute("role", "status");
    return ({ words, tone }) => {
      part.className = `block note ${tone}`;
      part.replaceChildren(...drawn(words, acts));
    };
  },
  formula: (place) => ({ part }) => place.replaceChildren(mathOf(part)),
  code: (part) => ({ text }) => part.replaceChildren(element("pre", "", text)),
  table: (part, acts) => ({ cells: [head, ...rows], numbers, scrolls }) => {
    part.classList.toggle("scrolls", Boolean(scrolls));
    const line = (tag) => (cells) => element("tr", "", ...cells.map((words) => element(tag, "", ...drawn(words, acts))));
    const table = element("table", numbers ? "numbers" : "", element("thead", "", line("th")(head)), element("tbody", "", ...rows.map(line("td"))));
    part.replaceChildren(table);
  },
  row: (part, acts, { items }) => {
    const form = part.appendChild(element("form"));
    form.addEventListener("submit", (event) => event.preventDefault());
    const fills = items.map((item) => itemOf(form, item, acts));
    return (block) => block.items.forEach((item, place) => fills[place](item));
  },
  board: (part, acts) => {
    let sent = null;
    const onPin = (cell) => {
      const { axes, arrays } = sent.board;
      if (sent.press) return acts.do({ press: sent.press, cell });
      const { shape } = arrays[cell.array];
      const sets = sent.sets[cell.array];
      if (sets) return acts.do({ changes: filled(sets, cell.index), to: sent.opens });
      const place = cell.index.reduce((sum, at, axis) => sum * shape[axis] + at, 0);
      const changes = sent.clicks[cell.array]?.[place] ?? {};
      acts.do({ pin: cell, axes: arrays[cell.array].axes.map((letter) => [letter, axes[letter].block]), changes });
    };
    const board = new Board(part, { onPin, onEdit: (edit) => acts.do({ edit }), onOpen: () => {}, onChoose: () => {} });
    return (block) => {
      sent = block;
      board.update(block.board);
    };
  },
  share: (part) => ({ page, file, own, changes }) => {
    if (file) return part.replaceChildren(element("pre", "", new URL(file, document.baseURI).href));
    const query = new URLSearchParams(window.location.search);
    for (const name of own) query.delete(name);
    for (const [name, text] of Object.entries(changes)) query.set(name, text);
    part.replaceChildren(element("pre", "", new URL(`?${query}#${page}`, document.baseURI).href));
  },
  later: (part, acts) => {
    let timer = 0;
    return ({ seconds, changes }) => {
      clearTimeout(timer);
      timer = setTimeout(() => part.isConnected && acts.do({ changes }), 1000 * seconds);
    };
  },
  chart: (part, acts) => (block) => {
    const setTriggerValue = (_, { name }) => acts.do({ changes: block.clicks[name] ?? {}, to: block.opens });
    const { figure, name } = block;
    const data = { figure, clickable: Object.keys(block.clicks).length > 0, library: figure.layout.scene ? IN_SPACE : PLOTLY, name };
    part.classList.toggle("wide", block.wide);
    mountChart({ data, parentElement: part, setTriggerValue });
  },
  beside: (part, acts, { parts, widths, align }) => {
    part.classList.toggle("top", align === "top");
    part.style.setProperty("--widths", widths.map((one) => `minmax(0, ${one}fr)`).join(" "));
    const inside = parts.map(() => new Blocks(part.appendChild(element("div")), acts));
    return (block) => inside.forEach((one, place) => one.update(block.parts[place]));
  },
  folded: (part, acts, { label, opened }) => {
    part.open = opened;
    part.append(element("summary", "", label));
    const box = part.appendChild(element("div", "", "Computing …"));
    const inside = new Blocks(box, acts);
    let isMade = true;
    part.addEventListener("toggle", () => part.open && !isMade && acts.open(label));
    return ({ blocks }) => {
      isMade = blocks !== null;
      if (isMade) inside.update(blocks);
      else if (part.open) acts.open(label);
    };
  },
};

// What a click sets, with the places of the cell in their places.
function filled(sets, index) {
  return Object.fromEntries(Object.entries(sets).map(([name, text]) => [name, text.replace(/\{(\d)\}/g, (_, axis) => index[axis])]));
}

// A field, a button, a link or a file in a row; gives what fills it.
function itemOf(form, item, acts) {
  if (!["button", "link", "file"].includes(item.kind)) {
    form.append(fieldOf(item, (name, value) => acts.do({ name, value })));
    return (one) => show(form.elements[one.name], one);
  }
  const press = form.appendChild(element("button", item.kind === "link" ? "link" : "act", item.label));
  press.type = "button";
  return ({ label, help, changes, to, file, off }) => {
    const isAway = item.kind === "link" && !to;
    press.textContent = label;
    press.disabled = isAway || off;
    press.title = isAway ? "In the app: pip install, then streamlit run app.py" : (help ?? "");
    press.onclick = () => (file ? acts.take(file) : acts.do({ changes, to }));
  };
}

// Words as elements: nested lists of a tag, its attributes, then texts and parts.
function drawn(words, acts) {
  return words.map((part) => (typeof part === "string" ? part : elementOf(part, acts)));
}

function elementOf([tag, attributes, ...parts], acts) {
  if (tag === "math") return mathOf([tag, attributes, ...parts]);
  const made = element(tag, "", ...drawn(parts, acts));
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (attributes.href?.startsWith("?")) {
    made.addEventListener("click", (event) => {
      event.preventDefault();
      acts.go(attributes.href);
    });
  }
  return made;
}
