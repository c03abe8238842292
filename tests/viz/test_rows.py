"""The bars of one row are the softmax of its scores, without and with the scale."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
import pytest

from attention_core import softmax
from attention_viz.labels import percent
from attention_viz.rows import scale_bars
from attention_viz.theme import dress
from tests.viz.example_traces import CASES, HOSTILE, H, T, example, square


@pytest.mark.parametrize("case", CASES)
def test_the_bars_are_the_shares_without_a_mask(case: str) -> None:
    """One bar for each key from the raw scores and one from the scaled ones, with the percentage they stand for."""
    trace = example(case)
    for head, query in ((0, 0), (H - 1, T - 1)):
        for bars, scores in zip(
            scale_bars(trace, head, query)["data"], (trace.scores, trace.scaled_scores), strict=True
        ):
            shares = softmax(scores[0, head, query])
            np.testing.assert_allclose(bars["y"], shares.astype("f4"), rtol=1e-6)
            assert all(percent(float(p)) in text for p, text in zip(shares, bars["text"], strict=True))


@pytest.mark.parametrize(("n_tokens", "named"), [(40, True), (41, False)])
def test_keys_are_named_while_the_names_can_be_read(n_tokens: int, named: bool) -> None:
    """Beyond forty keys their names would overlap; the hover still tells them."""
    figure = scale_bars(square(n_tokens), 0, 0)
    assert figure["layout"]["xaxis"]["showticklabels"] == named
    assert figure["data"][0]["text"][n_tokens - 1].startswith(f"t{n_tokens - 1}<br>")


def test_plotly_takes_it_and_tokens_stay_text() -> None:
    """Every property is one that Plotly knows, and no token becomes markup."""
    text = go.Figure(dress(scale_bars(example(), 0, 0))).to_json()
    assert not any(token in text for token in HOSTILE if "<" in token)
