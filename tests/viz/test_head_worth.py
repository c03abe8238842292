"""What heads add, what they cost and how they compare: bars, curves, portraits and sentences hold
the numbers that were computed.
"""

from __future__ import annotations

import numpy as np
import pytest

from attention_core import Projections, Trace, attend
from attention_lab.heads.basis_change import BeforeAfter
from attention_lab.heads.counts import (
    SIZE_OF_LETTER,
    LayerSize,
    growing_sizes,
    size_value,
    total_count,
)
from attention_lab.heads.head_portraits import MEASURES
from attention_lab.heads.head_worth import ablated_output, norm_shares, signed_shares, token_changes
from attention_lab.heads.patterns import pattern_of
from attention_lab.heads.score_schemes import SCHEMES, Measurement, SchemeRun
from attention_lab.heads.shared_keys import CACHE, MULTIPLICATIONS, PARAMETERS
from attention_lab.heads.similarity import overlap
from attention_viz.heads.count_figures import (
    count_curves,
    scheme_counts,
    scheme_memory,
    scheme_times,
)
from attention_viz.heads.head_portraits import describe_value, measures_figure, profile_figure
from attention_viz.heads.head_worth import (
    MAX_ABLATION_COLUMNS,
    ablation_board,
    basis_board,
    describe_remainder,
    first_column,
    head_shares,
    stacked_output,
    token_changes_board,
)
from attention_viz.heads.similarity import describe_closest, describe_most_alike
from attention_viz.theme import Figure
from tests.viz.example_traces import square
from tests.viz.reading_figures import as_sent
from tests.viz.reading_scenes import numbers, written_and_read
from tests.viz.reading_words import holds, numbers_said

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
    sent = scene["arrays"]["changes"]
    assert sent["axes"] == ["H", "T"]
    assert scene["cell"] == {"array": "changes", "index": [1, 4]}
    assert scene["axes"]["T"]["labels"] == list(trace.labels("T"))
    np.testing.assert_array_equal(numbers(sent), token_changes(trace)[0].astype("f4"))


def test_what_is_missing_without_some_heads() -> None:
    trace = layer(residual=True)
    without = ablated_output(trace, [0, 2])[0]
    scene = written_and_read(ablation_board(trace, without, (3, 5)))
    drawn = list(scene["arrays"].values())
    expected = (trace.output[0], without, trace.output[0] - without)
    for array, matrix in zip(drawn, expected, strict=True):
        np.testing.assert_array_equal(numbers(array), matrix.astype("f4"))
    assert {array["limit"] for array in drawn} == {float(f"{np.abs(trace.output).max():.6g}")}
    assert scene["cell"] == {"array": list(scene["arrays"])[-1], "index": [3, 5]}


def test_a_wide_output_is_drawn_in_part() -> None:
    trace = attend(np.random.default_rng(1).normal(size=(2, 70)), Projections.random(70, 2))
    scene = ablation_board(trace, trace.output[0], (1, 66))
    assert {tuple(array["shape"]) for array in scene["arrays"].values()} == {(2, 6)}
    named = [axis["labels"] for axis in scene["axes"].values() if axis["word"] == "feature"]
    assert named == [[str(column) for column in range(MAX_ABLATION_COLUMNS, 70)]]
    assert scene["cell"]["index"] == [1, 2]
    assert first_column(66) == MAX_ABLATION_COLUMNS == 64


def test_before_and_after_a_change_of_basis() -> None:
    before, after = np.arange(20.0 * 3).reshape(20, 3), -np.arange(20.0 * 3).reshape(20, 3)
    scene = written_and_read(basis_board(BeforeAfter("W", before, after)))
    first, second = scene["arrays"].values()
    np.testing.assert_array_equal(numbers(first), before[:16])
    np.testing.assert_array_equal(numbers(second), after[:16])
    assert first["limit"] == second["limit"] == 47


def test_what_is_left_without_heads() -> None:
    """The bias and the residual if the layer has them, otherwise 0."""
    for bias in (False, True):
        for residual in (False, True):
            left = describe_remainder(layer(residual=residual, bias=bias))
            assert left
            assert ("bias" in left) == bias
            assert ("residual" in left) == residual


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


BY_NAME = {measure.name: measure for measure in MEASURES}
(RANK,) = (measure for measure in MEASURES if measure.axis == "R")


@pytest.mark.parametrize("causal", [False, True])
def test_bars_and_ticks(causal: bool) -> None:
    pattern = pattern_of(square(7, 5, causal=causal))
    figure = measures_figure(MEASURES, pattern, ("entropy", 3))
    bars, written, ticks, _ = figure["data"]
    assert bars["customdata"] == [[measure.name, head] for measure in MEASURES for head in range(5)]
    assert written["text"] == bars["text"]
    np.testing.assert_array_equal(written["y"], bars["y"])
    opacity = bars["marker"]["opacity"]
    assert [number == max(opacity) for number in opacity] == [
        head == 3 for _, head in bars["customdata"]
    ]
    for place, measure in enumerate(MEASURES):
        own = slice(5 * place, 5 * place + 5)
        zero, lengths, values = (
            np.array(bars["base"][own]),
            bars["x"][own],
            measure.value(pattern)[0],
        )
        assert len(set(zero.tolist())) == 1
        scale = np.abs(lengths).max() / (np.abs(values).max() or 1)
        np.testing.assert_allclose(lengths, scale * values, atol=1e-5)
        usual = measure.baseline(pattern)
        drawn = ticks["x"][[name == measure.name for name in ticks["customdata"]]]
        assert len(drawn) == (0 if usual is None else 5)
        if usual is not None and values.any():
            np.testing.assert_allclose(drawn - zero, scale * usual[0], atol=1e-5)
        column, ends = place % 6, zero + lengths
        assert column - 1e-6 <= min(zero.min(), ends.min())
        # Its number is written from 0.59 to 0.88.
        assert max(ends.max(), drawn.max(initial=0)) < column + 0.57
    as_sent(figure)


def test_the_head_and_the_measure_in_focus_are_bold() -> None:
    figure = measures_figure(MEASURES, pattern_of(square(7, 3)), ("self-mass", 1))
    assert [name for name in figure["data"][-1]["text"] if "<b>" in name] == ["<b>self-mass</b>"]
    assert figure["layout"]["yaxis"]["ticktext"] == ["head 0", "<b>head 1</b>", "head 2"] * 2


def test_a_number_that_does_not_exist_is_a_dash() -> None:
    figure = measures_figure(
        [BY_NAME["previous-token mass"]], pattern_of(square(1, 2)), ("entropy", 0)
    )
    assert figure["data"][0]["text"] == ["—", "—"]
    assert figure["data"][0]["x"].tolist() == [0, 0]
    as_sent(figure)


@pytest.mark.parametrize("name", ["entropy", "self-mass", RANK.name])
def test_the_profile_of_one_measure(name: str) -> None:
    trace, measure = square(7, 3), BY_NAME[name]
    pattern = pattern_of(trace)
    figure = profile_figure(trace, measure, pattern, 1)
    bars, dots, *lines = figure["data"]
    values = measure.profile(pattern)[0].astype("f4")
    np.testing.assert_array_equal(bars["y"], values[1])
    np.testing.assert_array_equal(dots["y"], values[[0, 2]].ravel())
    assert bars["x"][0] == ("σ1" if measure is RANK else "0 t0")
    if measure.of_scores:
        assert lines == []
    else:
        np.testing.assert_allclose(lines[0]["y"], measure.profile(pattern.uniform)[0, 1], rtol=1e-6)
    as_sent(figure)


def test_the_number_of_a_head_in_words() -> None:
    alone = pattern_of(square(1, 2))
    own, previous = (
        describe_value(BY_NAME[name], alone, 1, "") for name in ("self-mass", "previous-token mass")
    )
    assert numbers_said(own) == [1.0, 1.0]
    assert previous
    assert numbers_said(previous) == []
    rank = describe_value(RANK, alone, 0, "d_k = 2")
    assert numbers_said(rank) == [1, 2]
    assert "d_k = 2" in rank


ALONE = np.full((4, 4), np.nan)  # heads without preferences have no correlation


def of_pair(number: float, n_heads: int, others: float) -> np.ndarray:
    """A number for heads 0 and 1, another for all other pairs."""
    numbers = np.full((n_heads, n_heads), others)
    numbers[0, 1] = numbers[1, 0] = number
    return numbers


def test_the_closest_of_several_heads() -> None:
    distance = np.array([[0.0, 0.5, 0.25], [0.5, 0.0, 0.375], [0.25, 0.375, 0.0]])
    shared = round(100 * float(overlap(distance)[0, 2]), 1)
    assert holds(describe_closest(distance), 0, 2, 0.25, shared)
    assert holds(describe_most_alike(1.0 - 2.0 * distance), 0, 2, 0.5)


def test_two_heads_are_one_pair() -> None:
    """Two heads are not called the most similar pair, because there is no other pair."""
    one_pair, several = (of_pair(-0.875, n_heads, -0.9) for n_heads in (2, 3))
    assert holds(describe_most_alike(one_pair), 0, 1, -0.88)
    assert holds(describe_most_alike(several), 0, 1, -0.88)
    assert describe_most_alike(one_pair) != describe_most_alike(several)
    one_pair, several = (of_pair(0.25, n_heads, 0.5) for n_heads in (2, 3))
    assert holds(describe_closest(one_pair), 0, 1, 0.25)
    assert describe_closest(one_pair) != describe_closest(several)


@pytest.mark.parametrize(
    "sentence", [describe_closest(np.zeros((4, 4))), describe_most_alike(ALONE)]
)
def test_no_two_of_equal_heads_are_closest(sentence: str) -> None:
    assert sentence.endswith(".")
    assert numbers_said(sentence) == []


def test_some_heads_without_preferences() -> None:
    known = of_pair(0.5, 3, 0.25)
    greyed = known.copy()
    greyed[2] = greyed[:, 2] = np.nan
    assert holds(describe_most_alike(greyed), 0, 1, 0.5, describe_most_alike(ALONE))
    assert not holds(describe_most_alike(known), describe_most_alike(ALONE))
