"""Curves of counts and measurements: each point is the formula's or the measurement's own
number.
"""

from __future__ import annotations

import pytest

from attention_lab.heads.counts import (
    SIZE_OF_LETTER,
    LayerSize,
    growing_sizes,
    size_value,
    total_count,
)
from attention_lab.heads.score_schemes import SCHEMES, Measurement, SchemeRun
from attention_lab.heads.shared_keys import CACHE, MULTIPLICATIONS, PARAMETERS
from attention_viz.heads.count_figures import (
    count_curves,
    scheme_counts,
    scheme_memory,
    scheme_times,
)
from attention_viz.theme import Figure
from tests.viz.reading_figures import as_sent

SIZE = LayerSize(n_tokens=12, d_model=16, n_heads=4, n_kv_heads=4, d_k=4, d_v=4)
KINDS = {"MHA": SIZE, "MQA": LayerSize(12, 16, 4, 1, 4, 4)}


def curves(figure: Figure) -> dict[str, list[tuple[float, float]]]:
    """The points of each curve by its name."""
    return {
        part["name"]: list(zip(part["x"], part["y"], strict=True))
        for part in figure["data"]
        if "name" in part
    }


@pytest.mark.parametrize("letter", SIZE_OF_LETTER)
@pytest.mark.parametrize("counts", [PARAMETERS, CACHE, MULTIPLICATIONS])
def test_counts_as_a_size_grows(letter: str, counts: tuple) -> None:
    figure = count_curves(KINDS, letter, counts, "count")
    for name, points in curves(figure).items():
        assert points == [
            (size_value(s, letter), total_count(counts, s))
            for s in growing_sizes(KINDS[name], letter)
        ]
    rings = [
        (part["x"], part["y"])
        for part in figure["data"]
        if part["marker"].get("symbol") == "circle-open"
    ]
    assert rings == [
        ([size_value(size, letter)], [total_count(counts, size)]) for size in KINDS.values()
    ]
    as_sent(figure)


@pytest.mark.parametrize("which", ["multiplications", "additions", "extra"])
def test_counts_of_the_four_ways(which: str) -> None:
    figure = scheme_counts(SIZE, "C", which)
    for scheme in SCHEMES:
        count = getattr(scheme, which)
        expected = [
            (size_value(s, "C"), count.of(s)) for s in growing_sizes(SIZE, "C") if count.of(s)
        ]
        assert curves(figure)[scheme.name] == expected
    as_sent(figure)


def test_measurements_are_drawn_as_measured() -> None:
    larger = growing_sizes(SIZE, "n")[:2]
    runs = [
        SchemeRun(scheme, size, Measurement(0.001 * (i + 1), 1000 * size.n_tokens))
        for i, scheme in enumerate(SCHEMES)
        for size in larger
    ]
    times, memory = curves(scheme_times(runs, "n")), curves(scheme_memory(runs, "n"))
    for i, scheme in enumerate(SCHEMES):
        assert times[scheme.name] == [(8, pytest.approx(i + 1)), (16, pytest.approx(i + 1))]
        assert memory[scheme.name] == [(8, 8), (16, 16)]
    as_sent(scheme_times(runs, "n"))


def test_curves_that_coincide_can_be_distinguished() -> None:
    lines = [part for part in scheme_counts(SIZE, "n", "multiplications")["data"] if "name" in part]
    for of in (
        lambda p: p["line"]["color"],
        lambda p: p["line"]["dash"],
        lambda p: p["marker"]["symbol"],
        lambda p: p["line"]["width"],
    ):
        assert len({of(part) for part in lines}) == 4
