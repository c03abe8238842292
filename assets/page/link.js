// A button in the corner of the window copies the link to the page. Without permission, and on a page without encryption,
// there is no clipboard: then the old copy command is tried, and if that fails a field shows the link, selected, to be
// copied by hand.
(() => {
  if (document.getElementById("attention-corner")) return;
  const made = (name, about, ...within) => {
    const element = Object.assign(document.createElement(name), about);
    element.append(...within);
    return element;
  };
  const said = made("span", { role: "status", className: "said" });
  const button = made("button", { type: "button", title: "Copy the link to what is shown", className: "link" });
  button.setAttribute("aria-label", "Copy link");
  const drawn = (name, about, ...within) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [attribute, value] of Object.entries(about)) element.setAttribute(attribute, value);
    element.append(...within);
    return element;
  };
  // Two links of a chain, as a path and not as HTML text: Streamlit stops scripts that contain tags.
  const d = "M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7L12 7M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.7L12 17";
  const pen = { fill: "none", stroke: "currentColor", "stroke-width": 2, "stroke-linecap": "round" };
  button.append(drawn("svg", { viewBox: "0 0 24 24", width: 20, height: 20, "aria-hidden": true }, drawn("path", { d, ...pen })));
  const field = made("input", { type: "text", readOnly: true });
  field.setAttribute("aria-label", "The link, to be copied");
  const byHand = made("div", { className: "by-hand", hidden: true }, made("span", { textContent: "Copy the link:" }), field);
  const corner = made("aside", { id: "attention-corner" }, said, button, byHand);
  corner.setAttribute("aria-label", "Link and class");
  document.body.append(corner);

  let stays = 0;
  const say = (text) => {
    said.textContent = text;
    clearTimeout(stays);
    stays = setTimeout(() => { said.textContent = ""; }, 2500);
  };
  const hide = () => { byHand.hidden = true; };
  const byClipboard = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      return false;
    }
  };
  const select = (text) => {
    byHand.hidden = false;
    field.value = text;
    field.focus();
    field.select();
  };
  // Also for other scripts: copies a text, or shows it to be copied by hand; gives whether it was copied.
  window.attentionCopy = async (text) => {
    hide();
    if (await byClipboard(text)) return say("Copied"), true;
    select(text);
    let done = false;
    try {
      done = document.execCommand("copy");
    } catch { /* a browser that has lost the command */ }
    if (!done) return false;
    hide();
    button.focus();
    return say("Copied"), true;
  };
  button.addEventListener("click", () => window.attentionCopy(window.location.href));
  byHand.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape") return;
    hide();
    button.focus();
  });
  document.addEventListener("pointerdown", ({ target }) => { if (!corner.contains(target)) hide(); }, true);
})();
