// The style sheet comes with the first run that ends, alone, and stays in the page, behind all that Streamlit writes into its head.
(() => {
  const id = "attention-lab-style";
  const style = document.getElementById(id) ?? document.body.appendChild(document.createElement("style"));
  Object.assign(style, { id, textContent: STYLE_SHEET });
})();
