import { button, element } from "./elements.js";

const MAX_HEAD_BUTTONS = 4; // more heads are a list

/** One button for each head, or a list of many: it explains the same query in that head. */
export function headChoice({ heads }, choose) {
  if (!choose || !heads || heads.count < 2) return [];
  const all = Array.from({ length: heads.count }, (_, head) => head);
  if (heads.count > MAX_HEAD_BUTTONS) {
    const list = element("select", "speed", ...all.map((head) => element("option", "", `head ${head}`)));
    Object.assign(list, { selectedIndex: heads.chosen, ariaLabel: "Head" });
    list.addEventListener("change", () => choose("head", list.selectedIndex));
    return [list];
  }
  const made = all.map((head) => button("option", String(head), `Head ${head}`, () => choose("head", head)));
  made.forEach((one, head) => one.setAttribute("aria-pressed", String(head === heads.chosen)));
  return [element("span", "choice", element("span", "name", "head"), ...made)];
}
