"""Questions in words: what is given is what the arithmetic reads, and paper holds no markup of
the user's.
"""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

from attention_core import Projections, Trace, attend
from attention_lab.notation.notation import OURS
from attention_lab.notation.texts import GML
from attention_lab.practice import ASKED, MOST_TERMS, Question, ask
from attention_viz.practice import Asked, answer_of, worded
from attention_viz.worksheet import worksheet


def layer(**options: Any) -> Trace:
    """Four tokens, two heads of widths 3 and 2, biases."""
    weights = Projections.random(6, 2, d_k=3, d_v=2, seed=1, bias=True)
    x = np.random.default_rng(2).normal(size=(4, 6))
    return attend(x, weights, **options).labelled(("the", "a", "<b>", "the"))


def lists(asked: Asked) -> list[list[float]]:
    """The given numbers as numbers."""
    return [
        [float(n.replace("−", "-").replace("∞", "inf")) for n in numbers.split(", ")]
        for _, numbers in asked.given
    ]


def worked_out(question: Question, given: list[list[float]]) -> float:
    """The answer from the given lists alone, as a hand would work it out."""
    if question.exact.field == "probabilities":
        shares = np.exp(np.array(given[0]) - max(given[0]))
        return float((shares / shares.sum())[question.exact.index[-1]])
    return float(np.dot(given[0], given[1])) + sum(added[0] for added in given[2:])


@pytest.mark.parametrize("field", [field for field in ASKED if field != "merged"])
def test_what_is_given_is_enough(field: str) -> None:
    """From the lists on the page alone a hand comes to an answer that is right, biases and
    residual included.
    """
    trace = layer(causal=True, residual=True)
    for number in range(1, 20):
        question = ask(trace, number, field)
        asked = worded(question, trace, OURS)
        assert question.accepts(worked_out(question, lists(asked)))
        assert all(len(numbers) <= MOST_TERMS for numbers in lists(asked))
        assert asked.question.endswith("?") or asked.question.endswith(".")
        assert asked.how.endswith(".")


@pytest.mark.parametrize("field", ASKED)
def test_no_number_is_shown_too_coarsely(field: str) -> None:
    """Of large numbers, and of float32's 0.01 that is a little less, no digit gets lost in an
    exponent.

    And the answer that is shown is right.
    """
    x = np.random.default_rng(2).normal(size=(4, 6))
    large = attend(4000 * x, Projections.random(6, 2, d_k=3, d_v=2, seed=1, bias=True))
    single = attend(x.astype("f4"), Projections.random(6, 2, seed=1).astype("f4"))
    for trace in (large, single):
        for number in range(1, 20):
            question = ask(trace, number, field)
            asked = worded(question, trace, OURS)
            assert "e" not in "".join(numbers for _, numbers in asked.given)
            assert question.accepts(float(answer_of(question).replace("−", "-")))
            if field != "merged":
                assert question.accepts(worked_out(question, lists(asked)))


@pytest.mark.parametrize("size", [1.0, 0.1, 1e-3])
def test_the_working_that_is_shown_is_right(size: float) -> None:
    """The sum beside an answer has its numbers as precisely as the question: worked out as
    shown, it is right.
    """
    x = size * np.random.default_rng(2).normal(size=(4, 3))
    trace = attend(x, Projections.random(3, 1, seed=1))
    for field in ("queries", "scores", "head_outputs", "output"):
        for number in range(1, 10):
            question = ask(trace, number, field)
            shown = worded(question, trace, OURS).answer.partition("from ")[2].partition(" ≈")[0]
            terms = re.sub(r"[()]", "", shown).replace("−", "-").replace("e-", "e~").split(" + ")
            factors = [
                [float(one.replace("~", "-")) for one in term.split(" × ")] for term in terms
            ]
            assert len(factors) == len(question.exact.terms)
            assert question.accepts(sum(map(math.prod, factors)))


def test_the_words_by_hand() -> None:
    """Heads, tokens with their places, and the matrix are named; what is hidden is said, and
    what is added.
    """
    trace = layer(causal=True, residual=True)
    asked = {field: worded(ask(trace, 1, field), trace, OURS) for field in ASKED}
    head, query, key = ask(trace, 1, "probabilities").exact.index[1:]
    words = trace.labels("T")
    assert (
        asked["probabilities"].question
        == f"Head {head}: what share of what “{words[query]}” ({query}) reads comes from"
        f" “{words[key]}” ({key})?"
    )
    hidden = "; −∞ is hidden" if query < 3 else ""
    assert (
        asked["probabilities"].given[0][0]
        == f"the scaled scores of “{words[query]}” ({query}) with every key, in order{hidden}"
    )
    row, column = ask(trace, 1, "values").exact.index[1:]
    assert asked["values"].question.endswith(f"It is feature {column % 2} of head {column // 2}.")
    assert [name for name, _ in asked["values"].given] == [
        f"the vector of “{words[row]}” ({row})",
        f"column {column} of W_V",
        "the bias",
    ]
    assert [name for name, _ in asked["output"].given][2:] == [
        "the bias",
        "the layer’s input, added",
    ]
    place = ask(trace, 1, "merged").exact.index[2]
    assert asked["merged"].answer == f"{place}, from {place // 2} × 2 + {place % 2}"


def test_where_tokens_are_columns() -> None:
    """The weights are transposed as on the boards, and so are rows and columns."""
    trace = layer()
    place = ask(trace, 1, "output").exact.index[2]
    assert worded(ask(trace, 1, "output"), trace, GML).given[1][0] == f"row {place} of W_Oᵀ"
    assert (
        "In which row of the merged matrix" in worded(ask(trace, 1, "merged"), trace, GML).question
    )
    assert (
        "In which column of the merged matrix"
        in worded(ask(trace, 1, "merged"), trace, OURS).question
    )


def test_a_sheet_to_print() -> None:
    """Every question has its number and its answer, answers begin a new sheet; nothing is
    loaded or run.
    """
    trace = layer()
    asked = [(number, worded(ask(trace, number, "scores"), trace, OURS)) for number in range(5, 25)]
    page = worksheet(asked, "“<img src=x>”: 6 features")
    assert "<b>”" not in page
    assert "<img" not in page
    assert "&lt;b&gt;" in page
    questions, answers = page.split('<h1 class="answers">')
    for number, one in asked:
        assert f'<li value="{number}">' in questions
        assert f'<li value="{number}">{one.answer}</li>' in answers
    assert "break-before: page" in page
    assert re.search(r"default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'", page)
    assert "<script" not in page
    assert "http" not in page.replace("http-equiv", "")
