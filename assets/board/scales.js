import { element } from "./elements.js";

/** What the colours of a scene mean, as an element: parts {scale, low, high} of its legend; null where it has none. */
export function legendOf({ legend }) {
  if (!legend?.length) return null;
  const parts = legend.flatMap(({ scale, low = "", high = "" }) => [element("span", "space"), low, " ", element("i", scale), " ", high]);
  return element("span", "legend", ...parts.slice(1));
}
