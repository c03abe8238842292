/** The page "Class" in the browser: the question, the answers, the histogram, for a student or for the teacher. */
export default function mountClass(component) {
  const { data, parentElement } = component;
  const mount = (parentElement.attentionClass ??= new Mount(parentElement));
  mount.start(data);
  return () => {
    mount.end();
    delete parentElement.attentionClass;
  };
}

function made(name, about = {}, ...within) {
  const { className, ...attributes } = about;
  const element = document.createElement(name);
  if (className) element.className = className;
  for (const [attribute, value] of Object.entries(attributes)) {
    if (attribute.startsWith("on")) element.addEventListener(attribute.slice(2), value);
    else if (value !== false) element.setAttribute(attribute, value);
  }
  element.append(...within);
  return element;
}

/** How many, as English counts them. */
export const counted = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

/** The bars of a histogram: what each is, how wide of a hundred, and how it is marked. */
export function barsOf({ bars = [], right }) {
  const most = Math.max(1, ...bars.map(([, count]) => count));
  return bars.map(([label, count], place) => ({ label, count, width: (100 * count) / most, isRight: place === right }));
}

/** What a student is told of the own answer: the newest, or, when the vote is over, the one that the server has. */
export function statusOf(told, mine = {}) {
  const words = (answer) => (told.question.kind === "choice" ? told.question.options[Number(answer)] : answer);
  const isKept = mine.kept !== undefined;
  if (told.state === "revealed") {
    if (!isKept) return "You gave no answer.";
    return mine.said === "right" ? `Your answer ${words(mine.kept)} is right.` : `Your answer was ${words(mine.kept)}.`;
  }
  if (told.state === "closed") return isKept ? `The vote is closed. Your answer: ${words(mine.kept)}.` : "The vote is closed.";
  const states = {
    kept: `Your answer: ${words(mine.answer)}. You can change it until the vote closes.`,
    sending: mine.error || "Sending your answer …",
    unsent: "Your answer was not sent; send it again.",
    refused: mine.error,
  };
  return states[mine.state] ?? "The vote is open.";
}

/** How that is marked. */
export function markOf(told, mine = {}) {
  if (told.state === "revealed" && mine.kept !== undefined) return mine.said === "right" ? "right" : "wrong";
  return mine.state ?? "";
}

/** The picture of an option, if it has one: the darker, the larger. */
function drawn({ pictures = [] }, place) {
  const picture = pictures[place];
  if (!picture) return [];
  const cell = 8;
  const canvas = made("canvas", { width: cell * picture[0].length, height: cell * picture.length, "aria-hidden": "true" });
  const pen = canvas.getContext("2d");
  picture.forEach((row, y) => row.forEach((share, x) => {
    pen.fillStyle = `rgb(49, 46, 129, ${share})`;
    pen.fillRect(x * cell, y * cell, cell - 1, cell - 1);
  }));
  return [canvas];
}

class Mount {
  constructor(parent) {
    this.host = made("div", { className: "classroom" });
    parent.append(this.host);
    this.frame = "";
  }

  /** The script of the frame may come after the first page. */
  async start(data) {
    this.data = data;
    while (!window.attentionClass) {
      await new Promise((done) => { setTimeout(done, 50); });
      if (this.data !== data || this.isOver) return;
    }
    const room = (this.room = window.attentionClass);
    room.join(data);
    this.deaf?.();
    this.deaf = room.hear(() => this.draw());
    this.frame = "";
    this.draw();
  }

  end() {
    this.isOver = true;
    this.deaf?.();
  }

  draw() {
    const { seat, told, trouble } = this.room.now;
    const isTeacher = this.data.role === "teacher";
    const mine = seat && told ? seat.answers[told.number] : undefined;
    // What is typed stays while nothing but the teacher's page has changed.
    const frame = JSON.stringify([seat?.room, told?.number, told?.state, told?.bars, trouble && !told, isTeacher]);
    if (frame !== this.frame) {
      this.frame = frame;
      const people = seat && isTeacher ? [made("p", { className: "people" })] : [];
      this.host.classList.toggle("projected", isTeacher);
      this.host.replaceChildren(...people, ...(seat ? this.parts(told, isTeacher) : [made("p", { role: "alert" }, trouble || "You have left the room.")]));
    }
    if (!seat || !told) return;
    const write = (selector, text) => this.host.querySelector(selector)?.replaceChildren(text);
    write(".people", told.people === 1 ? "1 person in the room" : `${told.people ?? 0} people in the room`);
    write(".count", counted(told.count, "answer"));
    for (const option of this.host.querySelectorAll("button.option")) {
      option.setAttribute("aria-pressed", String(option.dataset.place === mine?.answer));
    }
    const status = this.host.querySelector(".status");
    if (status) [status.textContent, status.dataset.state] = [trouble || statusOf(told, mine), trouble ? "refused" : markOf(told, mine)];
  }

  parts(told, isTeacher) {
    if (told?.state === "ended") return this.thanks(told, isTeacher);
    if (!told?.question) {
      return [made("p", { className: "waiting" }, isTeacher ? "No question has been asked yet." : "You are in. The question appears here when the teacher asks one.")];
    }
    const { text, given } = told.question;
    const lists = given.map(([name, numbers]) => made("p", { className: "given" }, made("span", {}, `${name}: `), made("code", {}, numbers)));
    const parts = [made("h2", {}, text), ...lists];
    if (isTeacher) parts.push(made("div", { className: "small" }, made("span", { className: "count", role: "status" }), ...(told.state === "open" ? [this.timer()] : [])));
    else if (told.state === "open") parts.push(this.answering(told.question));
    if (isTeacher && told.question.options.length && !told.bars) {
      parts.push(made("ol", { className: "options" }, ...told.question.options.map((option, place) => made("li", {}, option, ...drawn(told.question, place)))));
    }
    if (told.bars) parts.push(this.histogram(told));
    if (told.arithmetic) parts.push(made("p", { className: "arithmetic" }, made("b", {}, "Answer: "), told.arithmetic));
    if (!isTeacher) parts.push(made("p", { className: "status", role: "status" }));
    return parts;
  }

  // The end of a class: who goes on by oneself no longer follows.
  thanks({ moment }, isTeacher) {
    if (isTeacher) return [made("p", { className: "waiting" }, "The class has ended. Another question goes on with it.")];
    const words = moment.includes("lesson=") ? "The lesson, to go through again" : "Attention Lab, to go on by yourself";
    return [made("h2", {}, "Thank you for taking part."), made("p", {}, made("a", { href: this.room.base + moment, onclick: () => this.room.leave() }, words))];
  }

  // A timer that a teacher may start, and make longer; it closes nothing.
  timer() {
    const button = made("button", { type: "button", className: "timer", title: "Start a timer, or add 30 seconds" }, "Timer");
    let ends = 0;
    const show = () => {
      const left = Math.ceil((ends - performance.now()) / 1000);
      button.textContent = left > 0 ? `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}` : "Time is up";
      button.classList.toggle("over", left <= 0);
      if (left > 0 && button.isConnected) this.ticking = setTimeout(show, 250);
    };
    button.addEventListener("click", () => {
      clearTimeout(this.ticking);
      ends = Math.max(ends, performance.now()) + 30_000;
      show();
    });
    return button;
  }

  answering(question) {
    const { kind, options } = question;
    const mine = this.room.now.seat.answers[this.room.now.told.number];
    if (kind === "choice") {
      const option = (words, place) =>
        made("button", { className: "option", type: "button", "data-place": String(place), onclick: () => this.room.vote(place) }, words, ...drawn(question, place));
      return made("div", { className: "choices", role: "group", "aria-label": "Your answer" }, ...options.map(option));
    }
    const field = made("input", {
      type: "text", maxlength: 40, autocomplete: "off", "aria-label": "Your answer", placeholder: "such as −0.43, 12 % or 2/3",
    });
    field.value = mine?.answer ?? "";
    const send = (event) => {
      event.preventDefault();
      if (field.value.trim()) this.room.vote(field.value.trim());
    };
    return made("form", { onsubmit: send }, field, made("button", { type: "submit" }, "Send"));
  }

  histogram(told) {
    const rows = barsOf(told).map(({ label, count, width, isRight: right }, place) =>
      made(
        "li", right ? { className: "right" } : {},
        made("span", { className: "label" }, right ? `✓ ${label}` : label, ...drawn(told.question, place)),
        made("span", { className: "bar" }, made("span", { style: `width: ${width}%` })),
        made("span", { className: "number" }, String(count)),
      ));
    return made("ol", { className: "bars", "aria-label": "How often each answer was given" }, ...rows);
  }
}
