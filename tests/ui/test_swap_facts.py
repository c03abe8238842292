"""What the pages about splitting and merging heads state of the swap of heads and tokens."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attention_lab.heads.layout_mistakes import merge_without_swap, split_without_swap
from attention_lab.notation.notation import axis_name, axis_names
from attention_lab.notation.texts import NOTATIONS
from attention_lab.user_data.user_matrices import UserMatrices
from tests.ui.app import facts, opened, page_context, stage

ONE = {"text": "a", "d_model": 1, "n_heads": 1}
BY_LUCK = {"text": "a b c d e f g h i j k l m", "head": 1, "query": 4, "feature": 2}


def test_a_wrong_number_is_another_one() -> None:
    app = opened("merge", text="the the the the", n_heads=2, positions="false")
    heads = page_context(app).trace.head_outputs
    wrong = (heads.reshape(4, 16) != heads[0].swapaxes(0, 1).reshape(4, 16)).sum()
    assert 0 < wrong < 48  # so many numbers change places
    assert facts(app)["wrong_cells"] == wrong


@pytest.mark.parametrize(
    ("choices", "swap_matters", "stays", "first_or_last"),
    [
        ({}, True, True, True),
        (BY_LUCK, True, True, False),
        ({"head": 1, "query": 2, "feature": 3}, True, False, False),
        ({"n_heads": 1, "query": 2}, False, True, False),
        ({"text": "a", "head": 1}, False, True, False),
    ],
)
def test_where_the_wrong_way_puts_a_number(
    choices: dict[str, Any], swap_matters: bool, stays: bool, first_or_last: bool
) -> None:
    told = facts(opened("merge", **choices))
    assert told["swap_matters"] is swap_matters
    assert (told["wrong_place"] == told["right_place"]) is stays
    assert told.get("first_or_last", False) is first_or_last
    assert (told["wrong_cells"] > 0) is swap_matters


def test_equal_numbers_hide_the_missing_swap() -> None:
    nothing = UserMatrices(w_v=np.zeros((16, 16))).url_value()
    told = facts(opened("merge", own=nothing))
    assert (told["swap_matters"], told["wrong_cells"]) == (True, 0)


def test_where_a_number_of_a_head_goes() -> None:
    told = facts(opened("merge", head=1, query=2, feature=3))
    assert told["right_place"] == (2, 1 * 4 + 3)
    assert told["last_feature_instead"] is False
    wide = opened("merge", feature=9)
    assert facts(wide)["last_feature_instead"] is True
    assert facts(wide)["right_place"] == (0, page_context(wide).trace.sizes["V"] - 1)
    assert facts(opened("mixing", feature=9))["last_feature_instead"] is True
    places = facts(opened("split", head=1, query=2, feature=3))["places"]
    assert (places.fused, places.swapped) == ((0, 2, 7), (0, 1, 2, 3))


@pytest.mark.parametrize("notation", NOTATIONS)
def test_the_stages_of_the_split_have_the_letters_of_the_text(notation: str) -> None:
    app = opened("split", notation=notation)
    names = axis_names(page_context(app).trace, page_context(app).notation)
    assert facts(app)["letters"] == tuple(names[letter] for letter in "BHTK")
    assert facts(app)["letters_of_fused"] == axis_name("H·K", names)
    assert facts(app)["shape"] == page_context(app).trace.query_heads.shape == (1, 4, 12, 4)


@pytest.mark.parametrize(
    ("choices", "matters"), [({}, True), ({"n_heads": 1}, False), (ONE, False)]
)
def test_when_the_swap_of_the_split_matters(choices: dict[str, Any], matters: bool) -> None:
    app = opened("split", **choices)
    assert facts(app)["swap_matters"] is matters
    assert (facts(app)["wrong_token_cells"] > 0) is matters
    assert (len(app.warning), len(app.info)) == ((1, 0) if matters else (0, 1))


@pytest.mark.parametrize(("page", "field"), [("split", "query_heads"), ("merge", "head_outputs")])
def test_a_misplaced_number_is_named(page: str, field: str) -> None:
    """The stage names a number and the word in whose row it would stand; with one head none goes
    astray.
    """
    app = opened(page, head=1, query=2)
    told, trace = facts(app)["astray"], page_context(app).trace
    heads = getattr(trace, field)[0]
    wrong = (
        split_without_swap(trace.queries, trace.sizes["H"])[0, :, told.row]
        if page == "split"
        else merge_without_swap(trace.head_outputs)[0, told.row]
    )
    assert heads[told.head, told.token, told.feature] in wrong
    assert told.row != told.token
    assert trace.tokens[told.row] in stage(app)["says"]
    assert facts(opened(page, **ONE))["astray"] is None
