"""The weighted sum as it is drawn: weights, values, weighted values and their sum are the trace's."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
import pytest

from attention_core import Projections, attend
from attention_core.decompositions import weighted_values
from attention_viz.mixing import mixing
from attention_viz.theme import dress
from tests.viz.example_traces import CASES, HOSTILE, S, V, example


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_every_part_is_the_trace_s(case: str, shared: bool) -> None:
    """Bars are the row of probabilities; the matrices are the head's values, weighted values and output."""
    trace = example(case, shared=shared)
    for head, query in ((0, 0), (4, 2), (16, 4)):
        bars, values, sent, total = mixing(trace, head, query, 3, 1)["data"][:4]
        group = 0 if shared else head
        np.testing.assert_array_equal(bars["x"], trace.probabilities[0, head, query].astype("f4"))
        np.testing.assert_array_equal(values["z"], trace.value_heads[0, group].astype("f4"))
        np.testing.assert_array_equal(sent["z"], weighted_values(trace, head, query).astype("f4"))
        np.testing.assert_array_equal(total["z"][0], trace.head_outputs[0, head, query].astype("f4"))
        np.testing.assert_allclose(sent["z"].sum(axis=0), total["z"][0], rtol=0, atol=1e-5)


def test_masked_keys_say_so() -> None:
    """A masked key has the word "masked" instead of a percentage."""
    texts = mixing(example("causal"), 0, 2, 0, 0)["data"][0]["text"]
    assert [text == "masked" for text in texts] == [key > 2 for key in range(S)]


def test_a_click_chooses_the_key_and_feature_it_shows() -> None:
    """The marker over a value carries head, key and feature, and lies on that cell."""
    for markers in mixing(example(), 5, 1, 0, 0)["data"][4:]:
        assert len(markers["x"]) == S * V
        for x, y, (head, key, feature) in zip(markers["x"], markers["y"], markers["customdata"], strict=True):
            assert (head, key, feature) == (5, y, x)


def test_wide_values_are_drawn_in_blocks() -> None:
    """Of 100 features the block with the chosen one is drawn, and its column numbers are the true ones."""
    trace = attend(np.random.default_rng(0).normal(size=(3, 4)), Projections.random(4, 1, d_k=2, d_v=100))
    figure = mixing(trace, 0, 1, 2, 70)
    np.testing.assert_array_equal(figure["data"][1]["z"], trace.value_heads[0, 0, :, 64:].astype("f4"))
    assert figure["layout"]["xaxis2"]["ticktext"][0] == "64"
    lit = [shape for shape in figure["layout"]["shapes"] if shape["xref"] == "x2"]
    assert {shape["x0"] for shape in lit} == {70 - 64 - 0.5}


def test_plotly_takes_it_and_tokens_stay_text() -> None:
    """Every property is one that Plotly knows, and no token becomes markup."""
    text = go.Figure(dress(mixing(example("empty row"), 0, 2, 0, 0))).to_json()
    assert not any(token in text for token in HOSTILE if "<" in token)
