// In a window without room for the sidebar beside the picture, the sidebar is a drawer over it, closed at first (see the style sheet).
(() => {
  if (window.attentionDrawer) return;
  window.attentionDrawer = true;
  const narrow = matchMedia("(max-width: 1179px)");
  const press = (part) => document.querySelector(part)?.click();
  const fit = () => {
    const isOpen = document.querySelector("[data-testid=stSidebar]")?.dataset.collapsed === "false";
    if (narrow.matches && isOpen) press("[data-testid=stSidebarCollapseButton] button");
    if (!narrow.matches && !isOpen) press("[data-testid=stExpandSidebarButton]");
  };
  fit();
  // On a phone, where the drawer is low while a sentence is typed, its picture stands right below: a keyboard takes the rest.
  const phone = matchMedia("(max-width: 640px)");
  const isTyped = (part) => phone.matches && part?.closest?.(".st-key-text");
  const showSentence = () => requestAnimationFrame(() => {
    for (const { shadowRoot } of document.querySelectorAll("[data-drawn]")) shadowRoot?.querySelector(".arcs:not([hidden])")?.scrollIntoView();
    if (isTyped(document.activeElement)) document.activeElement.scrollIntoView({ block: "center" });
  });
  document.addEventListener("focusin", ({ target }) => isTyped(target) && showSentence());
  window.visualViewport?.addEventListener("resize", () => isTyped(document.activeElement) && showSentence());
  // A sentence that is typed is looked at: the drawer over the picture closes.
  document.addEventListener("keyup", ({ key, target }) => {
    if (key === "Enter" && narrow.matches && target.closest?.(".st-key-text")) fit();
  });
  narrow.addEventListener("change", fit);
})();
