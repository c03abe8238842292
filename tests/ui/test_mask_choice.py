"""The mask step shows a mask where the layer has none, and padding finds [pad] to hide."""

from __future__ import annotations

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attention_ui import board, mask_choice
from attention_ui.url_state import Session
from tests.ui.app import facts, gone_to, opened, page_context, stage, unfolded


def hidden(app: AppTest) -> int:
    """How many scores of a head the step hides."""
    return int(page_context(app).trace.hidden_keys[0, 0].sum())


def test_the_step_opens_with_a_whole_triangle() -> None:
    """Of a layer without a mask, and of it alone: the other steps stay as they are, and a button
    takes the mask over.
    """
    for address in ({}, {"bare": True}):
        app = opened("mask", **address)
        n_keys = facts(app)["keys"]
        assert hidden(app) == n_keys * (n_keys - 1) // 2
        assert facts(app)["mask"] == "none"
        assert [(note["act"], note["value"]) for note in stage(app)["notes"]] == [
            ("mask", "causal")
        ]
        assert hidden(gone_to(app, "softmax")) == 0


@pytest.mark.parametrize("mask", ["none", "causal", "padding", "window", "painted"])
def test_a_named_mask_is_shown_as_it_is(mask: str) -> None:
    """An address that names a mask gives the numbers that it always gave."""
    app, same = opened("mask", mask=mask), opened("scores", mask=mask)
    assert np.array_equal(
        page_context(app).trace.masked_scores, page_context(same).trace.masked_scores
    )
    assert not facts(app)["mask_of_example"]


def test_none_is_shown_to_whoever_chooses_it() -> None:
    """By the button or in the sidebar; the address says so, and another mask forgets it."""
    app = opened("mask")
    app.button(key="choose none").click().run()
    assert (hidden(app), app.query_params["unmasked"]) == (0, "true")
    assert hidden(opened("mask", unmasked="true")) == 0
    app.button(key="choose causal").click().run()
    assert "unmasked" not in app.query_params
    app = unfolded(opened("mask", mask="window"))
    app.selectbox(key="mask").select("none").run()
    assert hidden(app) == 0


def test_nonsense_about_no_mask_is_refused() -> None:
    """It is said, and the example stays."""
    app = opened("mask", unmasked="banana")
    assert len(app.toast) == 1
    assert facts(app)["mask_of_example"]


@pytest.mark.parametrize("address", [{}, {"weights": "trained"}, {"n_tokens": 3}])
def test_padding_makes_room_for_itself(address: dict[str, object]) -> None:
    """Chosen by the button or in the sidebar, it finds at least one [pad] behind the whole
    sentence, which the page says; where there is one already, the length stays.
    """
    by_button = opened("mask", **address)
    by_button.button(key="choose padding").click().run()
    by_box = unfolded(opened("mask", **address))
    by_box.selectbox(key="mask").select("padding").run()
    for app in (by_button, by_box):
        length = page_context(app).scenario.n_tokens
        assert page_context(app).trace.hidden_keys.any()
        assert not facts(app)["no_pad"]
        assert str(length) in stage(app)["notes"][0]["text"]
        app.button(key="choose causal").click().run()
        app.button(key="choose padding").click().run()
        assert page_context(app).scenario.n_tokens == length


def test_padding_in_a_link_makes_no_room() -> None:
    """An old link gives the numbers that it always gave, and the page offers the room."""
    app = opened("mask", mask="padding")
    assert (page_context(app).scenario.n_tokens, hidden(app)) == (0, 0)
    assert facts(app)["can_grow"] == 14


def test_the_button_of_the_stage_chooses_the_mask(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a browser of ours would not send changes nothing."""
    state: dict[str, object] = {}
    monkeypatch.setattr(mask_choice.st, "session_state", state)
    monkeypatch.setattr(mask_choice, "session", Session)
    board.apply_stage_choice("mask", "banana")
    assert state == {}
    board.apply_stage_choice("mask", "causal")
    assert state == {"mask": "causal", "unmasked": ""}
