"""The arithmetic of a cell as HTML: every number that went in, in words of our own, and well-formed."""

from __future__ import annotations

import math
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from attention_core import STEPS, Projections, Trace, attend
from attention_core.derivation import Derivation, derive
from attention_viz.arithmetic import MOST_TERMS, arithmetic_html
from attention_viz.labels import number
from attention_viz.theme import PALETTES
from tests.viz.example_traces import CASES, T, example, square


class Reader(HTMLParser):
    """Collects the text of each element with a class, and checks that every tag is closed in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.texts: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remember the tag."""
        self.open.append(tag)
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        """The innermost tag is the one that ends."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Collect a piece of text."""
        self.texts.append(data.strip())


def read(derivation: Derivation, mode: str = "light") -> Reader:
    """The HTML, parsed."""
    reader = Reader(arithmetic_html(derivation, mode))
    assert reader.open == []
    return reader


def last_cell(trace: Trace, field: str) -> Derivation:
    """The derivation of the last cell of the second query: seen without a mask, hidden by a causal one."""
    index = [n - 1 for n in getattr(trace, field).shape]
    index[-2] = 1
    return derive(trace, field, index)


@pytest.mark.parametrize("mode", PALETTES)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("field", STEPS)
def test_the_result_is_the_cell(field: str, case: str, mode: str) -> None:
    """The chips end in the number of the trace, whatever the mask and the theme; only plain tags are used."""
    trace = example(case)
    derivation = last_cell(trace, field)
    reader = read(derivation, mode)
    assert reader.texts[-1] == number(float(getattr(trace, field)[derivation.index]), 4)
    assert reader.tags <= {"div", "span", "b", "small"}


@pytest.mark.parametrize("field", ["queries", "keys", "values", "scores", "head_outputs", "output"])
def test_every_term_of_a_sum_is_there(field: str) -> None:
    """A sum shows each term's value in order, with a plus between them, and both factors below."""
    derivation = last_cell(example("bias and residual"), field)
    reader = read(derivation)
    assert reader.texts.count("+") == len(derivation.terms) - 1
    expected = [number(term.value) for term in derivation.terms]
    found = iter(reader.texts)
    assert all(value in found for value in expected)
    for term in derivation.terms:
        for factor in term.factors:
            shown = number(factor.value) if len(term.factors) > 1 else factor.name.replace("_", " ")
            assert any(shown in text for text in reader.texts)


def test_long_sums_say_how_many_terms_are_missing() -> None:
    """Beyond the largest number of chips the rest is one chip with its sum, so that the chips still add up."""
    x = np.random.default_rng(1).normal(size=(2, 101))
    derivation = derive(attend(x, Projections.random(101, 1)), "queries", (0, 1, 3))
    reader = read(derivation)
    rest = sum(term.value for term in derivation.terms[MOST_TERMS:])
    assert number(rest) in reader.texts
    assert any(f"{101 - MOST_TERMS} more terms" in text for text in reader.texts)


def test_the_softmax_shows_exponential_and_sum() -> None:
    """exp(score − maximum) over the sum of the row's exponentials, with all four numbers."""
    trace = example()
    derivation = derive(trace, "probabilities", (0, 3, 1, 4))
    row = trace.masked_scores[0, 3, 1]
    text = " ".join(read(derivation).texts)
    total = float(np.exp(row - row.max()).sum())
    for value in (float(row[4]), math.exp(row[4] - row.max()), total):
        assert number(value) in text
    assert f"sum of the {len(row)} exponentials" in text


def test_a_negative_maximum_is_added() -> None:
    """Minus a negative maximum is written as plus."""
    trace = attend([[1.0], [2.0]], Projections([[1.0]], [[-1.0]], [[1.0]], n_heads=1), scale=1.0)
    text = " ".join(read(derive(trace, "probabilities", (0, 0, 1, 1))).texts)
    assert "exp(−4.000 + 2.000)" in text


def test_a_masked_cell_says_so() -> None:
    """A hidden score says that it is not allowed and becomes minus infinity; its probability is 0."""
    trace = example("causal")
    texts = read(derive(trace, "masked_scores", (0, 0, 1, 2))).texts
    assert "is not allowed" in texts
    assert number(float(trace.scaled_scores[0, 0, 1, 2])) in texts
    assert texts[-1] == "−∞"
    assert read(derive(trace, "probabilities", (0, 0, 1, 2))).texts[-1] == "0.0000"


def test_an_empty_row_says_so() -> None:
    """Where no key is allowed, the softmax says that instead of dividing by 0."""
    texts = read(derive(example("empty row"), "probabilities", (0, 0, 2, 0))).texts
    assert "no key is allowed in this row" in texts
    assert texts[-1] == "0.0000"


def test_a_soft_cap_is_shown() -> None:
    """A capped score names the cap on both sides of the tanh."""
    texts = read(derive(example("bias and residual"), "scaled_scores", (0, 0, 1, 2))).texts
    assert texts[0] == "2.000 · tanh("
    assert "/ 2.000)" in texts


@pytest.mark.parametrize("mode", PALETTES)
def test_numbers_have_the_colour_of_their_role(mode: str) -> None:
    """In a score the query's number is blue and the key's is red, in the colours of the theme."""
    derivation = derive(square(5), "scores", (0, 1, 4, 3))
    html = arithmetic_html(derivation, mode)
    for role, factor in zip(("query", "key"), derivation.terms[0].factors, strict=True):
        assert f'<span style="color:{PALETTES[mode][role]}">{number(factor.value)}</span>' in html
    assert len(derivation.terms) == 3
    assert T == 5


def test_names_are_escaped() -> None:
    """Whatever a name holds, it cannot become markup."""
    derivation = derive(example(), "queries", (0, 1, 1))
    hostile = replace(derivation.terms[0].factors[0], name="<script>")
    wrong = replace(derivation, operation="copy", terms=(replace(derivation.terms[0], factors=(hostile,)),))
    assert "<script>" not in arithmetic_html(wrong)
    assert "<script>" in read(wrong).texts
