// A page of the menu that is opened in a new tab, or whose address is copied, has the choices as they are now.
(() => {
  const linkOf = ({ target }) => target.closest?.("a[data-testid^=stTopNav], a[data-testid^=stSidebarNav]");
  for (const act of ["pointerdown", "focusin"]) {
    window.addEventListener(act, (event) => {
      const link = linkOf(event);
      if (link) link.search = window.location.search;
    }, true);
  }
  // Streamlit would open it in this tab all the same.
  window.addEventListener("click", (event) => {
    const isNew = event.ctrlKey || event.metaKey || event.shiftKey;
    if (isNew && linkOf(event)) event.stopPropagation();
  }, true);
})();
