"""Figures about the softmax: what is drawn is what is computed on the spot."""

from __future__ import annotations

import numpy as np
import pytest

from attention_core.formulas import softmax
from attention_lab.masks.temperature import score_spread
from attention_viz.masks import temperature as figures
from attention_viz.masks.mask_workshop import query_shares_figure
from tests.viz.reading_figures import as_sent

SCORES = np.array([0.5, -np.inf, 2.0, 1.0, -0.5])
TOKENS = ("we", "<b>", "tea", "and", "cake")
SPREADS = tuple(score_spread(d_k) for d_k in (1, 4, 16))


def test_the_curves_over_the_temperature() -> None:
    figure = figures.temperature_figure(SCORES, TOKENS, 3, 0.5)
    assert len(figure["data"]) == 5
    chosen = figure["data"][-1]
    assert (chosen["name"], chosen["line"]["color"]) == ("and", "@key")
    for curve in figure["data"]:
        key = [token.replace("<", "&lt;").replace(">", "&gt;") for token in TOKENS].index(
            curve["name"]
        )
        expected = [softmax(SCORES / heat)[key] for heat in np.geomspace(0.05, 20, 61)]
        np.testing.assert_allclose(curve["y"], expected, atol=1e-6)
    assert figure["layout"]["shapes"][0]["x0"] == 0.5
    assert {note["text"].strip() for note in figure["layout"]["annotations"]} == {"tea", "and"}


def test_the_measured_variances() -> None:
    theory, measured = figures.variance_figure(SPREADS)["data"]
    assert theory["x"].tolist() == theory["y"].tolist() == measured["x"] == [1, 4, 16]
    assert measured["y"] == [spread.variance for spread in SPREADS]
    assert measured["error_y"]["array"] == [2 * spread.standard_error for spread in SPREADS]


def test_the_saturation() -> None:
    curves = {curve["name"]: curve["y"] for curve in figures.saturation_figure(SPREADS)["data"]}
    assert curves["largest share, raw"] == pytest.approx(
        [spread.raw.largest_share for spread in SPREADS]
    )
    assert curves["largest share, scaled"] == pytest.approx(
        [spread.scaled.largest_share for spread in SPREADS]
    )
    assert curves["Jacobian trace, raw"] == pytest.approx(
        [spread.raw.jacobian_trace for spread in SPREADS]
    )
    assert curves["Jacobian trace, scaled"] == pytest.approx(
        [spread.scaled.jacobian_trace for spread in SPREADS]
    )


def test_the_derivative_of_two_tokens() -> None:
    (curve,) = figures.derivative_figure()["data"]
    assert curve["y"].max() == curve["y"][60] == 0.25
    np.testing.assert_allclose(curve["y"], curve["y"][::-1], atol=1e-7)


def test_every_figure_can_be_sent() -> None:
    drawn = [
        figures.temperature_figure(SCORES, TOKENS, 3, 0.5),
        figures.variance_figure(SPREADS),
        figures.saturation_figure(SPREADS),
        figures.derivative_figure(),
        query_shares_figure(
            TOKENS, {"−∞ added": softmax(SCORES)}, np.isneginf(SCORES), "Some shares."
        ),
    ]
    for figure in drawn:
        assert '"@' not in as_sent(figure)
        assert figure["layout"]["meta"]["description"].endswith(".")


def test_the_bars_of_a_row() -> None:
    rows = {
        "−∞ added": softmax(SCORES),
        "−4 added": softmax(np.where(np.isneginf(SCORES), -4.0, SCORES)),
    }
    figure = query_shares_figure(TOKENS, rows, np.isneginf(SCORES), "Some shares.")
    assert [bar["name"] for bar in figure["data"]] == list(rows)
    for bar, row in zip(figure["data"], rows.values(), strict=True):
        np.testing.assert_array_equal(bar["y"], row.astype("f4"))
    assert figure["layout"]["xaxis"]["ticktext"] == ["we", "(&lt;b&gt;)", "tea", "and", "cake"]
    assert figure["layout"]["meta"]["description"] == "Some shares."
