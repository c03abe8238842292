"""What pages of the story and the heads state in one state of the app, and would be false in
another.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attention_lab.notation.texts import NOTATIONS
from attention_lab.user_data.user_matrices import UserMatrices
from tests.ui.app import facts, opened, page_context, texts


@pytest.mark.parametrize(
    ("page", "choices", "stated"),
    [
        # shares that are listed are all, or not
        ("softmax", {}, {"other_keys_read": 9}),
        ("softmax", {"mask": "causal", "query": 2}, {"other_keys_read": 0}),
        ("softmax", {"text": "a"}, {"other_keys_read": 0, "reads": [(0, 1.0)]}),
        # one head cuts nothing up
        ("projections", {"weights": "weightless", "n_heads": 1}, {"features_read": 16}),
        ("projections", {"weights": "weightless"}, {"features_read": 4, "features": 16}),
        # a causal mask shows the diagonal
        ("mask", {"mask": "causal", "query": 4}, {"keys_seen": 5, "mask": "causal"}),
        ("output", {"own": UserMatrices(w_o=np.eye(16)).url_value()}, {"heads_mixed": 1}),
        ("merge", {"weights": "trained", "layer": 3}, {"wrong_cells": 5312}),
        ("scale", {"text": "a"}, {"scores_vary": False}),
        ("scale", {}, {"scores_vary": True}),
        # an edit of a cell that is not there counts for nothing
        ("scores", {"edits": "x_40_1_3"}, {"edits_outside": 1, "edited_cells": 0}),
        ("scores", {"edits": "x_0_1_3"}, {"edits_outside": 0, "edited_cells": 1}),
    ],
)
def test_what_holds_in_one_state_alone(
    page: str, choices: dict[str, Any], stated: dict[str, Any]
) -> None:
    told = facts(opened(page, **choices))
    assert {name: told[name] for name in stated} == stated


def test_many_wrong_cells_are_counted_in_thousands() -> None:
    app = opened("merge", weights="trained", layer=3)
    for count in (facts(app)["wrong_cells"], page_context(app).trace.merged.size):
        assert f"{count:,}" in texts(app)


def test_a_notation_that_counts_heads_from_1() -> None:
    formulas = [NOTATIONS[name].first_head for name in ("gml", "ours")]
    assert formulas == [1, 0]
    captions = [len(opened("scores", notation=name).main.caption) for name in ("ours", "gml")]
    assert captions[1] > captions[0]


def test_the_last_special_token_stands_before_what_is_filled_up() -> None:
    tokens = page_context(opened("tokens", weights="trained", n_tokens=20)).trace.tokens
    assert len(tokens) == 20
    assert (tokens[0], tokens[-1] != "[SEP]", "[SEP]" in tokens) == ("[CLS]", True, True)
