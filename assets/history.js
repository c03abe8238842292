// Streamlit makes an entry of the history for each value that the address gets. One act of the reader shall be one entry:
// whatever the page writes without a new act, such as the last head for one that there is not, replaces the entry; so
// does another page where the act has emptied the address of this one before, which stays as it was in the entry before.
// And a step back to an entry that says nothing of a choice takes that choice back; the server cannot tell it from a quick
// second act, which comes with the address of before the first, so such an entry says it: "unset=head.query".
(() => {
  const { history, location } = window;
  if (history.attentionLab) return;
  history.attentionLab = true;
  const [push, replace] = [history.pushState, history.replaceState].map((write) => write.bind(history));
  let acted = false;
  let entered = false; // whether the last act has its entry
  let left = new URL(location.href);
  for (const act of ["pointerdown", "keydown"]) window.addEventListener(act, () => begin(true), true);
  function begin(act) {
    acted = act;
    entered = false;
  }
  history.pushState = (state, unused, address) => {
    const { pathname } = new URL(address ?? "", location.href);
    const isNew = acted || (pathname !== location.pathname && !entered);
    (isNew ? push : replace)(state, unused, address);
    acted = false;
    entered ||= isNew;
    left = new URL(location.href);
  };
  window.addEventListener("popstate", () => begin(false), true);
  // When it hears popstate, Streamlit has read the address already; browsers without this event keep the choice.
  window.navigation?.addEventListener("currententrychange", ({ navigationType }) => {
    if (navigationType !== "traverse") return;
    const [before, now] = [left, new URL(location.href)];
    left = now;
    const gone = [...before.searchParams.keys()].filter((name) => name !== "unset" && !now.searchParams.has(name));
    if (!gone.length || now.pathname !== before.pathname) return;
    replace(history.state, "", `${now}${now.search ? "&" : "?"}unset=${gone.join(".")}`);
  });
})();
