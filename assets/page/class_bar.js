// The visitor's class in the bar of a lesson or a room, without one beside the link button: a student follows the teacher's
// page or stops; a teacher asks the class the question of the page, reveals it, and leads. The clicker does the same by the
// button that shows the answer to the question of a moment.
(() => {
  const room = window.attentionClass;
  const corner = document.getElementById("attention-corner");
  if (!room || !corner || corner.attentionClass) return;
  corner.attentionClass = true;
  const place = document.createElement("span");
  place.className = "class";
  const made = (name, textContent, about = {}) => Object.assign(document.createElement(name), { textContent, ...about });
  const button = (words, act, { pressed, ...about } = {}) => {
    const one = made("button", words, { type: "button", onclick: act, ...about });
    if (pressed !== undefined) one.setAttribute("aria-pressed", pressed);
    return one;
  };
  // The page of the room, with the choices of the page that is left: a question there is about the same layer.
  const toClass = () => {
    const { searchParams } = new URL(window.location.href);
    for (const name of ["teacher", "unset"]) searchParams.delete(name);
    searchParams.set("room", room.now.seat.room);
    room.open(`/class?${searchParams}`);
  };
  const askClass = () => room.lead("ask", { question: JSON.parse(room.offered().question) });
  room.end = () => {
    const name = new URL(window.location.href).searchParams.get("lesson");
    return room.lead("end", { there: name ? `/?lesson=${encodeURIComponent(name)}` : "/" });
  };
  const acts = ({ told }) => {
    const state = room.voteState();
    const reveal = () => button("Reveal", () => room.lead("revealed"), { className: "urgent" });
    const again = () => button("Vote again", () => room.lead("again"), { title: "The first votes stay in the report" });
    const count = made("span", `${told?.count ?? 0} of ${told?.people ?? 0}`, { title: "Answers, and people in the room", className: "count" });
    if (state === "open") return [count, button("Close", () => room.lead("closed"), { title: "Close the vote and see how often each answer was given" }), reveal()];
    if (state === "closed") return [count, again(), reveal()];
    if (state === "revealed") return [count, again()];
    return [made("span", `${told?.people ?? 0} in`, { title: "People in the room" }), ...(room.offered() ? [button("Ask the class", askClass, { className: "urgent" })] : [])];
  };
  const ofTeacher = ({ seat, told }) => {
    const lead = button(seat.leads ? "Students follow" : "Lead students", () => room.set({ leads: !seat.leads }), {
      pressed: seat.leads, title: seat.leads ? "Students who follow see this page; click to stop" : "Show this page to students who follow",
    });
    const name = room.isClassPage() ? made("b", seat.room) : button(seat.room, toClass, { title: "Back to the class" });
    return [name, ...acts({ told }), lead];
  };
  const ofStudent = ({ seat, told }) => {
    const isAsked = told?.state === "open" && !room.isClassPage();
    const answer = () => room.open(`/class?room=${seat.room}`);
    const turn = () => room.set({ follows: !seat.follows });
    const ahead = isAsked ? button("Answer", answer, { className: "urgent" }) : button(seat.room, answer, { title: "To the question" });
    return [room.isClassPage() ? made("b", seat.room) : ahead, button(seat.follows ? "Stop following" : "Follow teacher", turn)];
  };
  // A question that does not stand in the bar of a lesson, with its votes.
  const asked = ({ told, seat }) => {
    const isInBar = room.offered()?.of === told?.of && document.querySelector(".lesson-question[data-ask]");
    if (!seat.secret || !room.voteState() || !told?.question || room.isClassPage() || isInBar) return [];
    const counts = new Map(told.bars);
    const options = (told.bars ?? told.question.options.map((label) => [label])).map(([label]) => {
      const one = made("span", label);
      if (counts.has(label)) one.dataset.votes = counts.get(label);
      return one;
    });
    const says = made("div", "", { className: "asked" });
    says.append(made("b", told.question.text), ...options, ...(told.arithmetic ? [made("span", told.arithmetic)] : []));
    return [says];
  };
  // How often each answer to the question of the moment was given; once it is revealed, the bar shows the answer. Who
  // follows comes to a moment only then.
  const mark = ({ seat, told }) => {
    const [question, state] = [document.querySelector(".lesson-question"), room.offered()?.state];
    if (!question || !seat) return;
    const counts = new Map((seat.secret && state && told.bars) || []);
    for (const one of question.querySelectorAll("button:not(.lesson-reveal)")) {
      if (counts.has(one.textContent)) one.dataset.votes = counts.get(one.textContent);
      else delete one.dataset.votes;
    }
    const isTold = seat.secret ? state === "revealed" : seat.follows;
    if (isTold && !question.classList.contains("answered")) question.querySelector(".lesson-reveal").click();
  };
  // What the clicker does before it shows the answer: reveal the vote that goes on, or ask the question of the moment. Gives
  // whether there was something to do.
  room.goOn = () => {
    const { seat, leading } = room.now;
    const state = seat?.secret && room.voteState();
    const isVote = ["open", "closed"].includes(state);
    if (!seat?.secret || (!isVote && (state === "revealed" || !room.offered() || !document.querySelector(".lesson-question[data-ask]:not(.answered)")))) return false;
    if (isVote && !leading) room.lead("revealed");
    else if (!leading) askClass();
    return true;
  };
  let drawn = "";
  const draw = () => {
    const { seat, told, trouble } = room.now;
    const [there, offered] = [document.querySelector(".lesson-room") ?? corner, room.offered()];
    document.documentElement.dataset.class = seat ? (seat.secret ? "teacher" : "student") : "";
    document.documentElement.toggleAttribute("data-asked", Boolean(seat?.secret && told?.people && told.state !== "ended" && (told.question || offered)));
    const state = seat && JSON.stringify([seat.room, seat.secret, seat.leads, seat.follows, told?.state, told?.count, told?.people, told?.bars, offered?.of, room.voteState(), room.isClassPage(), trouble]);
    mark(room.now);
    if (state === drawn && place.parentElement === there) return;
    const had = [...place.children].indexOf(document.activeElement);
    drawn = state;
    const parts = () => (seat.secret ? ofTeacher : ofStudent)(room.now);
    const says = seat?.secret && trouble && !room.isClassPage() ? [made("span", trouble, { role: "alert" })] : [];
    place.replaceChildren(...(seat ? [...parts(), ...says, ...asked(room.now)] : []));
    if (place.parentElement !== there) there.prepend(place);
    place.children[had]?.focus();
    document.documentElement.style.setProperty("--corner", `${corner.offsetWidth + 18}px`);
  };
  room.hear(draw);
  setInterval(draw, 300); // the page may have changed
  draw();
})();
