"""Questions in words: what is given is what the arithmetic reads, and paper holds no markup of
the user's.
"""

from __future__ import annotations

import math
import re
from itertools import product
from typing import Any

import numpy as np
import pytest

from attention_core import Projections, Trace, attend
from attention_lab.notation.notation import OURS
from attention_lab.notation.texts import GML
from attention_lab.practice import (
    ASKED_FIELDS,
    MAX_TERMS,
    PracticeQuestion,
    askable_fields,
    practice_question,
)
from attention_lab.quiz import Question
from attention_viz.payload import Stage
from attention_viz.practice import (
    DOT_PRODUCT_METHOD,
    HINTS,
    in_words,
    operand_board,
    verdict_on,
)
from attention_viz.sheets import worksheet
from tests.viz.reading_words import NUMBER, missing, numbers_said


def layer(**options: Any) -> Trace:
    """Four tokens, two heads of widths 3 and 2, biases."""
    weights = Projections.random(6, 2, d_k=3, d_v=2, seed=1, bias=True)
    x = np.random.default_rng(2).normal(size=(4, 6))
    return attend(x, weights, **options).labelled(("the", "a", "<b>", "the"))


def lists(asked: Question) -> list[list[float]]:
    """The given numbers as numbers."""
    return [
        [float(n.replace("−", "-").replace("∞", "inf")) for n in numbers.split(", ")]
        for _, numbers in asked.given
    ]


def products(answer: str) -> list[list[float]]:
    """The factors of each product in the sum that an answer shows."""
    term = rf"\(?{NUMBER.pattern}(?: × {NUMBER.pattern})*\)?"
    (shown,) = re.findall(rf"{term}(?: \+ {term})+(?= [≈=])", answer)
    return [numbers_said(part) for part in shown.split(" + ")]


def worked_out(question: PracticeQuestion, given: list[list[float]]) -> float:
    """The answer from the given lists alone, as a hand would work it out."""
    if question.exact.field == "probabilities":
        shares = np.exp(np.array(given[0]) - max(given[0]))
        return float((shares / shares.sum())[question.exact.index[-1]])
    return float(np.dot(given[0], given[1])) + sum(added[0] for added in given[2:])


X = np.random.default_rng(2).normal(size=(4, 6))
LAYERS = {
    "usual": layer(causal=True, residual=True),
    "large": attend(4000 * X, Projections.random(6, 2, d_k=3, d_v=2, seed=1, bias=True)),
    "single": attend(X.astype("f4"), Projections.random(6, 2, seed=1).astype("f4")),
}


@pytest.mark.parametrize("trace", LAYERS.values(), ids=LAYERS)
def test_what_is_given_is_enough_and_not_too_coarse(trace: Trace) -> None:
    assert set(askable_fields(trace)) == set(ASKED_FIELDS)
    for field, number in product(ASKED_FIELDS, range(1, 20)):
        question = practice_question(trace, number, field)
        asked = in_words(question, trace, OURS)
        assert "e" not in "".join(numbers for _, numbers in asked.given)
        assert all(len(numbers) <= MAX_TERMS for numbers in lists(asked))
        assert asked.text.endswith(("?", "."))
        assert asked.hint.endswith(".")
        assert question.judge(float(asked.answer.replace("−", "-"))).right
        if field != "merged":
            assert question.judge(worked_out(question, lists(asked))).right


@pytest.mark.parametrize("size", [1.0, 0.1, 1e-3])
def test_the_working_that_is_shown_is_right(size: float) -> None:
    x = size * np.random.default_rng(2).normal(size=(4, 3))
    trace = attend(x, Projections.random(3, 1, seed=1))
    for field in ("queries", "scores", "head_outputs", "output"):
        for number in range(1, 10):
            question = practice_question(trace, number, field)
            terms = products(in_words(question, trace, OURS).why)
            assert len(terms) == len(question.exact.terms)
            assert question.judge(sum(map(math.prod, terms))).right


def test_a_question_names_its_cell() -> None:
    trace = layer(causal=True, residual=True)
    words = trace.labels("T")
    for number in range(1, 20):
        question = practice_question(trace, number, "probabilities")
        head, query, key = question.exact.index[1:]
        facts = (head, words[query], query, words[key], key)
        assert missing(in_words(question, trace, OURS).text, *facts) == []
        question = practice_question(trace, number, "values")
        row, column = question.exact.index[1:]
        facts = (column, words[row], row, column % 2, column // 2)
        assert missing(in_words(question, trace, OURS).text, *facts) == []


def test_a_wrong_answer_gets_a_hint() -> None:
    question = practice_question(layer(), 3, "scores")
    near = question.value + 3 * question.tolerance
    for answer, hint in (
        (f"{-question.value:.2f}", HINTS["sign"]),
        (f"{near:.4f}", HINTS["near"]),
        ("99", DOT_PRODUCT_METHOD),
        ("x=1", "“x=1”"),
    ):
        verdict = verdict_on(answer, in_words(question, layer(), OURS))
        assert verdict is not None
        assert not verdict[0]
        assert hint in verdict[1]
    share = practice_question(layer(), 1, "probabilities")
    percent = verdict_on(f"{100 * share.value:.1f} %".replace(".", ","), share)
    assert percent is not None
    assert percent[0]


@pytest.mark.parametrize("residual", [False, True])
def test_what_is_added_is_given(residual: bool) -> None:
    trace = layer(residual=residual)
    question = practice_question(trace, 1, "output")
    row, column = question.exact.index[1:]
    added = [trace.projections.b_o[column], *([trace.inputs[0, row, column]] * residual)]
    given = lists(in_words(question, trace, OURS))[2:]
    assert given == [[pytest.approx(one, abs=10**-question.decimals)] for one in added]
    assert len({name for name, _ in in_words(question, trace, OURS).given}) == len(given) + 2


def test_where_tokens_are_columns() -> None:
    trace = layer()
    place = practice_question(trace, 1, "output").exact.index[2]
    weights = in_words(practice_question(trace, 1, "output"), trace, GML).given[1][0]
    assert missing(weights, place, "row", "W_Oᵀ") == []
    ours, gml = (
        in_words(practice_question(trace, 1, "merged"), trace, text).text for text in (OURS, GML)
    )
    assert numbers_said(ours) == numbers_said(gml)
    assert ("column" in ours, "row" in gml) == (True, True)


def test_a_sheet_to_print() -> None:
    trace = layer()
    asked = [
        (number, in_words(practice_question(trace, number, "scores"), trace, OURS))
        for number in range(5, 25)
    ]
    page = worksheet(asked, "“<img src=x>”: 6 features")
    assert "<b>”" not in page
    assert "<img" not in page
    assert "&lt;b&gt;" in page
    questions, answers = page.split('<h1 class="answers">')
    for number, one in asked:
        assert f'<li value="{number}">' in questions
        assert f'<li value="{number}">{one.why}</li>' in answers
    assert "break-before: page" in page
    assert re.search(r"default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'", page)
    assert "<script" not in page
    assert "http" not in page.replace("http-equiv", "")


def test_keys_of_self_attention_are_made_of_the_inputs() -> None:
    for memory, title in ((None, "X inputs"), (np.ones((3, 6)), "M memory")):
        trace = layer(memory=memory)
        for field in ("keys", "values"):
            question = practice_question(trace, 1, field)
            panels = operand_board(Stage(trace), question.exact, False)["panels"]
            assert panels[0]["title"] == title


def test_a_sink_is_given_apart_from_the_scores_of_keys() -> None:
    """Three keys, so three scores; the sink of the head is the number after them."""
    trace = attend(np.arange(9.0).reshape(3, 3) / 7, Projections.random(3, 1, seed=2), sink=[0.625])
    asked = in_words(practice_question(trace, 1, "probabilities"), trace, OURS)
    lists = [numbers_said(numbers) for _, numbers in asked.given]
    assert [len(one) for one in lists] == [3, 1]
    assert lists[1] == [pytest.approx(0.625, abs=0.01)]
