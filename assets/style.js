// A style sheet comes once, with the first run that ends or when it changes, and stays in the page, behind all that Streamlit
// writes into its head.
for (const [id, textContent] of Object.entries(STYLE_SHEETS)) {
  const style = document.getElementById(id) ?? document.body.appendChild(document.createElement("style"));
  Object.assign(style, { id, textContent });
}
