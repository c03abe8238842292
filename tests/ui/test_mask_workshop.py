"""The mask workshop: the batch of sentences, and its experiments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attention_lab.user_data.painted_masks import mask_to_text
from attention_ui.masks.workshop import choose_clicked_cell
from tests.ui.app import (
    facts,
    opened,
    page_context,
    scenes,
)
from tests.ui.pinning import pin

ORDER = {"mw_try": "mask or scale first"}
PAINTED: dict[str, Any] = {"text": "you like cake now", "mw_masks": "painted"}
TWO_EMPTY = np.array([[True] * 4, [False] * 4, [True] * 4, [False] * 4])


def test_a_click_in_the_batch_chooses_sequence_query_and_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = opened("mask-workshop")
    pin(app, monkeypatch, "batch", choose_clicked_cell, "shares 1", 3, 8)
    assert scenes(app)[0]["cell"] == {"array": "scores 1", "index": [3, 8]}
    assert facts(app)["hidden_by"] == ["causal", "padding"]


def test_a_scale_of_1_leaves_a_bias_as_it_is() -> None:
    stated = facts(opened("mask-workshop", **ORDER))
    assert (stated["scaled_bias"], stated["order_matters"]) == (-2.0, True)
    assert stated["moved_by_the_order"]["−4.0"] > 0.01
    alone = facts(opened("mask-workshop", scaling="off", **ORDER))
    assert (alone["scaled_bias"], alone["order_matters"]) == (-4.0, False)
    assert alone["moved_by_the_order"] == {"−∞": 0, "−10⁹": 0, "−4.0": 0}


@pytest.mark.parametrize("first", [0, 2])
def test_a_bias_for_a_whole_row_changes_no_share(first: int) -> None:
    allowed = np.ones((4, 4), dtype=bool)
    allowed[1, first:] = False
    choices = {"text": "you like cake now", "mw_masks": "painted", **ORDER}
    stated = facts(opened("mask-workshop", painted=mask_to_text(allowed), **choices))
    assert stated["scaled_bias"] == -2.0
    assert stated["order_matters"] == bool(first)
    assert (stated["moved_by_the_order"]["−4.0"] > 1e-12) == bool(first)


def test_a_bias_of_0_hides_nothing() -> None:
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
    stated = facts(opened("mask-workshop", mw_try="nothing left", mw_masks="window", **choices))
    assert (stated["shares"], stated["sum_of_shares"]) == (n_shares, 0.0)
    assert (stated["only_token"], stated["spoilt_tokens"]) == (alone, 1)


@pytest.mark.parametrize(
    ("masks", "kept_out"),
    [("causal", True), ("padding", True), ("window", False), ("painted", False)],
)
def test_why_real_tokens_do_not_move(masks: str, kept_out: bool) -> None:
    stated = facts(
        opened("mask-workshop", mw_masks=masks, mw_sequence="2", mw_try="padded queries")
    )
    assert stated["pads_hidden_from_real_tokens"] is kept_out
    assert (stated["real_rows_moved"] == 0) is kept_out


@pytest.mark.parametrize(("also", "query", "spoilt"), [(False, 0, 3), (False, 1, 2), (True, 1, 1)])
def test_rows_that_were_empty_before(also: bool, query: int, spoilt: int) -> None:
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


def test_the_maximum_leaves_out_empty_rows() -> None:
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


def test_scores_that_differ_near_a_billion() -> None:
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
    arrays = scenes(opened("mask-workshop", **choices))[0]["arrays"]
    shapes = [array["shape"] for name, array in arrays.items() if name.startswith("scores ")]
    assert shapes == [[n_tokens, n_tokens]] * n_sequences


def test_a_sequence_that_the_batch_lacks() -> None:
    app = opened("mask-workshop", mw_sequence=2, mw_third="")
    assert facts(app)["last_sequence_instead"] == 1
    assert scenes(app)[0]["cell"]["array"] == "scores 1"
    assert "last_sequence_instead" not in facts(opened("mask-workshop", mw_sequence=2))
