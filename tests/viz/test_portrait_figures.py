"""Portraits: every bar is its measure of its head, every tick the head without preferences."""

from __future__ import annotations

import numpy as np
import pytest

from attention_core.heads.patterns import pattern_of
from attention_core.heads.portraits import MEASURES
from attention_viz.heads.portrait_figures import profile, strip
from tests.viz.example_traces import square
from tests.viz.reading_figures import as_sent

BY_NAME = {measure.name: measure for measure in MEASURES}


@pytest.mark.parametrize("causal", [False, True])
def test_bars_and_ticks(causal: bool) -> None:
    """A bar per head and measure with its number, and a tick at the value without preferences where there is one."""
    pattern = pattern_of(square(7, 5, causal=causal))
    figure = strip(MEASURES, pattern, ("entropy", 3))
    bars = {part["name"]: part for part in figure["data"] if part["type"] == "bar"}
    assert list(bars) == [measure.name for measure in MEASURES]
    for measure in MEASURES:
        bar, usual = bars[measure.name], measure.baseline(pattern)
        np.testing.assert_allclose(bar["x"], measure.value(pattern)[0], rtol=1e-6, atol=1e-7)
        assert bar["customdata"] == [[measure.name, head] for head in range(5)]
        assert bar["marker"]["opacity"][3] > max(bar["marker"]["opacity"][head] for head in (0, 1, 2, 4))
        ticks = [part for part in figure["data"] if part["xaxis"] == bar["xaxis"] and part.get("mode") == "markers"]
        assert len(ticks) == (usual is not None)
        if usual is not None:
            np.testing.assert_allclose(ticks[0]["x"], usual[0], rtol=1e-6)
        axis = figure["layout"]["xaxis" + bar["xaxis"][1:]]
        low, high = axis["range"]
        assert low <= bar["x"].min()
        assert bar["x"].max() < high
    as_sent(figure)


def test_the_head_and_the_measure_in_focus_are_bold() -> None:
    """Exactly one measure's name and one head's."""
    figure = strip(MEASURES, pattern_of(square(7, 3)), ("self-mass", 1))
    names = [note["text"] for note in figure["layout"]["annotations"]]
    assert [name for name in names if "<b>" in name] == ["<b>self-mass</b>"]
    assert figure["layout"]["yaxis"]["ticktext"] == ["head 0", "<b>head 1</b>", "head 2"]


def test_a_number_that_does_not_exist_is_a_dash() -> None:
    """One token has no previous one: the bar is empty and says so; tiny numbers are told as such."""
    figure = strip([BY_NAME["previous-token mass"]], pattern_of(square(1, 2)), ("entropy", 0))
    assert figure["data"][0]["text"] == ["—", "—"]
    assert figure["data"][0]["x"].tolist() == [0, 0]
    as_sent(figure)


@pytest.mark.parametrize("name", BY_NAME)
def test_the_profile_of_one_measure(name: str) -> None:
    """Bars for the head in focus, dots for every other head, a line without preferences, along the right axis."""
    trace, measure = square(7, 3), BY_NAME[name]
    pattern = pattern_of(trace)
    figure = profile(trace, measure, pattern, 1)
    bars, dots, *lines = figure["data"]
    values = measure.profile(pattern)[0].astype("f4")
    np.testing.assert_array_equal(bars["y"], values[1])
    np.testing.assert_array_equal(dots["y"], values[[0, 2]].ravel())
    assert bars["x"][0] == ("σ1" if name == "rank of the scores" else "0 t0")
    if measure.of_scores:
        assert lines == []
    else:
        np.testing.assert_allclose(lines[0]["y"], measure.profile(pattern.uniform())[0, 1], rtol=1e-6)
    as_sent(figure)


def test_a_single_head_has_no_others() -> None:
    """With one head there are no dots of other heads."""
    trace = square(5, 1)
    figure = profile(trace, BY_NAME["entropy"], pattern_of(trace), 0)
    assert [part["name"] for part in figure["data"]] == ["head 0", "no preference"]
