"""The page of questions: an answer is judged, the next question is another, the board shows the
cell.
"""

from __future__ import annotations

import re
from html import unescape

import pytest
from streamlit.testing.v1 import AppTest

from attention_lab.practice import ask
from attention_ui.practice import ON_A_SHEET, printed
from tests.ui.app import here, opened, scenes, texts, title

HAND = {
    "text": "you like cake",
    "d_model": 4,
    "n_heads": 2,
    "embedding": "integers",
    "init": "integers",
    "seed": 57,
}


def said(app: AppTest) -> str:
    """What is said of the answer."""
    assert not app.exception
    return "".join(str(box.value) for box in (*app.success, *app.warning)).replace("\\", "")


def answered(app: AppTest, answer: str) -> str:
    """What is said of an answer that is typed."""
    app.text_input(key="pr_answer").set_value(answer).run()
    return said(app)


def test_answers_are_judged() -> None:
    """Right, the wrong sign, nearly, wrong with what to do, and no number at all; nothing
    before there is one.
    """
    app = opened("practice", pr_step="scores", pr_number=3, text="The cat sat")
    question = ask(here(app).trace, 3, "scores")
    assert said(app) == ""
    assert answered(app, f"{question.answer:.2f}") == f"Right: {question.answer:.2f}.".replace(
        "-", "−"
    )
    assert "signs" in answered(app, f"{-question.answer:.2f}")
    assert "Nearly" in answered(app, f"{question.answer + 3 * question.tolerance:.4f}")
    assert "Multiply the two lists number by number" in answered(app, "99")
    assert "“x=1” is no number" in answered(app, "x=1")
    assert answered(app, "  ") == ""
    merged = opened("practice", pr_step="merged")
    place = f"{ask(here(merged).trace, 1, 'merged').answer:.0f}"
    assert answered(merged, place) == f"Right: {place}."


@pytest.mark.parametrize("answer", ["{:.1f} %", "{:.3f}/100", "{:.1f}%"])
def test_a_share_may_be_a_percentage(answer: str) -> None:
    """A share is right as a percentage and as a fraction, with a decimal comma or a point."""
    app = opened("practice", pr_step="probabilities", text="The cat sat")
    share = 100 * ask(here(app).trace, 1, "probabilities").answer
    assert answered(app, answer.format(share)).startswith("Right")
    assert answered(app, answer.format(share).replace(".", ",")).startswith("Right")


def test_the_next_question_begins_anew() -> None:
    """Another question has no answer yet, also one chosen by its number or step; the last leads
    to the first.
    """
    app = opened("practice", pr_step="queries", pr_answer="1", pr_show="true", **HAND)
    before = app.subheader[0].value, texts(app)
    assert "Answer:" in before[1]
    app.button(key="pr_next").click().run()
    assert (app.number_input(key="pr_number").value, app.text_input(key="pr_answer").value) == (
        2,
        "",
    )
    assert "Answer:" not in texts(app)
    assert texts(app) != before[1]
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
    """The step of the cell is opened with that cell in focus, which is then explained."""
    app = opened("practice", pr_step=step.replace("_", " "), pr_show="true", pr_number=4)
    derivation = ask(here(app).trace, 4, step).exact
    app.button(key="see it").click().run()
    assert title(app) == page
    assert getattr(here(app).focus, row) == derivation.index[-2]
    assert scenes(app)[0]["cell"] == {"array": step, "index": list(derivation.index)}


def test_what_is_no_work_for_a_hand() -> None:
    """Of a wide layer another step is asked for, which is said; where a notation turns rows,
    the question does, too.
    """
    app = opened("practice", pr_step="queries", d_model=64)
    assert "Here the numbers of the queries are no work for a hand" in app.info[0].value
    assert (
        "the output are no work"
        in opened("practice", pr_step="output", weights="weightless").info[0].value
    )
    assert app.subheader[0].value != "Queries"
    assert not opened("practice", pr_step="queries").info
    assert "In which row of the merged matrix" in texts(
        opened("practice", pr_step="merged", notation="gml")
    )


@pytest.mark.parametrize("weights", ["trained", "weightless", "tied", "orthonormal"])
def test_all_weights_have_questions(weights: str) -> None:
    """Whatever the layer, there is a question with an answer that is right."""
    app = opened("practice", weights=weights, text="The cat sat", pr_number=5)
    question = ask(here(app).trace, 5)
    assert answered(app, repr(question.answer)).startswith("Right")


def test_a_sheet_of_questions() -> None:
    """The sheet holds the question of the page and the nine after it, with their answers, and
    says of which layer.
    """
    app = opened("practice", pr_step="scores", pr_number=9995, text="<b>you</b>")
    app.session_state["practice sheet"] = True
    app.run()
    assert app.get("download_button")[0].label == f"{ON_A_SHEET} questions from number 9995 on"
    page = printed(here(app), 9995, "scores")
    assert re.findall(r'<li value="(\d+)">Head', page) == [
        str(n) for n in (*range(9995, 10000), *range(1, 6))
    ]
    assert "“&lt;b&gt;you&lt;/b&gt;”: 16 features, 4 heads" in page


@pytest.mark.parametrize(("step", "n_cells"), [("scores", 10), ("merged", 4), ("any", 10)])
def test_no_question_stands_on_a_sheet_twice(step: str, n_cells: int) -> None:
    """A small layer has few cells: ten different ones are asked for, or all there are, each by
    its own number.
    """
    app = opened("practice", pr_step=step, **HAND)
    app.session_state["practice sheet"] = True
    app.run()
    assert app.get("download_button")[0].label == f"{n_cells} questions from number 1 on"
    field = "" if step == "any" else step
    items = re.findall(
        r'<li value="(\d+)">([^<]*)<', printed(here(app), 1, field).split('class="answers"')[0]
    )
    assert len({question for _, question in items}) == len(items) == n_cells
    for number, question in items:
        again = opened("practice", pr_step=step, pr_number=number, **HAND)
        assert unescape(question) in texts(again).replace("\\", "")
