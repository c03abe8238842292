// What makes a second visit need no network: sw.js keeps the files of one version, and the page tells when there is a newer one.

/** Keep the site for later visits, once this one has all it needs. news: where a new version is announced. */
export async function keepForLater(news) {
  const { serviceWorker } = navigator; // none without https
  if (!serviceWorker) return;
  const wasKept = Boolean(serviceWorker.controller);
  // All tabs show one version.
  serviceWorker.addEventListener("controllerchange", () => wasKept && window.location.reload());
  const kept = await serviceWorker.register("sw.js").catch(() => null); // a frame of another site may not keep anything
  const announce = () => {
    if (!kept.waiting || !wasKept) return;
    const load = Object.assign(document.createElement("button"), { type: "button", textContent: "Load it" });
    load.onclick = () => kept.waiting.postMessage("take over");
    news.replaceChildren("A new version is ready. ", load);
    news.hidden = false;
  };
  if (kept) announce();
  kept?.addEventListener("updatefound", () => kept.installing?.addEventListener("statechange", announce));
}
