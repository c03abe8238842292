// The visitor's class, on every page of the app: it asks the server for news, sends answers and, for a teacher, the page that
// is shown. It keeps an answer until the server has it, and brings followers to the teacher's page. It uses three small routes
// of the server (attention_ui/classroom/routes.py), never a Streamlit script. The page "Class" joins a class and draws it.
import { judge } from "../board/words/answer.js";

(() => {
  if (window.attentionClass) return;
  const BASE = CLASS_BASE;
  const KEPT = "attention-lab-class";
  const TOKEN = "attention-lab-visitor";
  const LED = "attention-lab-led"; // a cookie: the room that the next visit of this tab leads, for a minute
  const NOT_SHARED = ["room", "teacher", "present", "unset"]; // of a teacher's page
  const AGAIN = [429, 503]; // what the server refuses for a moment only
  const FRESH = { seat: null, told: null, trouble: "" };
  const now = { ...FRESH };
  const listeners = new Set();
  const pause = (least, most = least) => new Promise((done) => { setTimeout(done, least + Math.random() * (most - least)); });

  // Without storage, as in some private windows, a visit lasts as long as the page.
  const read = (store, key) => { try { return window[store].getItem(key); } catch { return null; } };
  const write = (store, key, text) => { try { window[store].setItem(key, text); } catch { /* see above */ } };
  const erase = (key) => { try { sessionStorage.removeItem(key); } catch { /* see above */ } };
  const newToken = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const token = read("localStorage", TOKEN) ?? newToken();
  write("localStorage", TOKEN, token);

  // A page that is loaded again, and a server that was started anew, know nothing of the room until the script asks. Only
  // then is the cookie there, so that another tab of the browser stays a student's.
  const secure = window.location.protocol === "https:" ? "; secure" : "";
  const writeLed = (text, seconds) => { document.cookie = `${LED}=${text}; path=${BASE || "/"}; max-age=${seconds}; samesite=strict${secure}`; };
  const keepLed = () => now.seat && writeLed(now.seat.secret && `${now.seat.room}.${now.seat.secret}`, now.seat.secret ? 60 : 0);
  window.addEventListener("pagehide", keepLed);
  const keep = () => { if (now.seat) write("sessionStorage", KEPT, JSON.stringify(now.seat)); };
  const tell = () => {
    keep();
    for (const listen of listeners) listen();
  };
  const say = (trouble) => {
    now.trouble = trouble;
    tell();
  };
  const leave = (trouble = "") => {
    Object.assign(now, FRESH, { trouble });
    erase(KEPT);
    tell();
  };

  // The answer of the server as an object: null if it does not answer, status 0 if it has no such routes yet.
  const ask = async (path, body) => {
    const headers = { "x-class-visitor": token, ...(now.seat?.ticket && { "x-class-ticket": now.seat.ticket }), ...(now.seat?.secret && { "x-class-secret": now.seat.secret }), ...(body && { "content-type": "application/json" }) };
    try {
      const answer = await fetch(`${BASE}/class-room/${path}`, { method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body) });
      if (answer.status === 204) return { status: 204 };
      if (!answer.headers.get("content-type")?.includes("json")) return { status: 0 };
      return { status: answer.status, wait: 1000 * answer.headers.get("retry-after"), ...(await answer.json()) };
    } catch {
      return null;
    }
  };

  // A server that was started anew gets its routes with its first script, and an open page runs no script by itself. So the
  // first page that notices runs its own once more. The parameter "unset" is empty here; the server removes it.
  const wake = async (seat) => {
    await pause(0, 3000);
    if (now.seat !== seat || (await ask(`state?room=${seat.room}`))?.status !== 0) return;
    const url = new URL(window.location.href);
    url.searchParams.set("unset", "");
    window.history.replaceState(window.history.state, "", url);
    window.dispatchEvent(new PopStateEvent("popstate", { state: null }));
    await pause(3000);
  };

  const listen = async (seat) => {
    let tag = "";
    while (now.seat === seat) {
      const told = await ask(`state?room=${seat.room}&seen=${tag}`);
      if (now.seat !== seat) return;
      if (told?.status === 404) return leave(told.error);
      if (told?.status === 403) Object.assign(seat, { secret: "", leads: false });
      if (told?.status === 200) {
        tag = told.tag;
        Object.assign(now, { told, trouble: "" });
        const mine = told.state === "revealed" && seat.answers[told.number];
        if (mine) mine.said = judge({ number: told.answer, tolerance: told.tolerance }, mine.value).said;
        tell();
        follow();
      } else if (told?.status === 429) {
        say(now.told ? "" : told.error);
        await pause(told.wait || 1000, 2000);
      } else if (told?.status !== 204) {
        say("The server does not answer. Your answers are kept and will be sent when it answers again.");
        keepLed();
        await pause(700, 1500);
        if (told?.status === 0) await wake(seat);
      } else if (now.trouble) say("");
    }
  };

  const pathHere = () => window.location.pathname.slice(BASE.length) || "/";
  const isClassPage = () => pathHere() === "/class";

  // Open a page of this app, and nothing else, as the browser's back button does. Choices that the new URL does not name
  // are reset, see history.js.
  const open = (path) => {
    if (!/^\/[a-z0-9-]*(\?.*)?$/.test(path)) return;
    const target = new URL(BASE + path, window.location.origin);
    const here = new URL(window.location.href);
    if (target.pathname === here.pathname && target.search === here.search) return;
    const gone = [...here.searchParams.keys()].filter((name) => !target.searchParams.has(name) && name !== "unset");
    window.history.pushState(null, "", target);
    if (gone.length) target.searchParams.set("unset", gone.join("."));
    window.history.replaceState(null, "", target);
    window.dispatchEvent(new PopStateEvent("popstate", { state: null }));
    document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0);
  };
  // At the end of a class its page thanks, and has the link to the lesson.
  const pageToFollow = () => (now.told.state === "ended" ? `/class?room=${now.seat.room}` : now.told.moment);
  const follow = () => {
    const { seat, told } = now;
    const isNews = told.moments !== seat.moments;
    seat.moments = told.moments;
    keep();
    if (isNews && seat.follows && !seat.secret && told.moment) open(pageToFollow());
  };

  // Whether the page, or the moment, that the URL names is drawn, and not still the one before it.
  const isDrawn = ({ paths, moment }) => (paths === undefined ? moment === new URL(window.location.href).searchParams.get("moment") : paths.split(" ").includes(pathHere()));
  // The question that the shown page offers, and the state of its vote, if it is the one that was asked.
  const offered = () => {
    const asks = document.querySelector(".lesson-question[data-ask], .class-ask");
    const { of, ask: question } = asks?.dataset ?? {};
    if (!of || !isDrawn((asks.closest(".lesson-bar") ?? asks).dataset)) return null;
    return { of, question, state: now.told?.of === of ? now.told.state : "" };
  };
  // The state of the vote that goes on, whatever page is shown; else of the vote on what the page offers.
  const voteState = () => {
    const { question, state } = now.told ?? {};
    return question && ["open", "closed"].includes(state) ? state : offered()?.state ?? (question && isClassPage() ? state : undefined);
  };
  // Students wait on the page of the room while a vote goes on, and then see their answers for a moment.
  const RESULT_SECONDS = 12;
  let resultUntil = 0;
  const isHeld = () => document.querySelector(".lesson-question:not(.answered)") || ["open", "closed"].includes(voteState()) || performance.now() < resultUntil;

  // The teacher's page, after it has not changed for a moment.
  let shown = "";
  let sent = null;
  setInterval(async () => {
    const { seat } = now;
    if (!seat?.secret || !seat.leads || isClassPage()) { sent = null; return; }
    const url = new URL(window.location.href);
    for (const name of NOT_SHARED) url.searchParams.delete(name);
    if (url.searchParams.get("lesson") && !isDrawn(document.querySelector(".lesson-bar")?.dataset ?? {})) return;
    const moment = isHeld() ? `/class?room=${seat.room}` : (pathHere() + url.search).slice(0, 8000);
    const isStill = moment === shown;
    shown = moment;
    if (!isStill || moment === sent) return;
    sent = moment;
    const status = (await ask("move", { room: seat.room, moment }))?.status;
    if (!status || AGAIN.includes(status)) sent = null;
  }, 400);

  // One answer to a question is on its way at a time. What the server has accepted, `kept`, and read as the number `value`,
  // stays beside a newer one until that is accepted, too.
  const sending = new Set();
  const vote = async (answer) => {
    const { seat, told: { number } } = now;
    const mine = (seat.answers[number] ??= {});
    Object.assign(mine, { answer: String(answer), state: "sending", error: "" });
    tell();
    if (sending.has(mine)) return;
    sending.add(mine);
    while (now.seat === seat && mine.state === "sending") {
      const sent = mine.answer;
      const done = await ask("vote", { room: seat.room, token, number, answer: sent });
      const isNewest = mine.answer === sent;
      if (done?.status === 200) Object.assign(mine, { kept: sent, value: done.value }, isNewest && { state: "kept", error: "" });
      else if (done?.status && !AGAIN.includes(done.status)) Object.assign(mine, isNewest && { state: "refused", error: done.error });
      else {
        mine.error = done?.error ?? "";
        tell();
        await pause(done?.wait || 500, done?.wait || 1200);
      }
      tell();
    }
    sending.delete(mine);
  };

  const sit = (seat) => {
    now.seat = seat;
    listen(seat);
    tell();
  };
  window.attentionClass = {
    now,
    base: BASE,
    vote,
    leave,
    open,
    offered,
    voteState,
    // What the teacher does with a vote: "ask", "again", "open", "closed", "revealed" or "end". Gives nothing, and does
    // nothing while the one before is on its way: a clicker that is pressed twice asks once.
    async lead(act, about = {}) {
      if (now.leading) return;
      if (act === "revealed") resultUntil = performance.now() + 1000 * RESULT_SECONDS;
      const known = () => `${now.told?.number} ${now.told?.state}`;
      const before = known();
      now.leading = true;
      const done = await ask("lead", { room: now.seat.room, act, ...about });
      if (done?.status !== 200) say(done?.error ?? "The server does not answer; try again.");
      for (let n = 0; n < 30 && done?.status === 200 && known() === before; n++) await pause(100);
      now.leading = false;
    },
    isClassPage,
    // A page that opens the class joins it. The teacher's secret is in the link, or was kept in this tab. By the ticket the
    // server knows who has joined by a page.
    join({ room, secret, ticket }) {
      const { seat } = now;
      if (seat?.room === room && (!secret || seat.secret === secret)) {
        seat.ticket = ticket;
        return;
      }
      sit({ room, ticket, secret: secret ?? "", follows: true, leads: Boolean(secret), moments: null, answers: {} });
    },
    set(change) {
      Object.assign(now.seat, change);
      if (change.follows && now.told?.moment) open(pageToFollow());
      tell();
    },
    hear(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  // While the server is down Streamlit lays a dialog over the page, under which nobody can type. Where answers are asked, and
  // kept until the server has them, it is closed; the page itself says that the server does not answer.
  new MutationObserver(() => {
    const dialog = now.seat && isClassPage() ? document.querySelector("[data-testid=stDialog]") : null;
    if (dialog?.querySelector("h2")?.textContent === "Connection error") dialog.querySelector("[aria-label=Close]")?.click();
  }).observe(document.body, { childList: true, subtree: true });
  writeLed("", 0);
  try {
    const seat = JSON.parse(read("sessionStorage", KEPT));
    for (const mine of Object.values(seat.answers)) {
      if (mine.state === "sending") mine.state = "unsent";
      if (mine.state === "kept") mine.kept ??= mine.answer; // as an older version wrote it
    }
    sit(seat);
  } catch { /* no class, or what no version of ours has written */ }
})();
