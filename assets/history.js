// Streamlit makes an entry of the history for each value that the address gets. One act of the reader shall be one entry:
// whatever the page writes without a new act, such as the last head for one that there is not, replaces the entry.
// The value of a control makes none: Streamlit writes it over the entry, where what follows from it belongs, too.
// And a step back to an entry that says nothing of a choice takes that choice back; the server cannot tell it from a quick
// second act, which comes with the address of before the first, so such an entry says it: "unset=head.query".
// A control's value is the browser's: an answer that was on its way when it was moved, and brings the whole address of
// before, does not take the newer value away. After a click, Enter and the space bar the server can choose values, too.
// Another page opens at its top, however far down the click was that asked for it; Streamlit leaves the place as it was.
// In a tab that outlives its server, the first run of the next one asks for "/" before it knows the pages: Streamlit takes
// the folder pages/ for its older kind of app until then. Only the logo leads there.
(() => {
  const { history, location } = window;
  if (history.attentionLab) return;
  history.attentionLab = true;
  const [push, replace] = [history.pushState, history.replaceState].map((write) => write.bind(history));
  let acted = false;
  let home = false;
  let moved = new Map(); // the control that the reader moved last, unless a click came after it, with its values
  let midway = false; // what an act that opens another page writes on the way is no entry of the page that is left
  let left = new URL(location.href);
  const onAct = ({ target, key }) => {
    [acted, home] = [true, Boolean(target.closest?.("[data-testid=stLogoLink]"))];
    if (!key || key === "Enter" || key === " ") moved = new Map();
  };
  const withMoved = (address) => {
    const url = new URL(address ?? "", location.href);
    for (const [name, values] of moved) {
      if (String(url.searchParams.getAll(name)) === String(values)) continue;
      url.searchParams.delete(name);
      for (const value of values) url.searchParams.append(name, value);
    }
    return url;
  };
  for (const act of ["pointerdown", "keydown"]) window.addEventListener(act, onAct, true);
  history.pushState = (state, unused, address) => {
    const { pathname } = new URL(address ?? "", location.href);
    const stays = pathname === location.pathname;
    if (!stays) moved = new Map();
    if (!stays && !home && pathname.endsWith("/")) {
      acted = false; // what follows is the same address as before
      return;
    }
    (acted || !(stays || midway) ? push : replace)(state, unused, withMoved(address));
    if (!stays) document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0);
    midway = stays && (acted || midway);
    acted = false;
    left = new URL(location.href);
  };
  history.replaceState = (state, unused, address) => {
    const before = new URL(location.href).searchParams;
    replace(state, unused, address);
    const now = new URL(location.href).searchParams;
    const names = [...new Set([...before.keys(), ...now.keys()])];
    const changed = names.filter((name) => String(before.getAll(name)) !== String(now.getAll(name)));
    if (changed.length) moved = new Map(changed.map((name) => [name, now.getAll(name)]));
    acted = false;
    left = new URL(location.href);
  };
  window.addEventListener("popstate", () => {
    acted = midway = false;
    moved = new Map();
  }, true);
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
