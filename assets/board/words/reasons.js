// What to look at in a step, why it is so, and what to try: three sentences, one at a time.
import { button, element } from "../draw/elements.js";

const KINDS = ["See", "Why", "Try"];
const shown = { title: "", place: 0, folded: null }; // a step begins with the first sentence; what was folded or unfolded stays so

/**
 * The three sentences of a step as an element; null for a step that has none. act(name, value) makes a choice; can(name) says
 * whether it is in reach here; changed is called when they need other room.
 */
export function reasonsOf({ title, says, reasons }, { act, can, changed }) {
  if (!reasons) return says ? element("p", "sentence", says) : null;
  const { now, why, tries } = reasons;
  if (shown.title !== title) Object.assign(shown, { title, place: 0 });
  const way = tries.find((one) => can(one.act)) ?? tries[0];
  const what = [[says && `${says} `, element("span", "now", now)], [why], [way.text, way.act && can(way.act) ? button("option", way.label, way.label, () => act(way.act, way.value)) : null]];
  const told = what.map((parts, i) => element("p", "sentence", element("b", "kind", KINDS[i]), element("span", "text", ...parts.slice(0, i === 0 ? 2 : 1)), i ? parts[1] : null));
  const [back, count, on] = [button("option", "‹", "Previous sentence", () => turn(-1)), element("span", "count"), button("option", "›", "Next sentence", () => turn(1))];
  const fold = button("option fold", "", "Fold to one line", () => turnOver());
  const root = element("div", "reasons", element("div", "turn", back, count, on, fold), element("div", "told", ...told));
  let brief = false; // whether the sentences are folded until they are unfolded
  const tell = () => {
    const folded = shown.folded ?? brief;
    told.forEach((one, i) => one.classList.toggle("shown", i === shown.place));
    count.textContent = `${shown.place + 1}/${told.length}`;
    root.classList.toggle("folded", folded);
    fold.textContent = folded ? "▾" : "▴";
    fold.setAttribute("aria-expanded", String(!folded));
  };
  const turn = (by) => {
    shown.place = (shown.place + by + told.length) % told.length;
    tell();
  };
  const turnOver = () => {
    shown.folded = !(shown.folded ?? brief);
    changed();
  };
  root.fold = (isBrief) => {
    brief = isBrief;
    tell();
  };
  root.fold(false);
  return root;
}
