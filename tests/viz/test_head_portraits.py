"""Portraits: every bar is its measure of its head, every tick the head without preferences."""

from __future__ import annotations

import numpy as np
import pytest

from attention_lab.heads.head_portraits import MEASURES
from attention_lab.heads.patterns import pattern_of
from attention_viz.heads.head_portraits import describe_value, measures_figure, profile_figure
from tests.viz.example_traces import square
from tests.viz.reading_figures import as_sent
from tests.viz.reading_words import numbers_said

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


def test_a_single_token_has_its_picture() -> None:
    trace = square(1, 2)
    for name in ("entropy", "self-mass"):
        figure = profile_figure(trace, BY_NAME[name], pattern_of(trace), 0)
        assert [part.get("mode") for part in figure["data"]] == [None, "markers", "markers"]
        assert figure["layout"]["yaxis"]["rangemode"] == "tozero"
