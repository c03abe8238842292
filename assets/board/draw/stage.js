// The elements of a board, the title above each matrix, and what changes around a board: the theme, the typeface, paper.
import { button, element, icon, put } from "./elements.js";

const ROLES = { result: "result", operand: "operand" };
const TABBED = new Set(["result", "operand", "tiles"]);
const KEYS = [
  ["arrow keys", "in a matrix from cell to cell; elsewhere to the previous and next page of the chapter"],
  ["Home, End", "first and last cell of the row"],
  ["Page up, Page down", "previous and next matrix of a stack"],
  ["Enter or Space", "pin the cell: everything else follows it"],
  ["Escape", "back to the pinned cell; from there out of the matrix"],
  ["Tab", "next matrix"],
];
let boards = 0;

/** Put the elements of a board into root, in reading order. keep(kind): saves a picture. */
export function buildStage(root, keep) {
  boards += 1;
  const make = (tag, names) => Object.fromEntries(names.map((name) => [name, element(tag, name)]));
  const parts = {
    ...make("canvas", ["base", "overlay"]),
    ...make("div", ["spot", "panels", "windows", "player", "chosen", "arithmetic", "guess", "arcs", "words", "onward"]),
    strip: element("nav", "strip"),
    black: element("button", "black"),
    help: element("p", "unseen", `${KEYS.map(([key, act]) => `${key}: ${act}`).join("; ")}.`),
    live: element("p", "unseen"),
  };
  const { base, overlay, arithmetic, arcs, black, help, live } = parts;
  for (const canvas of [base, overlay]) canvas.setAttribute("aria-hidden", "true");
  help.id = `board-keys-${boards}`;
  live.setAttribute("aria-live", "polite");
  arithmetic.dataset.arithmetic = "";
  Object.assign(arcs, { role: "group", ariaLabel: "The sentence", hidden: true });
  Object.assign(black, { hidden: true, ariaLabel: "Black screen: press b or click to go on" });
  const stage = element("div", "stage", base, parts.panels, overlay, parts.spot);
  const controls = element("div", "controls", parts.windows, parts.player, parts.chosen, saveMenu(keep), keysHelp());
  const dock = element("div", "dock", controls, arithmetic, parts.guess);
  const section = element("section", "board", parts.strip, help, parts.words, arcs, stage, dock, parts.onward, live, black);
  root.append(section);
  return { ...parts, controls, section, stage, dock };
}

/** Show a board only when its style sheet has arrived, without which the layout would be wrong; gives whether it has. */
export function showStyled(section) {
  const styled = getComputedStyle(section).position === "relative";
  section.style.visibility = styled ? "" : "hidden";
  return styled;
}

function saveMenu(keep) {
  const way = (kind, words) => button("option", `${kind.toUpperCase()}: ${words}`, `Save the board as a picture (${kind.toUpperCase()})`, () => keep(kind));
  const ways = element("div", "opened", way("png", "dots, for slides"), way("svg", "lines, sharp at every size"));
  return opener("save", icon("M8 1v8M4.5 6 8 9.5 11.5 6M2 11v3h12v-3"), "Save the board as a picture", ways);
}

function keysHelp() {
  const rows = KEYS.map(([key, act]) => element("div", "", element("dt", "", key), element("dd", "", act)));
  return opener("keys", "?", "? Keys", element("dl", "opened", ...rows));
}

// A round button that opens what it holds, until a choice in it is made or something else is looked at.
function opener(kind, sign, name, held) {
  const summary = element("summary", "", sign);
  Object.assign(summary, { title: name, ariaLabel: name });
  const made = element("details", `opener ${kind}`, summary, held);
  const close = () => (made.open = false);
  held.addEventListener("click", close);
  made.addEventListener("focusout", ({ relatedTarget }) => relatedTarget && !made.contains(relatedTarget) && close());
  made.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !made.open) return;
    event.stopPropagation();
    close();
    summary.focus();
  });
  return made;
}

/** Put a title over every panel; elements of panels that stay are kept, and so is the focus. */
export function placePanels(parts, model, boxes, zoom, open) {
  const kept = new Map([...parts.panels.children].map((child) => [child.dataset.panel, child]));
  const wanted = boxes.map((box) => {
    const made = kept.get(box.panel.id) ?? element("div", "panel");
    if (made.dataset.panel !== box.panel.id) made.dataset.panel = box.panel.id;
    Object.assign(made.dataset, { [box.panel.role === "ribbon" ? "ribbon" : "matrix"]: box.panel.array, role: ROLES[box.panel.role] ?? "aside" });
    dressPanel(made, parts, model, box, zoom, open);
    return made;
  });
  for (const child of [...parts.panels.children]) if (!wanted.includes(child)) child.remove();
  wanted.forEach((made, i) => {
    if (parts.panels.children[i] !== made) parts.panels.insertBefore(made, parts.panels.children[i] ?? null);
  });
}

function dressPanel(made, parts, model, box, zoom, open) {
  const { panel, titleX, titleY, titleWidth, x, y, bodyWidth, bodyHeight, small, tight, broken } = box;
  const [right, bottom] = [Math.max(x + bodyWidth, titleX + titleWidth), y + bodyHeight];
  put(made, { x: titleX, y: titleY, width: right - titleX, height: bottom - titleY });
  made.className = `panel ${small ? "small" : "full"}${tight ? " tight" : ""}${broken ? " broken" : ""} ${panel.role ?? ""}`;
  const words = box.worded ? axesWords(model, box) : "";
  const many = tooMany(model, box);
  const head = JSON.stringify([panel.title, panel.badge, words, panel.link, panel.quiet, tight, many]);
  if (made.dataset.head !== head) {
    made.dataset.head = head;
    made.replaceChildren(...(box.untitled ? [] : heading(panel, words, tight, open, many)));
  }
  const tabbed = TABBED.has(panel.role) && !panel.link;
  const attributes = tabbed
    ? { role: "application", tabindex: "0", "aria-roledescription": "matrix", "aria-describedby": parts.help.id }
    : { role: "group" };
  attributes["aria-label"] = [panel.title, panel.badge, words, many].filter(Boolean).join(", ");
  for (const [name, value] of Object.entries(attributes)) if (made.getAttribute(name) !== value) made.setAttribute(name, value);
  made.style.setProperty("--zoom", box.zoom ?? zoom);
}

// Why the cells of a matrix have no numbers, if they have too little room for them: a step, or numbers beside it, would show them.
function tooMany({ stage, flow }, { small, cell, panel, close }) {
  const isShown = close?.across || close?.down || (stage && !flow);
  return isShown && !small && cell.digits < 0 && ["operand", "result"].includes(panel.role) ? "too many to read" : "";
}

function heading(panel, words, tight, open, many) {
  const title = panel.link ? element("button", "title link", panel.title, tight ? "" : " →") : element("span", "title", panel.title);
  title.title = panel.title ?? "";
  if (panel.link) {
    title.type = "button";
    title.addEventListener("click", (event) => {
      event.stopPropagation();
      open(panel.link);
    });
  }
  const badge = panel.badge && !tight ? badgeOf(panel.badge, panel.quiet, many) : null;
  const head = element("div", "head", title, badge);
  if (!words) return [head];
  const line = element("div", "axes", ...words.split(/(?<=\u2002)/).map((word) => element("span", "", word)));
  line.title = words;
  return [head, line];
}

// The sizes, and the axes in words, which are left out first if room is short, and only spoken if they are quiet. In their place may stand that there are too many cells.
function badgeOf(text, quiet, many) {
  const [sizes, ...axes] = text.split(", ");
  const words = many ? [many] : axes;
  const badge = element("span", "badge", element("span", "sizes", sizes), words.length ? element("span", "unseen", ", ") : null, words.length ? element("span", quiet && !many ? "unseen" : "", words.join(", ")) : null);
  badge.title = [text, many].filter(Boolean).join(", ");
  return badge;
}

/** The axes of a panel in words: "↓ query position → key position". */
export function axesWords(model, { panel, array }) {
  const word = (axis) => model.axes[array.axes[axis]]?.word ?? "";
  const parts = [panel.rows === null ? "" : `↓ ${word(panel.rows)}`, panel.columns === null ? "" : `→ ${word(panel.columns)}`];
  return parts.filter(Boolean).join("\u2002");
}

const SHEET = 1088; // px, which browsers shrink to the width of a sheet

/**
 * Call dress, until the signal ends it, when the surroundings of a board change: the system or JupyterLab turns dark or
 * light, a typeface arrives, the page is printed.
 *
 * Gives {now()}, which says whether the board is printed, where it keeps its width, and whether the theme is dark.
 */
export function watchSurroundings(section, dress, signal) {
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const { body } = document;
  const themes = new MutationObserver(dress); // JupyterLab says its theme there, which need not be the system's
  themes.observe(body, { attributeFilter: ["data-jp-theme-light"] });
  const isDark = () => (body.dataset.jpThemeLight ? body.dataset.jpThemeLight === "false" : system.matches);
  let printed = false;
  const print = ({ type }) => {
    printed = type === "beforeprint";
    section.style.width = printed ? `${Math.min(SHEET, section.clientWidth)}px` : "";
    dress();
  };
  const watched = [
    [system, "change", dress],
    [document.fonts, "loadingdone", dress],
    [window, "beforeprint", print],
    [window, "afterprint", print],
  ];
  for (const [target, event, act] of watched) target?.addEventListener(event, act, { signal });
  signal.addEventListener("abort", () => themes.disconnect());
  return { now: () => ({ printed, dark: isDark() && !printed }) };
}
