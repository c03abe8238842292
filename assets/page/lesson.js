// The bar of a lesson: its links open a moment like a page of the menu, without reloading the app; the keys of a clicker
// follow the links; a click on an answer tells the right one. The note opens in a window of its own, so that it does not
// cover the board and a projector need not show it; there it follows the moments.
import { showAnswer, tellAnswer } from "../board/words/answer.js";

(() => {
  if (window.attentionLesson) return;
  window.attentionLesson = true;
  const KEYS = { PageDown: "after", PageUp: "before" };
  const FIELDS = "input, textarea, select, [contenteditable], [role=slider], [role=combobox], [role=listbox], [role=application]";
  // Choices of the URL that the link does not name are reset, so a moment looks the same on every path to it.
  const follow = (link) => {
    const there = new URL(link.href);
    const present = new URL(window.location.href).searchParams.get("present");
    if (present) there.searchParams.set("present", present); // a lecture goes on
    const gone = [...new URL(window.location.href).searchParams.keys()].filter((name) => !there.searchParams.has(name));
    if (gone.length) there.searchParams.set("unset", gone.join("."));
    window.history.pushState(null, "", there);
    window.dispatchEvent(new PopStateEvent("popstate"));
    document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0);
  };
  // A lesson opens in the tab that holds the room, also where Streamlit would take a new one.
  const isOurs = ({ href }) => {
    const { origin, pathname } = new URL(href);
    return origin === window.location.origin && !/\.\w+$/.test(pathname);
  };
  // A moment may begin further down its page: at a heading, or at a matrix with a title, when that has come and stays.
  const titled = (root, text) => {
    for (const one of root.querySelectorAll("h2, h3, .title")) if (one.textContent.trim() === text) return one;
    for (const { shadowRoot } of root.querySelectorAll("[data-testid^=stBidiComponent], [data-testid^=stBidiComponent] *")) {
      const inside = shadowRoot && titled(shadowRoot, text);
      if (inside) return inside;
    }
    return null;
  };
  let [begun, last, start] = ["", NaN, null];
  setInterval(() => {
    const bar = document.querySelector(".lesson-bar");
    const moment = bar ? window.location.pathname + bar.dataset.moment : "";
    if (moment === begun) return;
    const [main, heading] = [document.querySelector("[data-testid=stMain]"), bar?.dataset.at && titled(document, bar.dataset.at)];
    if (bar?.dataset.at && !heading) return;
    const top = heading ? heading.getBoundingClientRect().top - bar.getBoundingClientRect().bottom - 8 : last;
    if (heading && top === last) main.scrollBy(0, top);
    if (!heading || top === last) begun = moment;
    last = top;
  }, 300);
  // The minutes since a lesson began in this tab, beside those that are planned up to the end of the moment.
  setInterval(() => {
    const pace = document.querySelector(".lesson-pace");
    if (!pace) return;
    const [name, minute] = [pace.dataset.lesson, Date.now() / 60_000];
    start = start?.name === name ? start : { name, minute };
    pace.textContent = `${Math.floor(minute - start.minute)} of ${pace.dataset.plan} min`;
  }, 1000);
  let notes = null;
  const writeNote = () => {
    if (notes.closed) return clearInterval(notes.timer);
    const title = document.querySelector(".lesson-bar b")?.textContent ?? "";
    const note = document.querySelector(".lesson-note")?.dataset.note ?? "";
    const [heading, text] = notes.document.body.children;
    [heading.textContent, text.textContent] = [title, note];
    return undefined;
  };
  const openNote = () => {
    notes?.close();
    notes = window.open("", "", "popup,width=520,height=360");
    if (!notes) return; // a page of another site may forbid windows
    const { document: page } = notes;
    page.title = "Notes of the lesson";
    page.documentElement.style.cssText = "color-scheme: light dark; font: 1.2rem/1.5 system-ui, sans-serif";
    page.body.replaceChildren(page.createElement("h1"), page.createElement("p"));
    page.body.firstChild.style.fontSize = "1.2em";
    writeNote();
    notes.timer = setInterval(writeNote, 400);
  };
  window.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button) return;
    const link = event.target.closest?.(".lesson-bar a, a[href*='lesson=']");
    const button = event.target.closest?.(".lesson-question button");
    if (link?.matches(".lesson-end") && window.attentionClass?.now.seat?.secret) window.attentionClass.end();
    if (link && isOurs(link)) {
      event.preventDefault();
      follow(link);
    }
    if (button) tellAnswer(button.closest(".lesson-question"), button);
    if (event.target.closest?.(".lesson-note")) openNote();
  });
  window.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !(event.key in KEYS)) return;
    const [target] = event.composedPath();
    if (target instanceof Element && target !== document.body && target.closest(FIELDS)) return;
    const link = document.querySelector(`.lesson-bar a.${KEYS[event.key]}`);
    const shows = event.key === "PageDown" && showAnswer();
    if (shows || link) event.preventDefault();
    if (shows || !link) return;
    link.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
    link.click();
  });
})();
