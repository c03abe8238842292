/** An element with a class and a text; children may be elements or texts. */
export function element(tag, className = "", ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** A button with a text and an accessible name. */
export function button(className, text, name, act) {
  const made = element("button", className, text);
  made.type = "button";
  made.title = name;
  made.setAttribute("aria-label", name);
  made.addEventListener("click", act);
  return made;
}

/** A word of the data, as plain text that is isolated from the direction of its surroundings. */
export function word(text) {
  const made = element("bdi", "word", text.length > 60 ? `${[...text.slice(0, 200)].slice(0, 59).join("")}…` : text);
  made.title = text;
  return made;
}

/** A drawing of one path on a field of 16 by 16, in the colour of the text. */
export function icon(path) {
  const [made, line] = ["svg", "path"].map((tag) => document.createElementNS("http://www.w3.org/2000/svg", tag));
  made.setAttribute("viewBox", "0 0 16 16");
  made.setAttribute("aria-hidden", "true");
  line.setAttribute("d", path);
  made.append(line);
  return made;
}
