let followed = null; // the kind of the link that led to the page that comes, which shall keep the keyboard's place

/** The steps of the story, which come as the bytes of a JSON text, as links; the ones before and after at the ends. */
export default function mountWay({ data, parentElement }) {
  const nav = (parentElement.attentionWay ??= createNav(parentElement));
  const text = new TextDecoder().decode(data);
  if (nav.dataset.shown !== text) fill(nav, JSON.parse(text));
  nav.dataset.shown = text;
  return () => {
    nav.remove();
    delete parentElement.attentionWay;
  };
}

function createNav(parent) {
  const nav = document.createElement("nav");
  nav.className = "way";
  nav.setAttribute("aria-label", "Steps of the story");
  parent.append(nav);
  return nav;
}

function fill(nav, { steps, place }) {
  const [before, after] = [steps[place - 1], steps[place + 1]];
  const all = document.createElement("div");
  all.className = "steps";
  all.append(...steps.map((step, i) => linkTo(step, step.title, i === place ? "here" : "")));
  nav.replaceChildren(
    ...(before ? [linkTo(before, "Previous", "before")] : []),
    all,
    ...(after ? [linkTo(after, "Next", "after")] : []),
  );
  if (followed !== null) (nav.querySelector(`.${followed}`) ?? nav.querySelector(".here")).focus({ preventScroll: true });
  followed = null;
}

function linkTo(step, text, kind) {
  const link = document.createElement("a");
  link.className = kind;
  link.textContent = text;
  link.href = `./${step.path}`;
  if (kind === "here") link.setAttribute("aria-current", "page");
  if (text !== step.title) link.title = step.title;
  // With the choices as they are now, also in a new tab.
  for (const act of ["pointerdown", "focus"]) link.addEventListener(act, () => (link.href = `./${step.path}${window.location.search}`));
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    if (kind === "here") return;
    followed = kind || "here";
    goTo(`./${step.path}${window.location.search}`);
  });
  return link;
}

/** Go to a page with its address as it stands: Streamlit follows, as it does when the browser goes back or forth. */
function goTo(address) {
  window.history.pushState(null, "", address);
  window.dispatchEvent(new PopStateEvent("popstate"));
  document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0);
}
