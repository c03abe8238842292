"""The mask workshop: painting, the batch of sentences, and its experiments."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
import pytest

from attention_lab.user_data.painted_masks import mask_from_text, mask_to_text
from attention_ui.masks import mask_workshop, painting
from tests.ui.app import (
    facts,
    gone_to,
    numbers_of_scene,
    opened,
    page_context,
    pressed,
    refused,
    scenes,
)
from tests.ui.pinning import pin
from tests.viz.reading_scenes import numbers

ORDER = {"mw_try": "mask or scale first"}
PAINTED: dict[str, Any] = {"text": "you like cake now", "mw_masks": "painted"}
TWO_EMPTY = np.array([[True] * 4, [False] * 4, [True] * 4, [False] * 4])


def test_painting_hides_a_cell_and_shows_it_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A click on the painted mask hides the cell in all sequences, also in the URL; another
    click undoes it.
    """
    app = opened("mask-workshop")
    touched = partial(painting._toggle_cell, 12)
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


def test_the_url_holds_a_painted_mask() -> None:
    """The link shows the painting; going away and coming back keeps it."""
    hidden = np.ones((12, 12), dtype=bool)
    hidden[7, :3] = False
    app = opened("mask-workshop", painted=mask_to_text(hidden), mw_masks="painted")
    assert np.isneginf(numbers(scenes(app)[0]["arrays"]["scores 1"])).sum() == 3
    gone_to(gone_to(app, "scores"), "mask-workshop")
    assert app.session_state["painted"] == mask_to_text(hidden)


def test_a_painting_becomes_the_mask_of_every_step() -> None:
    """By its button, and by a link; what is painted later counts at once."""
    hidden = np.ones((12, 12), dtype=bool)
    hidden[7, :3] = False
    app = opened("mask-workshop", painted=mask_to_text(hidden))
    assert not facts(app)["in_every_step"]
    pressed(app, "Use this mask in every step")
    assert facts(app)["in_every_step"]
    linked = opened("all-heads", mask="painted", painted=mask_to_text(hidden))
    for shown in (gone_to(app, "softmax"), linked):
        assert np.array_equal(page_context(shown).trace.hidden[0, 1], ~hidden)
        assert shown.query_params["painted"] in (mask_to_text(hidden), [mask_to_text(hidden)])
    assert facts(gone_to(app, "mask"))["cells_hidden"] == 3
    pressed(gone_to(app, "mask-workshop"), "Hide nothing")
    assert not page_context(app).trace.hidden_keys.any()


def test_a_damaged_painting_hides_nothing() -> None:
    """A notice says so on every page."""
    app = opened("scores", mask="painted", painted="banana")
    assert [one[:2] for one in refused(app)] == [("Painted mask", "banana")]
    assert not page_context(app).trace.hidden_keys.any()


def test_a_painting_is_compared_with_another_mask() -> None:
    """Also where the layer has another mask: the second setting is the painting."""
    hidden = np.eye(12, dtype=bool)
    app = opened("compare", against="mask", value="painted", painted=mask_to_text(hidden))
    assert facts(app)["moved_most"].after == 1


def test_the_buttons_for_painting() -> None:
    """A row can be hidden, all masks taken over, and everything shown again."""
    app = opened("mask-workshop", query=3)
    click = {button.label: button for button in app.button}
    click["Hide all keys from the query"].click().run()
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
    pin(app, monkeypatch, "batch", mask_workshop.choose_clicked_cell, "shares 1", 3, 8)
    assert scenes(app)[0]["cell"] == {"array": "scores 1", "index": [3, 8]}
    assert facts(app)["hidden_by"] == ["causal", "padding"]


def test_what_painting_adds_to_the_scores() -> None:
    """The numbers of the first matrix are those that are added: 0 where nothing is painted, −∞
    where a key is hidden.
    """
    stated = facts(app := opened("mask-workshop"))
    painted = scenes(app)[1]["arrays"]["painted"]
    assert set(numbers_of_scene({"arrays": {"painted": painted}}).tolist()) == {0.0}
    assert (stated["added_to_hidden"], stated["added_to_others"]) == (-math.inf, 0)
    assert stated["painted_cells"] == 0


def test_a_scale_of_1_leaves_a_bias_as_it_is() -> None:
    """Then the order does not matter for the bias either, as the table shows."""
    stated = facts(opened("mask-workshop", **ORDER))
    assert (stated["scaled_bias"], stated["order_matters"]) == (-2.0, True)
    assert stated["moved_by_the_order"]["−4.0"] > 0.01
    alone = facts(opened("mask-workshop", scaling="off", **ORDER))
    assert (alone["scaled_bias"], alone["order_matters"]) == (-4.0, False)
    assert alone["moved_by_the_order"] == {"−∞": 0, "−10⁹": 0, "−4.0": 0}


@pytest.mark.parametrize("first", [0, 2])
def test_a_bias_for_a_whole_row_changes_no_share(first: int) -> None:
    """Where only whole rows are hidden, the order does not matter: the bias cancels."""
    allowed = np.ones((4, 4), dtype=bool)
    allowed[1, first:] = False
    choices = {"text": "you like cake now", "mw_masks": "painted", **ORDER}
    stated = facts(opened("mask-workshop", painted=mask_to_text(allowed), **choices))
    assert stated["scaled_bias"] == -2.0
    assert stated["order_matters"] == bool(first)
    assert (stated["moved_by_the_order"]["−4.0"] > 1e-12) == bool(first)


def test_a_bias_of_0_hides_nothing() -> None:
    """A finite bias makes a key less likely below 0 only: at 0 a hidden key is read like others."""
    app = opened("mask-workshop", mw_try="how to hide", mw_bias=0, query=3)
    read = facts(app)["read_from_hidden_keys"]
    later = page_context(app).trace.probabilities[0, 0, 3, 4:].sum()
    assert read["−∞"] == 0
    assert read["0.0"] == pytest.approx(later, abs=1e-12)


@pytest.mark.parametrize(
    ("choices", "n_shares", "alone"),
    [
        ({"text": "a", "mw_second": "", "mw_third": ""}, 1, True),
        ({"n_tokens": 1}, 1, True),
        ({"text": "a", "n_tokens": 5}, 5, False),
    ],
)
def test_an_empty_row(choices: dict[str, Any], n_shares: int, alone: bool) -> None:
    """Zeros sum to 0; NaN spoils the token of the row, and another only where there is one."""
    stated = facts(opened("mask-workshop", mw_try="nothing left", mw_masks="window", **choices))
    assert (stated["shares"], stated["sum_of_shares"]) == (n_shares, 0.0)
    assert (stated["only_token"], stated["spoilt_tokens"]) == (alone, 1)


@pytest.mark.parametrize(
    ("masks", "kept_out"),
    [("causal", True), ("padding", True), ("window", False), ("painted", False)],
)
def test_why_real_tokens_do_not_move(masks: str, kept_out: bool) -> None:
    """[pad] stands behind all real tokens, so a causal mask keeps it out as well as one of
    padding.
    """
    stated = facts(
        opened("mask-workshop", mw_masks=masks, mw_sequence="2", mw_try="padded queries")
    )
    assert stated["pads_hidden_from_real_tokens"] is kept_out
    assert (stated["real_rows_moved"] == 0) is kept_out


@pytest.mark.parametrize(("also", "query", "spoilt"), [(False, 0, 3), (False, 1, 2), (True, 1, 1)])
def test_rows_that_were_empty_before(also: bool, query: int, spoilt: int) -> None:
    """Rows that the masks left without a key spoil their tokens, too, of 16 numbers each."""
    stated = facts(
        opened(
            "mask-workshop",
            mw_try="nothing left",
            painted=mask_to_text(TWO_EMPTY | also),
            query=query,
            **PAINTED,
        )
    )
    assert (stated["spoilt_tokens"], stated["spoilt_numbers"]) == (spoilt, 16 * spoilt)
    assert stated["only_token"] is False


def test_an_empty_row_is_no_part_of_the_maximum_of_the_others() -> None:
    """With −10⁹ a row that sees no key reads hidden keys alone; rows that see one read none."""
    stated = facts(
        opened(
            "mask-workshop",
            mw_try="how to hide",
            painted=mask_to_text(TWO_EMPTY),
            query=1,
            **PAINTED,
        )
    )
    assert stated["read_from_hidden_keys"]["−10⁹"] == pytest.approx(1)
    assert stated["most_read_from_hidden_keys"]["−10⁹"] == 0


def test_scores_that_float32_tells_apart_near_a_billion() -> None:
    """Numbers there lie 64 apart, so only scores beyond 32 change what a billion is taken from:
    with a scale of 100 a row with nothing left is not even, whatever the precision.
    """
    stated = facts(opened("mask-workshop", mw_try="how to hide", scaling="custom", scale=100))
    assert stated["most_read_from_hidden_keys"]["−10⁹"] == 0
    for shares in stated["shares_with_nothing_left"]["−10⁹"]:
        assert (shares.min() < 0.001, shares.max() > 0.999) == (True, True)
    near = [np.float32(-1e9) + np.float32(score) for score in (-32, 32, 33)]
    assert [one == np.float32(-1e9) for one in near] == [True, True, False]


@pytest.mark.parametrize(
    ("choices", "n_sequences", "n_tokens"),
    [
        ({}, 3, 12),
        ({"mw_second": "", "mw_third": "", "n_tokens": 1}, 1, 1),
        ({"n_tokens": 1}, 3, 1),
    ],
)
def test_a_batch_has_a_sequence_for_each_sentence(
    choices: dict[str, Any], n_sequences: int, n_tokens: int
) -> None:
    """One matrix of scores for each is on the board, as large as its tokens ask for."""
    arrays = scenes(opened("mask-workshop", **choices))[0]["arrays"]
    shapes = [array["shape"] for name, array in arrays.items() if name.startswith("scores ")]
    assert shapes == [[n_tokens, n_tokens]] * n_sequences


def test_a_sequence_that_the_batch_lacks() -> None:
    """If the chosen sequence is empty, the last one is shown, with a note."""
    app = opened("mask-workshop", mw_sequence=2, mw_third="")
    assert facts(app)["last_sequence_instead"] == 1
    assert scenes(app)[0]["cell"]["array"] == "scores 1"
    assert "last_sequence_instead" not in facts(opened("mask-workshop", mw_sequence=2))
