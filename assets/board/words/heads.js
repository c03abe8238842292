import { button, element } from "../draw/elements.js";

const MAX_HEAD_BUTTONS = 4; // more heads are a list

/** One button for each head, or a list of many: it explains the same query in that head. `markHead` marks the one shown. */
export function headChoice({ heads }, choose) {
  if (!choose || !heads || heads.count < 2) return [];
  const all = Array.from({ length: heads.count }, (_, head) => head);
  if (heads.count > MAX_HEAD_BUTTONS) {
    const list = element("select", "speed", ...all.map((head) => element("option", "", `head ${head}`)));
    list.setAttribute("aria-label", "Head");
    list.addEventListener("change", () => choose("head", list.selectedIndex));
    return [list];
  }
  const made = all.map((head) => button("option", String(head), `Head ${head}`, () => choose("head", head)));
  made.forEach((one, head) => (one.dataset.head = head));
  return [element("span", "choice", element("span", "name", "head"), ...made)];
}

/** Mark the button of the head that is shown, which a key in a matrix may have changed. slices: the index shown of each array. */
export function markHead(root, { stage, arrays }, slices) {
  const name = Object.keys(arrays).find((one) => arrays[one].axes.includes(stage?.heads?.axis));
  if (!name) return;
  const head = slices[name][arrays[name].axes.indexOf(stage.heads.axis)];
  const list = root.querySelector("select[aria-label=Head]");
  if (list) list.selectedIndex = head;
  for (const one of root.querySelectorAll("[data-head]")) one.setAttribute("aria-pressed", String(Number(one.dataset.head) === head));
}
