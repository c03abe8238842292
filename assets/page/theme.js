// The server sends pictures with their colours. So when the system turns dark or light, the page runs once more.
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  setTimeout(() => window.dispatchEvent(new PopStateEvent("popstate")), 500);
});
