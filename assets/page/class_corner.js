// Beside the link button: the visitor's class, with buttons to follow the teacher's page and to stop following.
(() => {
  const room = window.attentionClass;
  const corner = document.getElementById("attention-corner");
  if (!room || !corner || corner.attentionClass) return;
  corner.attentionClass = true;
  const place = document.createElement("span");
  place.className = "class";
  corner.prepend(place);
  const button = (words, act, about = {}) => {
    const made = Object.assign(document.createElement("button"), { type: "button", textContent: words, onclick: act, ...about });
    if ("pressed" in about) made.setAttribute("aria-pressed", about.pressed);
    return made;
  };
  const parts = ({ seat, told }) => {
    const letters = Object.assign(document.createElement("b"), { textContent: seat.room });
    const toClass = () => room.open(`/class?room=${seat.room}`);
    if (seat.secret) {
      const lead = button(seat.leads ? "Students follow" : "Lead students", () => room.set({ leads: !seat.leads }), {
        pressed: seat.leads, title: seat.leads ? "Students who follow see this page; click to stop" : "Show this page to students who follow",
      });
      return [room.isClassPage() ? letters : button(seat.room, toClass, { title: "Back to the class" }), lead];
    }
    const isAsked = told?.state === "open" && !room.isClassPage();
    const ahead = isAsked ? button("Answer", toClass, { className: "urgent" }) : room.isClassPage() ? letters : button(seat.room, toClass, { title: "To the question" });
    const turn = () => room.set({ follows: !seat.follows });
    return [ahead, seat.follows ? button("Stop following", turn) : button("Follow teacher", turn)];
  };
  let drawn = "";
  const draw = () => {
    const { seat, told } = room.now;
    const state = seat && JSON.stringify([seat.room, seat.secret, seat.leads, seat.follows, told?.state, room.isClassPage()]);
    if (state === drawn) return;
    const had = [...place.children].indexOf(document.activeElement);
    drawn = state;
    place.replaceChildren(...(seat ? parts(room.now) : []));
    place.children[had]?.focus();
    document.documentElement.style.setProperty("--corner", `${corner.offsetWidth + 18}px`);
  };
  room.hear(draw);
  setInterval(draw, 500); // the page may have changed
  draw();
})();
