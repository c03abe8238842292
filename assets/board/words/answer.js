// The one judge of answers: to guesses, to the questions of lessons, and to those of a class.
const NEAR_TOLERANCES = 5;
const AT_THE_EDGE = 1 + 1e-9; // of a tolerance: an answer at its edge is right

/**
 * The verdict on a number, or on the value of an option, as `Question.judge` of attention_lab/quiz.py gives it.
 *
 * Gives {said, misconceptions}; said: right, near, sign or wrong.
 */
export function judge({ options = [], number = null, tolerance = 0 }, given) {
  if (typeof given === "string") {
    const chosen = options.find(({ value }) => value === given);
    return { said: chosen?.right ? "right" : "wrong", misconceptions: chosen?.misconceptions ?? [] };
  }
  const room = tolerance * AT_THE_EDGE;
  const off = Math.abs(given - number);
  if (off <= room) return { said: "right", misconceptions: [] };
  const believed = options.filter(({ right, value }) => !right && Math.abs(given - Number(value)) <= room);
  const misconceptions = believed.flatMap((option) => option.misconceptions);
  if (misconceptions.length) return { said: "wrong", misconceptions };
  if (Math.abs(given + number) <= room) return { said: "sign", misconceptions };
  return { said: off <= NEAR_TOLERANCES * room ? "near" : "wrong", misconceptions };
}

/**
 * Tell the answer to a question in the bar of a lesson: the right button is marked, and the chosen one if it is another.
 *
 * chosen: a button of the question, also the one that only shows the answer. Gives whether it is the right one. A board
 * hears it, and uncovers what the answer covered.
 */
export function tellAnswer(asked, chosen) {
  const isRight = ({ dataset }) => dataset.right === "true";
  for (const one of asked.querySelectorAll("button[data-right]")) {
    one.classList.toggle("right", isRight(one));
    one.classList.toggle("wrong", one === chosen && !isRight(one));
  }
  asked.classList.add("answered");
  asked.querySelector("output").hidden = false;
  asked.dispatchEvent(new Event("lesson-answered", { bubbles: true }));
  return isRight(chosen);
}

/** The next that a clicker shows of a question: a class is asked, or its vote revealed; else the answer is shown. Gives whether one waits. */
export function showAnswer() {
  if (window.attentionClass?.goOn?.()) return true;
  const reveal = document.querySelector(".lesson-question:not(.answered) .lesson-reveal");
  reveal?.click();
  return Boolean(reveal);
}
