"""The pages that show all heads: grids, averages, lines and portraits."""

from __future__ import annotations

import numpy as np
import pytest

from attention_lab.heads.all_heads import averaging_effect, mean_of_heads
from tests.ui.app import facts, figures, opened, page_context, scenes
from tests.ui.pinning import pin
from tests.viz.reading_scenes import numbers


def test_a_chosen_subset_is_what_is_drawn_and_averaged() -> None:
    app = opened("all-heads", subset="0.2", mask="causal", head=2)
    trace = page_context(app).trace
    grid, merged = scenes(app)
    np.testing.assert_array_equal(
        numbers(grid["arrays"]["probabilities"]), trace.probabilities.astype("f4")
    )
    assert grid["panels"][0]["only"] == [0, 2]
    assert grid["cell"] == {"array": "probabilities", "index": [0, 2, 0, 0]}
    shares = trace.probabilities[0]
    np.testing.assert_array_equal(
        numbers(merged["arrays"]["mean"]), mean_of_heads(shares, [0, 2]).astype("f4")
    )
    assert facts(app)["heads"] == (0, 2)
    lost = facts(app)["averaging_effect"]
    assert (lost, len(app.warning)) == (averaging_effect(trace, [0, 2]), 1)
    # What a query reads in a head: e to its mean entropy there, not its mean effective tokens.
    seen = np.where(shares[[0, 2]] > 0, shares[[0, 2]], 1)
    entropies = -(seen * np.log(seen)).sum(axis=-1)
    assert lost.in_a_head == pytest.approx(np.exp(entropies.mean(axis=0)).mean(), rel=1e-6)


def test_the_stage_and_the_scale_of_the_grid() -> None:
    app = opened("all-heads", heads_stage="raw")
    scores = page_context(app).trace.scores
    array = scenes(app)[0]["arrays"]["scores"]
    np.testing.assert_array_equal(numbers(array), scores.astype("f4"))
    assert array["limit"] == pytest.approx(np.abs(scores).max(), rel=1e-5)
    app.button(key="heads_scale").click().run()
    assert app.session_state["own_scale"] is True
    limits = scenes(app)[0]["arrays"]["scores"]["limit"]["values"]
    np.testing.assert_allclose(limits, np.abs(scores[0]).max(axis=(1, 2)), atol=1e-6)
    app.button(key="heads_scale").click().run()
    assert app.session_state["own_scale"] is False


def test_each_view_draws_its_pictures() -> None:
    app = opened("all-heads", heads_view="Row and column", head=1, query=8, key=4)
    shares = page_context(app).trace.probabilities[0]
    _, row, column = scenes(app)
    np.testing.assert_array_equal(numbers(row["arrays"]["by head"]), shares[:, 8].astype("f4"))
    np.testing.assert_array_equal(
        numbers(column["arrays"]["by head"]), shares[:, :, 4].astype("f4")
    )
    assert facts(app)["sum_of_column"] == pytest.approx(shares[1, :, 4].sum(), rel=1e-6)
    app = opened("all-heads", heads_view="Lines", heads_lines="key", subset="3", key=4)
    (lines,) = figures(app)
    hover_texts = [
        text for part in lines["data"] if part.get("mode") == "markers" for text in part["text"]
    ]
    assert len(hover_texts) == 12
    assert all("→ 4 cross" in text and text.startswith("head 3") for text in hover_texts)


def test_a_click_on_the_grid_moves_the_focus(monkeypatch: pytest.MonkeyPatch) -> None:
    app = opened("all-heads")
    grid = "board heads grid"
    pin(app, monkeypatch, grid, None, "probabilities", 0, 2, 6, 4)
    assert [app.session_state[name] for name in ("head", "query", "key")] == [2, 6, 4]


def test_an_average_that_hides_nothing() -> None:
    for text, hides in (("Hello", False), ("we like tea", True)):
        app = opened("all-heads", text=text)
        assert (facts(app)["average_hides"], len(app.warning)) == (hides, int(hides))
