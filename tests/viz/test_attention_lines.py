"""Lines from queries to keys: each ends where it should, shows its weight, and belongs to its
head.
"""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest

from attention_viz.heads.attention_lines import MAX_DRAWN_LINES, attention_lines
from attention_viz.labels import format_percent
from attention_viz.theme import Figure
from tests.viz.example_traces import H, S, T, example, square
from tests.viz.reading_figures import as_sent, strings


def ends(figure: Figure) -> set[tuple[int, int, int]]:
    """Head, query and key of every line, read from where it begins and ends."""
    found = set()
    for part in figure["data"]:
        if part.get("mode") == "lines" and part["x"][0] is not None:
            starts, stops = (
                part["y"][np.asarray(part["x"]) == 0],
                part["y"][np.asarray(part["x"]) == 1],
            )
            head = int(part["legendgroup"])
            found |= {
                (head, round(float(a)), round(float(b))) for a, b in zip(starts, stops, strict=True)
            }
    return found


def test_the_lines_of_one_query_and_of_one_key() -> None:
    trace, heads = example(), (1, 4)
    from_query, left_out = attention_lines(trace, heads, "query", 3, 6)
    assert ends(from_query) == {(head, 3, key) for head in heads for key in range(S)}
    to_key, _ = attention_lines(trace, heads, "key", 3, 6)
    assert ends(to_key) == {(head, query, 6) for head in heads for query in range(T)}
    assert left_out == 0


def test_masked_keys_get_no_line() -> None:
    figure, _ = attention_lines(square(7), (0, 1), "query", 2, 0)
    assert ends(figure) == {(head, 2, key) for head in (0, 1) for key in (0, 1, 2)}
    assert ends(attention_lines(example("empty row"), (0,), "query", 2, 0)[0]) == set()
    as_sent(attention_lines(example("all hidden"), range(H), "all", 0, 0)[0])


def test_the_strongest_are_drawn() -> None:
    trace = square(17, 2, causal=False)
    figure, left_out = attention_lines(trace, (0, 1), "all", 0, 0)
    weights = np.sort(trace.probabilities[0].ravel())
    kept = ends(figure)
    assert len(kept) == MAX_DRAWN_LINES
    assert left_out == 2 * 17 * 17 - MAX_DRAWN_LINES
    assert min(trace.probabilities[0][place] for place in kept) == weights[-MAX_DRAWN_LINES]


@pytest.mark.parametrize("which", ["query", "key", "all"])
def test_a_dot_on_the_line_shows_its_weight(which: str) -> None:
    trace = square(5, causal=False)
    figure, _ = attention_lines(trace, (0, 1), which, 1, 3)
    dots = [
        (part["legendgroup"], text)
        for part in figure["data"]
        if part.get("mode") == "markers"
        for text in part["text"]
    ]
    assert {(head, text) for head, text in dots} == {
        (
            str(h),
            f"head {h}<br>{t} t{t} → {s}"
            f" t{s}<br><b>{format_percent(trace.probabilities[0, h, t, s])}</b>",
        )
        for h, t, s in ends(figure)
    }
    widths: dict[float, list[float]] = {}
    for part in figure["data"]:
        if part.get("mode") == "lines" and part["x"][0] is not None:
            for head, query, key in ends({"data": [part]}):
                widths.setdefault(part["line"]["width"], []).append(
                    trace.probabilities[0, head, query, key]
                )
    ordered = [widths[width] for width in sorted(widths)]
    assert all(max(thin) <= min(thick) + 1e-12 for thin, thick in itertools.pairwise(ordered))


def test_tokens_stay_text() -> None:
    figure, _ = attention_lines(example(), range(4), "all", 1, 2)
    as_sent(figure)
    around = figure["layout"]
    assert around["yaxis"]["ticktext"][1] == "<b>1 @query</b>"
    assert around["yaxis2"]["ticktext"][2].startswith("<b>2 &amp;lt;")
    for text in strings([part.get("text") for part in figure["data"]]):
        assert not re.search(r"<(?!/?b>|br>)", text), text
