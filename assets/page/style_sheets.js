// A style sheet is sent once, with the first complete run or when it changes. It stays in the page, after all that Streamlit
// writes into the head.
for (const [id, textContent] of Object.entries(STYLE_SHEETS)) {
  const style = document.getElementById(id) ?? document.body.appendChild(document.createElement("style"));
  Object.assign(style, { id, textContent });
}
