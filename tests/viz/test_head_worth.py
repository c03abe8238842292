"""What heads add, what they cost and how they compare: bars, curves, portraits and sentences hold
the numbers that were computed.
"""

from __future__ import annotations

import numpy as np
import pytest

from attention_core import Projections, Trace, attend
from attention_lab.heads.counts import (
    SIZE_OF_LETTER,
    LayerSize,
    growing_sizes,
    size_value,
    total_count,
)
from attention_lab.heads.head_worth import norm_shares, signed_shares, token_changes
from attention_lab.heads.score_schemes import SCHEMES, SchemeRun
from attention_lab.heads.shared_keys import CACHE, MULTIPLICATIONS, PARAMETERS
from attention_viz.heads.count_figures import (
    count_curves,
    scheme_counts,
    scheme_memory,
    scheme_times,
)
from attention_viz.heads.head_worth import (
    MAX_ABLATION_COLUMNS,
    ablation_board,
    first_column,
    head_shares,
    stacked_output,
    token_changes_board,
)
from attention_viz.theme import Figure
from tests.viz.reading_figures import as_sent
from tests.viz.reading_scenes import sent

X = np.random.default_rng(2).normal(size=(5, 6))


def layer(residual: bool = False, bias: bool = False) -> Trace:
    """Three heads, five tokens."""
    trace = attend(X, Projections.random(6, 3, d_k=2, d_v=7, bias=bias, seed=3), residual=residual)
    return trace.labelled(("a", "b", "a", "<b>", "@key"))


def bars(figure: Figure) -> dict[str, np.ndarray]:
    """The heights of the bars by name."""
    return {part["name"]: part["y"] for part in figure["data"] if part["type"] == "bar"}


@pytest.mark.parametrize("residual", [False, True])
@pytest.mark.parametrize("bias", [False, True])
def test_the_stack_is_the_output(residual: bool, bias: bool) -> None:
    trace = layer(residual, bias)
    figure = stacked_output(trace, 4)
    parts = bars(figure)
    assert len(parts) == 3 + bias + residual
    (tick,) = (part for part in figure["data"] if part["type"] == "scatter")
    np.testing.assert_array_equal(tick["y"], trace.output[0, :, 4].astype("f4"))
    np.testing.assert_allclose(sum(parts.values()), tick["y"], atol=1e-5)
    assert figure["layout"]["barmode"] == "relative"
    as_sent(figure)


def test_shares_are_ranked() -> None:
    trace = layer()
    figure = head_shares(trace)
    order = [int(name.removeprefix("head ")) for name in figure["data"][0]["x"]]
    drawn = bars(figure)
    np.testing.assert_array_equal(
        drawn["signed share"], signed_shares(trace)[0][order].astype("f4")
    )
    np.testing.assert_array_equal(drawn["norm share"], norm_shares(trace)[0][order].astype("f4"))
    assert sorted(order) == [0, 1, 2]
    assert drawn["signed share"].tolist() == sorted(drawn["signed share"].tolist(), reverse=True)


def test_changes_per_token() -> None:
    trace = layer()
    scene = token_changes_board(trace, (1, 4))
    assert scene["cell"] == {"array": "changes", "index": [1, 4]}
    assert scene["axes"]["T"]["labels"] == list(trace.labels("T"))
    np.testing.assert_array_equal(sent(scene, "changes"), token_changes(trace)[0].astype("f4"))


def test_a_wide_output_is_drawn_in_part() -> None:
    trace = attend(np.random.default_rng(1).normal(size=(2, 70)), Projections.random(70, 2))
    scene = ablation_board(trace, trace.output[0], (1, 66))
    assert {tuple(array["shape"]) for array in scene["arrays"].values()} == {(2, 6)}
    named = [axis["labels"] for axis in scene["axes"].values() if axis["word"] == "feature"]
    assert named == [[str(column) for column in range(MAX_ABLATION_COLUMNS, 70)]]
    assert scene["cell"]["index"] == [1, 2]
    assert first_column(66) == MAX_ABLATION_COLUMNS == 64


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
        sizes = growing_sizes(KINDS[name], letter)
        assert points == [(size_value(s, letter), total_count(counts, s)) for s in sizes]
    rings = [part for part in figure["data"] if part["marker"].get("symbol") == "circle-open"]
    for ring, size in zip(rings, KINDS.values(), strict=True):
        assert (ring["x"], ring["y"]) == ([size_value(size, letter)], [total_count(counts, size)])
    as_sent(figure)


@pytest.mark.parametrize("which", ["multiplications", "additions", "extra"])
def test_counts_of_the_four_ways(which: str) -> None:
    figure = scheme_counts(SIZE, "C", which)
    for scheme in SCHEMES:
        counts = {
            size_value(s, "C"): getattr(scheme, which).of(s) for s in growing_sizes(SIZE, "C")
        }
        assert curves(figure)[scheme.name] == [one for one in counts.items() if one[1]]
    as_sent(figure)


def test_measurements_are_drawn_as_measured() -> None:
    larger = growing_sizes(SIZE, "n")[:2]
    runs = [
        SchemeRun(scheme, size, 0.001 * (i + 1), 1000 * size.n_tokens)
        for i, scheme in enumerate(SCHEMES)
        for size in larger
    ]
    times, memory = curves(scheme_times(runs, "n")), curves(scheme_memory(runs, "n"))
    for i, scheme in enumerate(SCHEMES):
        assert times[scheme.name] == [(8, pytest.approx(i + 1)), (16, pytest.approx(i + 1))]
        assert memory[scheme.name] == [(8, 8), (16, 16)]
    as_sent(scheme_times(runs, "n"))
