// Streamlit makes an entry of the history for each value that the URL gets. Here one act of the reader makes one entry:
// values that the page writes without a new act, such as the last head for a head that does not exist, replace the entry.
// The value of a control makes no entry: Streamlit writes it over the entry, and so does what follows from it.
// A step back to an entry without a choice resets that choice. The server cannot tell it from a quick second act, which
// comes with the URL from before the first one, so the entry names the choices: "unset=head.query".
// The browser knows the value of a control best: an answer that was sent before the control was moved holds the whole old
// URL, and does not reset the newer value. A value that the control did not hold just before is a choice of the server,
// such as the first step of a size. After a click, Enter or the space bar the server can choose any value.
// Another page opens at its top, wherever the click was; Streamlit would keep the place.
// In a tab that outlives its server, the first run of the next server asks for "/" before it knows the pages: until then
// Streamlit takes the folder pages/ for its older kind of app. Only the logo leads there.
(() => {
  const RECENT = 3000; // ms, longer than between two steps of a reader in a row
  const { history, location } = window;
  if (history.attentionLab) return;
  history.attentionLab = true;
  const [push, replace] = [history.pushState, history.replaceState].map((write) => write.bind(history));
  let acted = false;
  let home = false;
  let moved = new Map(); // the control that the reader moved last, with its values; empty after a click
  let held = []; // what controls held in the last seconds
  let midway = false; // while another page opens: what is written then is no entry of the old page
  let left = new URL(location.href);
  const onAct = ({ target, key }) => {
    [acted, home] = [true, Boolean(target.closest?.("[data-testid=stLogoLink]"))];
    if (!key || key === "Enter" || key === " ") moved = new Map();
  };
  const withMoved = (href) => {
    const url = new URL(href ?? "", location.href);
    for (const [name, values] of moved) {
      const answer = url.searchParams.getAll(name);
      if (!held.some((one) => one.name === name && one.value === String(answer))) {
        moved.set(name, answer);
        continue;
      }
      url.searchParams.delete(name);
      for (const value of values) url.searchParams.append(name, value);
    }
    return url;
  };
  for (const act of ["pointerdown", "keydown"]) window.addEventListener(act, onAct, true);
  history.pushState = (state, unused, href) => {
    const { pathname, searchParams } = new URL(href ?? "", location.href);
    const stays = pathname === location.pathname;
    const shows = (now) => now.get("th_open"); // a head in the place of all heads
    const isOther = !stays || shows(searchParams) !== shows(new URL(location.href).searchParams);
    if (!stays) moved = new Map();
    if (!stays && !home && pathname.endsWith("/")) {
      acted = false; // the same URL follows
      return;
    }
    (acted || !(stays || midway) ? push : replace)(state, unused, withMoved(href));
    if (isOther) document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0);
    midway = stays && (acted || midway);
    acted = false;
    left = new URL(location.href);
  };
  history.replaceState = (state, unused, href) => {
    const before = new URL(location.href).searchParams;
    replace(state, unused, href);
    const now = new URL(location.href).searchParams;
    const names = [...new Set([...before.keys(), ...now.keys()])];
    const changed = names.filter((name) => String(before.getAll(name)) !== String(now.getAll(name)));
    if (changed.length) moved = new Map(changed.map((name) => [name, now.getAll(name)]));
    const at = performance.now();
    held = held.filter((one) => at - one.at < RECENT);
    for (const name of changed) held.push({ name, value: String(before.getAll(name)), at });
    acted = false;
    left = new URL(location.href);
  };
  window.addEventListener("popstate", () => {
    acted = midway = false;
    moved = new Map();
  }, true);
  // At popstate Streamlit has already read the URL. Browsers without this event keep the choice.
  window.navigation?.addEventListener("currententrychange", ({ navigationType }) => {
    if (navigationType !== "traverse") return;
    const [before, now] = [left, new URL(location.href)];
    left = now;
    const gone = [...before.searchParams.keys()].filter((name) => name !== "unset" && !now.searchParams.has(name));
    if (!gone.length || now.pathname !== before.pathname) return;
    replace(history.state, "", `${now}${now.search ? "&" : "?"}unset=${gone.join(".")}`);
  });
})();
