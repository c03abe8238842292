"""The mask step shows a mask where the layer has none, and padding finds [pad] to hide."""

from __future__ import annotations

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attention_lab.mask_kinds import MASKS
from attention_lab.user_data.user_matrices import UserMatrices
from tests.ui.app import gone_to, opened, page_context, pressed, scenes, stage, texts, unfolded


def hidden(app: AppTest) -> int:
    """How many scores of a head the step hides."""
    return int(page_context(app).trace.hidden_keys[0, 0].sum())


def test_the_step_opens_with_a_whole_triangle() -> None:
    for choices in ({}, {"bare": True}):
        app = opened("mask", **choices)
        n_keys = page_context(app).trace.sizes["S"]
        assert hidden(app) == n_keys * (n_keys - 1) // 2
        assert "No mask is chosen" in texts(app)
        assert [(note["act"], note["value"]) for note in stage(app)["notes"]] == [
            ("mask", "causal")
        ]
        assert hidden(gone_to(app, "softmax")) == 0


@pytest.mark.parametrize("mask", MASKS)
def test_a_named_mask_is_shown_as_it_is(mask: str) -> None:
    app, same = opened("mask", mask=mask), opened("scores", mask=mask)
    assert np.array_equal(
        page_context(app).trace.masked_scores, page_context(same).trace.masked_scores
    )
    assert not [note for note in stage(app)["notes"] if note["act"] == "mask"]


def test_no_mask_is_shown_if_chosen() -> None:
    app = opened("mask")
    app.button(key="mask none").click().run()
    assert (hidden(app), app.query_params["unmasked"]) == (0, "true")
    assert hidden(opened("mask", unmasked="true")) == 0
    app.button(key="mask causal").click().run()
    assert "unmasked" not in app.query_params
    app = unfolded(opened("mask", mask="window"))
    app.selectbox(key="mask").select("none").run()
    assert hidden(app) == 0


def test_nonsense_about_no_mask_is_refused() -> None:
    app = opened("mask", unmasked="banana")
    assert len(app.toast) == 1
    assert [note["act"] for note in stage(app)["notes"]] == ["mask"]


@pytest.mark.parametrize("choices", [{}, {"weights": "trained"}, {"n_tokens": 3}])
def test_padding_makes_room_for_itself(choices: dict[str, object]) -> None:
    by_button = opened("mask", **choices)
    by_button.button(key="mask padding").click().run()
    by_box = unfolded(opened("mask", **choices))
    by_box.selectbox(key="mask").select("padding").run()
    for app in (by_button, by_box):
        length = page_context(app).scenario.n_tokens
        assert page_context(app).trace.hidden_keys.any()
        assert not app.info
        assert str(length) in stage(app)["notes"][0]["text"]
        app.button(key="mask causal").click().run()
        app.button(key="mask padding").click().run()
        assert page_context(app).scenario.n_tokens == length


def test_padding_in_a_link_makes_no_room() -> None:
    app = opened("mask", mask="padding")
    assert (page_context(app).scenario.n_tokens, hidden(app)) == (0, 0)
    assert "Sequence length 14" in [button.label for button in app.button]


def test_a_longer_sequence_is_offered_where_there_can_be_one() -> None:
    app = pressed(opened("mask", mask="padding", text="tea " * 62), "Sequence length 64")
    assert page_context(app).trace.sizes["S"] == 64
    for weights in ("random", "trained"):
        cut = opened("mask", mask="padding", text="tea and cake " * 5, n_tokens=2, weights=weights)
        (button,) = [one for one in cut.button if one.label.startswith("Sequence length")]
        button.click().run()
        assert not cut.info
        assert page_context(cut).trace.hidden.any()
    own = UserMatrices(x=np.ones((3, 16))).url_value()
    for full in (
        opened("mask", mask="padding", text="tea " * 64),
        opened("mask", mask="padding", own=own),
    ):
        assert len(full.info) == 1
        assert not page_context(full).trace.hidden_keys.any()
        assert not [button for button in full.button if button.label.startswith("Sequence length")]


def test_a_mask_that_hides_nothing_is_described_like_none() -> None:
    none, padding, causal = (
        scenes(opened("mask", mask=mask))[0]["description"]
        for mask in ("none", "padding", "causal")
    )
    assert none == padding != causal
