"""The opened softmax shows every number of the row, says which keys are masked, and lets no token become markup."""

from __future__ import annotations

import re

import numpy as np
import pytest

from attention_core.decompositions import softmax_row
from attention_viz.labels import number
from attention_viz.softmax import bar, softmax_html
from tests.viz.example_traces import CASES, H, S, T, example


def body(html: str) -> list[str]:
    """The rows of the table that stand for keys."""
    return re.findall(r"<tr.*?</tr>", html.split("<tbody>")[1].split("</tbody>")[0])


def numbers(row: str) -> list[str]:
    """The four numbers of a key as they are written."""
    return re.findall(r"<b>(.*?)</b>", row)


@pytest.mark.parametrize("case", CASES)
def test_the_written_numbers_are_the_trace_s(case: str) -> None:
    """Each key shows its masked score, the shifted score, the exponential and the probability of its cell."""
    trace = example(case)
    for head, query in ((0, 0), (H - 1, 2), (3, T - 1)):
        row = softmax_row(trace, head, query)
        for j, line in enumerate(body(softmax_html(trace, head, query, 0))):
            hidden = bool(np.isneginf(trace.masked_scores[0, head, query, j]))
            columns = (row.scores, row.shifted, row.exponentials, trace.probabilities[0, head, query])
            written = [number(float(column[j])) for column in columns]
            assert numbers(line) == (["−∞", "−∞", "0", "0"] if hidden else written)
            assert ("masked" in line) == hidden


def test_maximum_and_sums_are_named() -> None:
    """The header subtracts the maximum and divides by the sum; the footer names both and what the shares sum to."""
    trace = example()
    row, html = softmax_row(trace, 1, 2), softmax_html(trace, 1, 2, 3)
    assert f"÷ {number(row.total)} = probability" in html
    assert f"maximum {number(row.maximum)}" in html
    assert f"sum {number(row.total)}" in html
    assert "sum 1.000000" in html
    assert [j for j, line in enumerate(body(html)) if "maximum" in line] == [int(np.argmax(row.scores))]


def test_an_empty_row_has_no_maximum() -> None:
    """Where every key is masked the table says so and holds zeros, no "nan"."""
    html = softmax_html(example("empty row"), 0, 2, 0)
    assert "no maximum" in html
    assert "sum 0.000000" in html
    assert "nan" not in html.lower()


def test_only_the_chosen_key_is_framed() -> None:
    """One row is marked as chosen: that of the key in focus."""
    chosen = [j for j, line in enumerate(body(softmax_html(example(), 2, 1, 4))) if 'class="chosen"' in line]
    assert chosen == [4]


def test_tokens_are_text() -> None:
    """No token of the user becomes a tag, and a long one is cut."""
    html = softmax_html(example(), 0, 0, 0)
    assert len(body(html)) == S
    assert "<script" not in html
    assert "<b>bold" not in html
    assert "&amp;lt;b&amp;gt;" in html
    assert "x" * 20 not in html


def test_bars_start_at_zero_and_share_a_scale() -> None:
    """Negative numbers reach left of zero, positive ones right, on the scale of their column."""
    column = np.array([-2.0, 6.0, 0.0, -np.inf])
    assert [bar(column, j) for j in range(4)] == [(0.0, 25.0), (25.0, 75.0), (25.0, 0.0), (0.0, 0.0)]
    assert bar(np.zeros(3), 1) == (0.0, 0.0)
