// A page of the menu that is opened in a new tab, or whose link is copied, gets the present choices.
// In a narrow window the menu stands in the sidebar, and shows its sections first.
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

  // Streamlit opens all sections at a first visit, keeps those that are folded, and folds by a click alone.
  const SECTION = "[data-testid=stNavSectionHeader]";
  const isOpen = (header) => header.nextElementSibling !== null;
  const say = (header) => header.setAttribute("aria-expanded", isOpen(header));
  const prepare = (headers) => {
    const isFirst = headers.every(isOpen);
    for (const header of headers) {
      header.tabIndex = 0;
      header.role = "button";
      say(header);
      header.onkeydown = (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        header.click();
      };
      header.addEventListener("click", () => setTimeout(say, 100, header));
      if (isFirst) header.click();
    }
  };
  // What has no room in the menu is behind a button that Streamlit calls “16 more”.
  const nameRest = () => {
    const rest = document.querySelector("[data-testid=stTopNav] .rc-overflow-item-rest p");
    if (/^\d+ more$/.test(rest?.textContent)) rest.firstChild.nodeValue = "More";
  };
  const watcher = new MutationObserver(() => {
    nameRest();
    if (!narrow.matches) return;
    const headers = [...document.querySelectorAll(SECTION)].filter((header) => !header.role);
    if (headers.length) prepare(headers);
  });
  const narrow = matchMedia("(max-width: 768px)");
  watcher.observe(document.body, { childList: true, characterData: true, subtree: true });
  nameRest();
})();
