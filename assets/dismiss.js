// Closes Streamlit's dialog "Page not found" when the address does name a page of the app (see attention_ui/frame.py).
(() => {
  const known = KNOWN_PAGES;
  const page = location.pathname.split("/").filter(Boolean).pop();
  if (!known.includes(page)) return;
  const close = () => {
    for (const dialog of document.querySelectorAll("[role=dialog]")) {
      if (dialog.textContent.includes("Page not found")) dialog.querySelector("button")?.click();
    }
  };
  const observer = new MutationObserver(close);
  observer.observe(document.body, { childList: true, subtree: true });
  setTimeout(() => observer.disconnect(), 10000);
  close();
})();
