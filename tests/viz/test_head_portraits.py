"""Portraits: every bar is its measure of its head, every tick the head without preferences."""

from __future__ import annotations

import numpy as np
import pytest

from attention_lab.heads.habits import HABITS
from attention_lab.heads.head_portraits import Measure
from attention_lab.heads.patterns import pattern_of
from attention_viz.heads.head_portraits import describe_value, measures_figure, profile_figure
from tests.viz.example_traces import square
from tests.viz.reading_figures import as_sent
from tests.viz.reading_words import numbers_said

ITSELF, PREVIOUS, *_ = HABITS


@pytest.mark.parametrize("causal", [False, True])
def test_bars_and_ticks(causal: bool) -> None:
    pattern = pattern_of(square(7, 5, causal=causal))
    figure = measures_figure(HABITS, pattern, (PREVIOUS.name, 3))
    bars, written, ticks, _ = figure["data"]
    assert bars["customdata"] == [[measure.name, head] for measure in HABITS for head in range(5)]
    assert written["text"] == bars["text"]
    np.testing.assert_array_equal(written["y"], bars["y"])
    opacity = bars["marker"]["opacity"]
    assert [number == max(opacity) for number in opacity] == [
        head == 3 for _, head in bars["customdata"]
    ]
    for place, measure in enumerate(HABITS):
        own = slice(5 * place, 5 * place + 5)
        lengths, drawn = bars["x"][own], ticks["x"][own] - place
        assert bars["base"][own] == [place] * 5
        assert ticks["customdata"][own] == [measure.name] * 5
        values, even = measure.value(pattern)[0], measure.value(pattern.uniform)[0]
        longest = max(values.max(), even.max(), 1e-9)
        np.testing.assert_allclose(lengths, 0.56 * values / longest, atol=1e-5)
        np.testing.assert_allclose(drawn, 0.56 * even / longest, atol=1e-5)
    as_sent(figure)


def test_every_head_has_its_line() -> None:
    figure = measures_figure(HABITS, pattern_of(square(7, 3)), (ITSELF.name, 1))
    bars, _, _, titles = figure["data"]
    axis = figure["layout"]["yaxis"]
    assert bars["y"].reshape(4, 3).tolist() == [axis["tickvals"]] * 4
    assert axis["ticktext"] == ["head 0", "<b>head 1</b>", "head 2"]
    assert [name for name in titles["text"] if "<b>" in name] == [f"<b>{ITSELF.name}</b>"]
    bottom, top = axis["range"]
    assert top < max(titles["y"]) < min(bars["y"]) < max(bars["y"]) < bottom


def test_a_number_that_does_not_exist_is_a_dash() -> None:
    bars = measures_figure([PREVIOUS], pattern_of(square(1, 2)), ("", 0))["data"][0]
    assert (bars["text"], bars["x"].tolist()) == (["—", "—"], [0, 0])


@pytest.mark.parametrize("measure", HABITS, ids=lambda measure: measure.key)
def test_the_profile_of_one_measure(measure: Measure) -> None:
    trace = square(7, 3)
    pattern = pattern_of(trace)
    figure = profile_figure(trace, measure, pattern, 1)
    bars, dots, line = figure["data"]
    values = measure.profile(pattern)[0].astype("f4")
    np.testing.assert_array_equal(bars["y"], values[1])
    np.testing.assert_array_equal(dots["y"], values[[0, 2]].ravel())
    np.testing.assert_allclose(line["y"], measure.profile(pattern.uniform)[0, 1], rtol=1e-6)
    as_sent(figure)


def test_a_single_head_has_no_others_and_a_single_token_a_mark() -> None:
    for trace, modes in ((square(5, 1), [None, "lines"]), (square(1, 1), [None, "markers"])):
        figure = profile_figure(trace, ITSELF, pattern_of(trace), 0)
        assert [part.get("mode") for part in figure["data"]] == modes


def test_the_number_of_a_head_in_words() -> None:
    alone = pattern_of(square(1, 2))
    assert numbers_said(describe_value(ITSELF, alone, 1)) == [1.0, 1.0]
    assert numbers_said(describe_value(PREVIOUS, alone, 1)) == []
