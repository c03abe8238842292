"""The measures of all heads, layer by layer, and attention without weights."""

from __future__ import annotations

import numpy as np
import pytest

from attention_lab.trained.added_parts import parts_of_text
from attention_lab.trained.encoded_text import attend_without_weights, attention_of
from attention_lab.trained.layers import LAYER_MEASURES
from tests.lab.made_files import npz
from tests.ui.app import (
    facts,
    figures,
    gone_to,
    named_in,
    opened,
    scenes,
    sent,
    texts,
)
from tests.ui.uploads import ANIMAL, rng, uploaded


def test_the_measures_and_attention_without_weights() -> None:
    measure = LAYER_MEASURES["mean_distance"]
    app = opened("layers", text=ANIMAL, ly_measure=measure.title)
    assert len(figures(app)[0]["data"][1]["customdata"]) == 72
    assert measure.description in texts(app)
    _, placed, normed = attend_without_weights(ANIMAL)
    assert facts(app)["times_as_long"] == pytest.approx((normed.length / placed.length) ** 0.5)
    shares = sent(scenes(app)[1]["arrays"]["after LayerNorm"])
    assert np.trace(shares) / 15 > 0.7


def test_the_page_opens_with_the_token_before() -> None:
    app = opened("layers", text=ANIMAL)
    assert app.selectbox(key="ly_measure").value == LAYER_MEASURES["previous_mass"].title
    shares = np.stack(attention_of(ANIMAL).layers)
    before = np.diagonal(shares, -1, axis1=2, axis2=3).mean(axis=-1)
    assert before[facts(app)["largest"]] == before.max()
    two = npz({"attention": rng.dirichlet(np.ones(3), size=(1, 2, 4)).astype("f4")})
    app = gone_to(uploaded("a.npz", two), "layers")
    assert app.selectbox(key="ly_measure").value == LAYER_MEASURES["entropy"].title
    assert not app.error


def test_one_token_has_no_scores_with_others() -> None:
    app = opened("layers", text=ANIMAL, n_tokens=1)
    assert facts(app)["has_others"] is False
    assert not any("mean score with others" in table.value for table in app.table)
    assert facts(opened("layers", text="a " * 40))["has_others"]


@pytest.mark.parametrize(("text", "share"), [("Hi", 0.963), (ANIMAL, None)])
def test_what_a_token_would_keep(text: str, share: float | None) -> None:
    noted = facts(opened("layers", text=text))
    normed = attend_without_weights(text)[2]
    assert noted["share_if_alike"] == normed.share_if_alike
    assert share is None or noted["share_if_alike"] == pytest.approx(share, abs=5e-4)


def test_layers_show_the_head_of_the_url() -> None:
    app = opened("layers", text=ANIMAL, th_layer=4, th_head=5)
    assert np.array_equal(
        sent(scenes(app)[1]["arrays"]["trained"]), attention_of(ANIMAL).layers[0][5]
    )
    assert gone_to(app, "one-head").session_state["th_layer"] == 4


@pytest.mark.parametrize("page", ["change-a-word", "layers"])
def test_the_model_beside_a_file(page: str) -> None:
    shares = rng.dirichlet(np.ones(5), size=(2, 2, 5)).astype("f4")
    app = gone_to(uploaded("a.npz", npz({"attention": shares})), page)
    assert facts(app)["model_beside_a_file"]
    assert not facts(app).get("depends_on_the_sentence", False)
    assert not facts(opened(page))["model_beside_a_file"]
    assert facts(opened("layers"))["depends_on_the_sentence"]


def test_measures_that_one_token_does_not_have() -> None:
    app = gone_to(uploaded("a.npz", npz({"attention": np.ones((1, 1, 1, 1), "f4")})), "layers")
    app.selectbox(key="ly_measure").set_value("Previous-token mass").run()
    assert not app.error
    assert [part["y"] for part in figures(app)[0]["data"]] == [[None], [None]]
    assert facts(app)["has_a_dashed_line"] is False


@pytest.mark.parametrize(
    ("notation", "symbols"),
    [("ours", {"W_Q", "W_K", "C"}), ("mql5", {"W_QC", "W_KC", "nI"})],
)
def test_weights_and_widths_have_the_symbols_of_the_notation(
    notation: str, symbols: set[str]
) -> None:
    assert symbols <= named_in(texts(opened("layers", notation=notation)).replace("\\", ""))


def test_what_attention_and_feed_forward_add() -> None:
    noted = facts(opened("layers", text=ANIMAL))
    parts = parts_of_text(ANIMAL)
    np.testing.assert_array_equal(noted["added_parts"].feed_forward, parts.feed_forward)
    np.testing.assert_allclose(noted["mean_share_of_attention"], parts.share.mean(axis=1))
