// The chapters of the book, as links in a bar at the top: each leads to the first page of its chapter. In a narrow window and
// in a lecture they are behind one button, with the pages of every chapter; the one that is read is open.
// Its data: {chapters: [{title, pages: [{title, path, away}]}], hash: whether a page is a place of this URL and not its path}.
(() => {
  if (document.getElementById("attention-book")) return;
  const { chapters, hash } = BOOK;
  const made = (name, about, ...within) => {
    const element = Object.assign(document.createElement(name), about);
    element.append(...within);
    return element;
  };
  const hereOf = () => {
    const path = hash ? window.location.hash.slice(1) : window.location.pathname.split("/").pop();
    const known = chapters.some(({ pages }) => pages.some((page) => page.path === path));
    return known ? path : chapters[0].pages[0].path;
  };
  const urlOf = (path) => (hash ? `#${path}` : `./${path}${window.location.search}`);
  const links = [];
  const linkTo = ({ path, away }, text, isHere) => {
    const link = made("a", { href: urlOf(path), textContent: text, className: away ? "away" : "", title: away ? "In the app" : "" });
    // With the choices as they are now, also in a new tab.
    for (const act of ["pointerdown", "focus"]) link.addEventListener(act, () => { link.href = urlOf(path); });
    link.addEventListener("click", (event) => {
      close();
      if (hash || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      if (path === hereOf()) return;
      window.history.pushState(null, "", urlOf(path));
      window.dispatchEvent(new PopStateEvent("popstate")); // as when the browser goes back: Streamlit follows it
      document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0);
    });
    links.push([link, isHere]);
    return link;
  };

  const bar = made("div", { className: "chapters" });
  const list = made("div", { className: "list", id: "attention-pages", hidden: true });
  const button = made("button", { type: "button", className: "pages", textContent: "Pages" });
  button.setAttribute("aria-expanded", "false");
  button.setAttribute("aria-controls", list.id);
  const folds = chapters.map(({ title, pages }) => {
    const holds = (path) => pages.some((page) => page.path === path);
    bar.append(linkTo(pages[0], title, holds));
    const fold = made("details", { name: "chapter" }, made("summary", { textContent: title }), ...pages.map((page) => linkTo(page, page.title, (path) => path === page.path)));
    list.append(fold);
    return [fold, holds];
  });
  const root = made("nav", { id: "attention-book" }, bar, button, list);
  root.setAttribute("aria-label", "Chapters");
  document.body.prepend(root);

  const show = (isOpen) => {
    list.hidden = !isOpen;
    button.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) for (const [fold, holds] of folds) fold.open = holds(hereOf());
  };
  const close = () => show(false);
  button.addEventListener("click", () => show(list.hidden));
  root.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !list.hidden) {
      close();
      button.focus();
    }
  });
  document.addEventListener("pointerdown", ({ target }) => { if (!root.contains(target)) close(); }, true);

  const mark = () => {
    const path = hereOf();
    for (const [link, isHere] of links) {
      if (isHere(path)) link.setAttribute("aria-current", link.parentElement === bar ? "true" : "page");
      else link.removeAttribute("aria-current");
    }
  };
  mark();
  // A page is opened in many ways; each gives the tab its title.
  new MutationObserver(mark).observe(document.head, { childList: true, characterData: true, subtree: true });
  window.addEventListener("popstate", () => setTimeout(mark));

  // Beside Streamlit's sidebar, however wide it is drawn; the part of the page beside it may be made anew.
  let beside = null;
  const sizes = new ResizeObserver(() => root.style.setProperty("--left", `${beside.getBoundingClientRect().left}px`));
  const watch = () => {
    if (beside?.isConnected) return;
    sizes.disconnect();
    beside = document.querySelector("[data-testid=stMain]");
    if (beside) sizes.observe(beside);
  };
  new MutationObserver(watch).observe(document.body, { childList: true, subtree: true });
  watch();
})();
