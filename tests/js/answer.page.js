import { judge, showAnswer, tellAnswer } from "../../assets/board/words/answer.js";
import { framed } from "./framed.js";
import { assert, test } from "./testing.js";

const QUESTION = `<div class="lesson-question"><button data-right="false">2</button><button data-right="true">3</button>
  <button class="lesson-reveal">Show</button><output hidden>why</output></div>`;

test("an answer at the edge of its tolerance is right, as on the server, also where the edge is rounded", () => {
  assert.ok(0.4 - 0.3 > 0.1);
  const said = (given) => judge({ number: 0.3, tolerance: 0.1 }, given).said;
  assert.deepEqual([0.4, 0.2, 0.41, -0.3].map(said), ["right", "right", "near", "sign"]);
  assert.deepEqual([judge({ number: 2, tolerance: 0 }, 2).said, judge({ number: 2, tolerance: 0 }, 1).said, judge({ number: 2 }, NaN).said], ["right", "wrong", "wrong"]);
});

test("the bar of the app and that of a file mark an answer alike, by click and by clicker", async () => {
  for (const [chosen, marks] of [[0, ["wrong", "right", "lesson-reveal"]], [1, ["", "right", "lesson-reveal"]], [2, ["", "right", "lesson-reveal"]]]) {
    const { page, find } = await framed("lesson.js", "/scores", { body: QUESTION });
    let heard = 0;
    page.addEventListener("lesson-answered", () => (heard += 1));
    const buttons = [...page.document.querySelectorAll("button")];
    if (chosen === 2) page.document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "PageDown", bubbles: true }));
    else buttons[chosen].click();
    assert.deepEqual([buttons.map((one) => one.className), find("output").hidden, heard], [marks, false, 1]);
    const here = new DOMParser().parseFromString(QUESTION, "text/html").querySelector(".lesson-question");
    const same = [...here.querySelectorAll("button")];
    assert.equal(tellAnswer(here, same[chosen]), chosen === 1);
    assert.deepEqual(same.map((one) => one.className), marks);
  }
});

test("a clicker asks the class first; without one it shows the answer once", () => {
  document.body.innerHTML = QUESTION;
  document.querySelector(".lesson-reveal").addEventListener("click", ({ target }) => tellAnswer(target.parentElement, target));
  window.attentionClass = { goOn: () => true };
  assert.deepEqual([showAnswer(), document.querySelector("output").hidden], [true, true]);
  window.attentionClass = { goOn: () => false };
  assert.deepEqual([showAnswer(), document.querySelector("output").hidden, showAnswer()], [true, false, false]);
  delete window.attentionClass;
});
