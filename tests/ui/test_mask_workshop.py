"""The mask workshop: painting, the batch of sentences, and its experiments."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
import pytest

from attention_lab.masks.painted import mask_from_text, mask_to_text
from attention_ui.masks import mask_bench, painting
from tests.ui.app import facts, gone_to, here, numbers_of_scene, opened, scenes
from tests.ui.pinning import pin
from tests.viz.reading_scenes import numbers

ORDER = {"mw_try": "mask or scale first"}


def test_painting_hides_a_cell_and_shows_it_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A click on the painted mask hides the cell in all sequences, also in the address; another
    click undoes it.
    """
    app = opened("mask-workshop")
    touched = partial(painting._touched, 12)
    pin(app, monkeypatch, "paint", touched, "painted", 5, 2)
    assert app.session_state["mw_masks"] == ["causal", "padding", "painted"]
    painted = mask_from_text("".join(app.query_params["painted"]))
    assert np.argwhere(~painted).tolist() == [[5, 2]]
    for n in range(3):
        assert np.isneginf(numbers(scenes(app)[0]["arrays"][f"scores {n}"])[5, 2])
    assert facts(app)["hidden_by"] == ["painted"]
    pin(app, monkeypatch, "paint", touched, "painted", 5, 2)
    assert "painted" not in app.query_params
    assert not np.isneginf(numbers(scenes(app)[0]["arrays"]["scores 0"])[5, 2])


def test_a_painting_comes_by_its_address_and_stays() -> None:
    """The link shows the painting; going away and coming back keeps it."""
    hidden = np.ones((12, 12), dtype=bool)
    hidden[7, :3] = False
    app = opened("mask-workshop", painted=mask_to_text(hidden), mw_masks="painted")
    assert np.isneginf(numbers(scenes(app)[0]["arrays"]["scores 1"])).sum() == 3
    gone_to(gone_to(app, "scores"), "mask-workshop")
    assert app.session_state["painted"] == mask_to_text(hidden)


def test_the_buttons_for_painting() -> None:
    """A row can be hidden, all masks taken over, and everything shown again."""
    app = opened("mask-workshop", query=3)
    click = {button.label: button for button in app.button}
    click["Hide the whole row of the query"].click().run()
    assert np.argwhere(~mask_from_text(app.session_state["painted"]))[:, 0].tolist() == [3] * 12
    {button.label: button for button in app.button}["Start from all masks together"].click().run()
    assert (~mask_from_text(app.session_state["painted"])).sum() == 66 + 12 - 8
    {button.label: button for button in app.button}["Hide nothing"].click().run()
    assert app.session_state["painted"] == ""


def test_a_click_in_the_batch_chooses_sequence_query_and_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The board's cell becomes the chosen one, and the masks that hide it are named."""
    app = opened("mask-workshop")
    pin(app, monkeypatch, "batch", mask_bench.follow, "shares 1", 3, 8)
    assert scenes(app)[0]["cell"] == {"array": "scores 1", "index": [3, 8]}
    assert facts(app)["hidden_by"] == ["causal", "padding"]


def test_what_painting_adds_to_the_scores() -> None:
    """The numbers of the first matrix are those that are added: 0 where nothing is painted, −∞
    where a key is hidden.
    """
    told = facts(app := opened("mask-workshop"))
    painted = scenes(app)[1]["arrays"]["painted"]
    assert set(numbers_of_scene({"arrays": {"painted": painted}}).tolist()) == {0.0}
    assert (told["added_to_hidden"], told["added_to_others"]) == (-math.inf, 0)
    assert told["painted_cells"] == 0


def test_a_scale_of_1_leaves_a_bias_as_it_is() -> None:
    """Then the order does not matter for it either, which the table beside shows."""
    told = facts(opened("mask-workshop", **ORDER))
    assert (told["scaled_bias"], told["order_matters"]) == (-2.0, True)
    assert told["moved_by_the_order"]["−4.0"] > 0.01
    alone = facts(opened("mask-workshop", scaling="off", **ORDER))
    assert (alone["scaled_bias"], alone["order_matters"]) == (-4.0, False)
    assert alone["moved_by_the_order"] == {"−∞": 0, "−10⁹": 0, "−4.0": 0}


@pytest.mark.parametrize("first", [0, 2])
def test_a_bias_for_a_whole_row_changes_no_share(first: int) -> None:
    """Where only whole rows are hidden, the order is not said to matter: the bias cancels out."""
    allowed = np.ones((4, 4), dtype=bool)
    allowed[1, first:] = False
    address = {"text": "you like cake now", "mw_masks": "painted", **ORDER}
    told = facts(opened("mask-workshop", painted=mask_to_text(allowed), **address))
    assert told["scaled_bias"] == -2.0
    assert told["order_matters"] == bool(first)
    assert (told["moved_by_the_order"]["−4.0"] > 1e-12) == bool(first)


def test_a_bias_of_0_hides_nothing() -> None:
    """A finite bias makes a key less likely below 0 only: at 0 a hidden key is read like others."""
    app = opened("mask-workshop", mw_try="how to hide", mw_bias=0, query=3)
    read = facts(app)["read_from_hidden_keys"]
    later = here(app).trace.probabilities[0, 0, 3, 4:].sum()
    assert read["−∞"] == 0
    assert read["0.0"] == pytest.approx(later, abs=1e-12)


@pytest.mark.parametrize(
    ("address", "n_shares", "alone"),
    [
        ({"text": "a", "mw_second": "", "mw_third": ""}, 1, True),
        ({"n_tokens": 1}, 1, True),
        ({"text": "a", "n_tokens": 5}, 5, False),
    ],
)
def test_a_row_with_nothing_left(address: dict[str, Any], n_shares: int, alone: bool) -> None:
    """Zeros sum to 0; NaN spoils the token of the row, and another only where there is one."""
    told = facts(opened("mask-workshop", mw_try="nothing left", mw_masks="window", **address))
    assert (told["shares"], told["sum_of_shares"]) == (n_shares, 0.0)
    assert (told["only_token"], told["spoilt_tokens"]) == (alone, 1)
