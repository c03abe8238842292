// A page of the menu that is opened in a new tab, or whose link is copied, gets the present choices.
(() => {
  const linkOf = ({ target }) => target.closest?.("a[data-testid^=stTopNav], a[data-testid^=stSidebarNav]");
  for (const act of ["pointerdown", "focusin"]) {
    window.addEventListener(act, (event) => {
      const link = linkOf(event);
      if (link) link.search = window.location.search;
    }, true);
  }
  // Streamlit would open it in this tab.
  window.addEventListener("click", (event) => {
    const isNew = event.ctrlKey || event.metaKey || event.shiftKey;
    if (isNew && linkOf(event)) event.stopPropagation();
  }, true);
})();
