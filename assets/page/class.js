// The visitor's class, on every page of the app: it asks the server for news, sends answers and, for a teacher, the page that
// is shown. It keeps an answer until the server has it, and brings followers to the teacher's page. It uses three small routes
// of the server (attention_ui/classroom/routes.py), never a Streamlit script. The page "Class" joins a class and draws it.
(() => {
  if (window.attentionClass) return;
  const BASE = CLASS_BASE;
  const KEPT = "attention-lab-class";
  const TOKEN = "attention-lab-visitor";
  const NOT_SHARED = ["room", "teacher", "present", "unset"]; // of a teacher's page
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

  const keep = () => { if (now.seat) write("sessionStorage", KEPT, JSON.stringify(now.seat)); };
  const tell = () => {
    keep();
    for (const listen of listeners) listen();
  };
  const leave = (trouble = "") => {
    Object.assign(now, FRESH, { trouble });
    erase(KEPT);
    tell();
  };

  // The answer of the server as an object: null if it does not answer, status 0 if it has no such routes yet.
  const ask = async (path, body) => {
    const headers = { "x-class-visitor": token, ...(now.seat?.secret && { "x-class-secret": now.seat.secret }), ...(body && { "content-type": "application/json" }) };
    try {
      const answer = await fetch(`${BASE}/class-room/${path}`, { method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body) });
      if (answer.status === 204) return { status: 204 };
      if (!answer.headers.get("content-type")?.includes("json")) return { status: 0 };
      return { status: answer.status, ...(await answer.json()) };
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
        tell();
        follow();
      } else if (told?.status !== 204) {
        now.trouble = "The server does not answer. Your answers are kept and will be sent when it answers again.";
        tell();
        await pause(700, 1500);
        if (told?.status === 0) await wake(seat);
      } else if (now.trouble) {
        now.trouble = "";
        tell();
      }
    }
  };

  const pathHere = () => window.location.pathname.slice(BASE.length) || "/";
  const isClassPage = () => pathHere() === "/class";

  // Open a page of this app as the browser's back button does. Choices that the new URL does not name are reset, see
  // history.js.
  const open = (path) => {
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
  const follow = () => {
    const { seat, told } = now;
    const isNews = told.moments !== seat.moments;
    seat.moments = told.moments;
    keep();
    if (isNews && seat.follows && !seat.secret && told.moment) open(told.moment);
  };

  // The teacher's page, after it has not changed for a moment.
  let shown = "";
  let sent = null;
  setInterval(async () => {
    const { seat } = now;
    if (!seat?.secret || !seat.leads || isClassPage()) { sent = null; return; }
    const url = new URL(window.location.href);
    for (const name of NOT_SHARED) url.searchParams.delete(name);
    const moment = (pathHere() + url.search).slice(0, 8000);
    const isStill = moment === shown;
    shown = moment;
    if (!isStill || moment === sent) return;
    sent = moment;
    if ((await ask("move", { room: seat.room, moment }))?.status !== 200) sent = null;
  }, 400);

  const vote = async (answer) => {
    const { seat, told } = now;
    const mine = { answer: String(answer), state: "sending", error: "" };
    seat.answers[told.number] = mine;
    tell();
    const { number } = told;
    while (now.seat === seat && seat.answers[number] === mine) {
      const done = await ask("vote", { room: seat.room, token, number, answer: mine.answer });
      if (seat.answers[number] !== mine) return; // another answer has taken its place
      if (done?.status && done.status !== 503) {
        Object.assign(mine, done.status === 200 ? { state: "kept", value: done.value } : { state: "refused", error: done.error });
        return tell();
      }
      await pause(500, 1200);
    }
  };

  const sit = (seat) => {
    now.seat = seat;
    listen(seat);
    tell();
  };
  window.attentionClass = {
    now,
    vote,
    leave,
    open,
    isClassPage,
    // A page that opens the class joins it. The teacher's secret is in the link, or was kept in this tab.
    join({ room, secret }) {
      const { seat } = now;
      if (seat?.room === room && (!secret || seat.secret === secret)) return;
      sit({ room, secret: secret ?? "", follows: true, leads: Boolean(secret), moments: null, answers: {} });
    },
    set(change) {
      Object.assign(now.seat, change);
      if (change.follows && now.told?.moment) open(now.told.moment);
      tell();
    },
    hear(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  try {
    const seat = JSON.parse(read("sessionStorage", KEPT));
    for (const mine of Object.values(seat.answers)) if (mine.state === "sending") mine.state = "unsent";
    sit(seat);
  } catch { /* no class, or what no version of ours has written */ }
})();
