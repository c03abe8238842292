// Streamlit makes an entry of the history for each value that the address gets. One act of the reader shall be one entry:
// whatever the page writes without a new act, such as the last head for one that there is not, replaces the entry.
(() => {
  const { history } = window;
  if (history.attentionLab) return;
  history.attentionLab = true;
  const [push, replace] = [history.pushState, history.replaceState].map((write) => write.bind(history));
  let acted = false;
  for (const act of ["pointerdown", "keydown"]) window.addEventListener(act, () => (acted = true), true);
  window.addEventListener("popstate", () => (acted = false), true);
  history.pushState = (state, unused, address) => {
    const { pathname } = new URL(address ?? "", window.location.href);
    (acted || pathname !== window.location.pathname ? push : replace)(state, unused, address);
    acted = false;
  };
})();
