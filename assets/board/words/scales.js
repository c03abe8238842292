import { element } from "../draw/elements.js";

/** The legend of a scene's colours as an element, from its parts {scale, low, high}; null without a legend. */
export function legendOf({ legend }) {
  if (!legend?.length) return null;
  const parts = legend.flatMap(({ scale, low = "", high = "" }) => [element("span", "space"), low, " ", element("i", scale), " ", high]);
  return element("span", "legend", ...parts.slice(1));
}
