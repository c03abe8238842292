"""The page of questions: an answer is judged, the next question is another, the board shows the
cell.
"""

from __future__ import annotations

import re
from html import escape, unescape

import pytest
from streamlit.testing.v1 import AppTest

from attention_lab.guesses import guess_in_turn
from attention_lab.notation.notation import OURS
from attention_lab.practice import fade_example, practice_question
from attention_ui.practice import sheet_html
from attention_viz.markdown import escape_markdown
from attention_viz.practice import (
    DOT_PRODUCT_METHOD,
    HINTS,
    MAX_SHEET_QUESTIONS,
    question_text,
)
from tests.ui.app import named_in, opened, page_context, scenes, texts, title

HAND = {
    "text": "you like cake",
    "d_model": 4,
    "n_heads": 2,
    "embedding": "integers",
    "init": "integers",
    "seed": 57,
}


def answered(app: AppTest, answer: str) -> str:
    """The verdict on an answer that is typed: a right one is green, any other a warning."""
    app.text_input(key="pr_answer").set_value(answer).run()
    if not app.warning:
        return "right" if app.success else "none"
    assert not app.success
    says = app.warning[0].value.replace("\\", "")
    if "is not a number" in says:
        return "no number"
    return next((verdict for verdict, hint in HINTS.items() if hint == says), "wrong")


def unescape_all(app: AppTest) -> str:
    """What the page says, as it is read."""
    return texts(app).replace("\\", "")


def kept(app: AppTest) -> str:
    """What stands in the box of a right answer, as it is read."""
    return app.success[0].value.replace("\\", "").replace("−", "-")


def test_answers_are_judged() -> None:
    app = opened("practice", pr_step="scores", pr_number=3, text="The cat sat")
    question = practice_question(page_context(app).trace, 3, "scores")
    assert (len(app.success), len(app.warning)) == (0, 0)
    assert answered(app, f"{question.answer:.2f}") == "right"
    assert f"{question.answer:.2f}" in kept(app)
    assert answered(app, f"{-question.answer:.2f}") == "sign"
    assert answered(app, f"{question.answer + 3 * question.tolerance:.4f}") == "near"
    assert answered(app, "99") == "wrong"
    assert DOT_PRODUCT_METHOD in app.warning[0].value.replace("\\", "")  # what to do
    assert answered(app, "x=1") == "no number"
    assert escape_markdown("x=1") in app.warning[0].value
    assert answered(app, "  ") == "none"
    merged = opened("practice", pr_step="merged")
    place = f"{practice_question(page_context(merged).trace, 1, 'merged').answer:.0f}"
    assert answered(merged, place) == "right"
    assert f" {place}." in kept(merged)


@pytest.mark.parametrize("answer", ["{:.1f} %", "{:.3f}/100", "{:.1f}%"])
def test_a_share_may_be_a_percentage(answer: str) -> None:
    app = opened("practice", pr_step="probabilities", text="The cat sat")
    share = 100 * practice_question(page_context(app).trace, 1, "probabilities").answer
    assert answered(app, answer.format(share)) == "right"
    assert answered(app, answer.format(share).replace(".", ",")) == "right"


def test_the_next_question_begins_anew() -> None:
    app = opened("practice", pr_step="queries", pr_answer="1", pr_show="true", **HAND)
    trace = page_context(app).trace
    texts_of = [question_text(practice_question(trace, n, "queries"), trace, OURS) for n in (1, 2)]
    assert f"Answer: {texts_of[0].answer}" in unescape_all(app)
    app.button(key="pr_next").click().run()
    assert (app.number_input(key="pr_number").value, app.text_input(key="pr_answer").value) == (
        2,
        "",
    )
    assert "Answer:" not in texts(app)
    assert texts_of[1].question in unescape_all(app)
    assert texts_of[1].question != texts_of[0].question
    app.text_input(key="pr_answer").set_value("5").run()
    app.selectbox(key="pr_step").set_value("merged").run()
    assert app.text_input(key="pr_answer").value == ""
    app.number_input(key="pr_number").set_value(9999).run()
    app.button(key="pr_next").click().run()
    assert app.number_input(key="pr_number").value == 1


@pytest.mark.parametrize(
    ("step", "page", "row"),
    [
        ("head_outputs", "Mixing", "query"),
        ("values", "Projections", "key"),
        ("merged", "Merge", "query"),
        ("scores", "Scores", "query"),
    ],
)
def test_the_answer_leads_to_the_board(step: str, page: str, row: str) -> None:
    app = opened("practice", pr_step=step.replace("_", " "), pr_show="true", pr_number=4)
    derivation = practice_question(page_context(app).trace, 4, step).exact
    app.button(key="see it").click().run()
    assert title(app) == page
    assert getattr(page_context(app).focus, row) == derivation.index[-2]
    assert scenes(app)[0]["cell"] == {"array": step, "index": list(derivation.index)}


def test_what_is_no_work_for_a_hand() -> None:
    for step, choices, too_much in (
        ("queries", {"d_model": 64}, True),
        ("output", {"weights": "weightless"}, True),
        ("queries", {}, False),
    ):
        app = opened("practice", pr_step=step, **choices)
        assert len(app.info) == too_much
        assert (app.header[0].value.lower() == step) is not too_much


@pytest.mark.parametrize("weights", ["trained", "weightless", "tied", "orthonormal"])
def test_all_weights_have_questions(weights: str) -> None:
    app = opened("practice", weights=weights, text="The cat sat", pr_number=5)
    question = practice_question(page_context(app).trace, 5)
    assert answered(app, repr(question.answer)) == "right"


def test_a_sheet_of_questions() -> None:
    app = opened("practice", pr_step="scores", pr_number=9995, text="<b>you</b>")
    app.session_state["practice sheet"] = True
    app.run()
    assert {str(MAX_SHEET_QUESTIONS), "9995"} <= named_in(app.get("download_button")[0].label)
    page = sheet_html(page_context(app), 9995, "scores")
    numbers = [str(n) for n in (*range(9995, 10000), *range(1, 6))]
    sheets = page.split('class="answers"')
    assert [re.findall(r'<li value="(\d+)">', sheet) for sheet in sheets] == [numbers] * 2
    assert escape(page_context(app).sentence, quote=False) in page


@pytest.mark.parametrize(("step", "n_cells"), [("scores", 10), ("merged", 4), ("any", 10)])
def test_no_question_stands_on_a_sheet_twice(step: str, n_cells: int) -> None:
    app = opened("practice", pr_step=step, **HAND)
    app.session_state["practice sheet"] = True
    app.run()
    assert {str(n_cells), "1"} <= named_in(app.get("download_button")[0].label)
    field = "" if step == "any" else step
    items = re.findall(
        r'<li value="(\d+)">([^<]*)<',
        sheet_html(page_context(app), 1, field).split('class="answers"')[0],
    )
    assert len({question for _, question in items}) == len(items) == n_cells
    for number, question in items:
        again = opened("practice", pr_step=step, pr_number=number, **HAND)
        assert unescape(question) in texts(again).replace("\\", "")


@pytest.mark.parametrize("step", ["queries", "scores", "probabilities", "head outputs", "merged"])
def test_the_operands_are_shown_and_the_asked_matrix_is_not(step: str) -> None:
    app = opened("practice", pr_step=step, text="The cat sat", head=0)
    question = practice_question(page_context(app).trace, 1, step.replace(" ", "_"))
    cell = {"array": question.exact.field, "index": list(question.exact.index)}
    board = next(one for one in scenes(app) if one["cell"] == cell)
    assert {panel["role"] for panel in board["panels"]} == {"operand"}
    assert question.exact.field not in {panel["array"] for panel in board["panels"]}


def test_a_missing_term_is_asked_for_and_judged() -> None:
    app = opened("practice", pr_step="scores", pr_help="one term missing", text="The cat sat")
    question = practice_question(page_context(app).trace, 1, "scores")
    term = fade_example(question, "one term missing").term
    assert answered(app, f"{term:.4f}") == "right"
    assert answered(app, f"{term + 1:.4f}") == "wrong"


def test_a_belief_is_asked_and_judged() -> None:
    app = opened("practice", pr_step="scores", pr_number=2)
    trace = page_context(app).trace
    guess, following = (guess_in_turn(trace, number, "scores") for number in (2, 3))
    assert guess.field == "scores"
    assert f"**Head {guess.index[1]}: " in texts(app)
    assert {"array": "scores", "index": list(guess.index)} in [one["cell"] for one in scenes(app)]
    right = next(place for place, option in enumerate(guess.options) if option.right)
    box = f"belief {guess.item.id} {guess.index}"
    app.radio(key=box).set_value(right).run()
    assert (len(app.success), len(app.warning)) == (1, 0)
    app.radio(key=box).set_value((right + 1) % len(guess.options)).run()
    assert (len(app.success), len(app.warning)) == (0, 1)
    assert (following.item.id, following.index) != (guess.item.id, guess.index)
