"""What the pages about heads state is true of small and unusual layers, too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attention_lab.heads.scheme_runs import scheme_gaps
from attention_lab.user_data.user_matrices import UserMatrices
from attention_ui.heads.shared_keys import SHARING_KINDS
from tests.ui.app import alternatives, facts, figures, opened, page_context, scenes, texts

WIDE = {"own": UserMatrices(w_o=np.ones((16, 3))).url_value()}


@pytest.mark.parametrize(
    ("choices", "multiplied", "bias", "residual"),
    [
        ({}, True, False, False),
        ({"residual": "true"}, True, False, True),
        ({"weights": "trained"}, True, True, False),
        ({"weights": "weightless", "residual": "true"}, False, False, True),
        ({"weights": "weightless"}, False, False, False),
        ({"n_heads": 1}, True, False, False),
    ],
)
def test_what_the_tick_of_the_output_is_computed_as(
    choices: dict[str, Any], multiplied: bool, bias: bool, residual: bool
) -> None:
    """Biases and the residual are parts of the output; a sum over blocks of W_O is written
    where there is a W_O.
    """
    app = opened("head-worth", **choices)
    told = facts(app)
    assert (told["has_w_o"], told["has_bias"], told["residual"]) == (multiplied, bias, residual)
    assert bool(app.latex) == multiplied
    assert told["gap"] < 1e-5


def test_the_output_as_a_sum_in_the_symbols_of_the_notation() -> None:
    """Where tokens are columns, the weights stand left of what they multiply, transposed."""
    app = opened("head-worth", notation="gml")
    assert r"\big({W_O}^{(i)}\big)^{\top} O_i" in app.latex[0].value
    assert facts(app)["mixed_by"].replace("\\", "") == "W_O"
    assert r"O_h\,{W_O}^{(h)}" in opened("head-worth").latex[0].value


@pytest.mark.parametrize(
    ("choices", "apart"), [({}, True), ({"weights": "weightless"}, True), ({"n_heads": 1}, False)]
)
def test_when_lengths_of_heads_do_not_add_up(choices: dict[str, Any], apart: bool) -> None:
    """Weightless heads can neither overlap nor cancel, and one head alone has no other to
    differ from.
    """
    told = facts(opened("head-worth", **choices))
    assert told["parts_point_apart"] is apart
    assert (abs(told["sum_of_norm_shares"] - 1) < 1e-6) is not apart


def test_the_lengths_of_one_part_add_up() -> None:
    """If only one head adds anything, all parts point in the same direction."""
    first = np.zeros((16, 16))
    first[:4] = np.eye(16)[:4]
    told = facts(opened("head-worth", own=UserMatrices(w_o=first).url_value()))
    assert told["sum_of_norm_shares"] == pytest.approx(1)
    assert told["parts_point_apart"] is False


def test_of_nothing_there_are_no_shares() -> None:
    """If all heads together add 0, the page names no sum of shares and no ranking."""
    nothing = UserMatrices(w_o=np.zeros((4, 4))).url_value()
    app = opened("head-worth", text="you like cake", d_model=4, n_heads=2, own=nothing)
    assert (facts(app)["has_shares"], facts(app)["parts_point_apart"]) == (False, False)
    assert "rankings" not in facts(app)
    assert "nan" not in texts(app) + "".join(alternatives(app))
    one = facts(opened("head-worth", n_heads=1))
    assert (one["has_shares"], one["rankings"]) == (True, ((0,), (0,)))


def test_sizes_of_what_heads_are_worth_are_numbers() -> None:
    """Beside the board stand 4 heads and 12 tokens, in the order of the notation."""
    assert scenes(opened("head-worth", notation="note"))[0]["panels"][0]["badge"] == "4 × 12"
    assert scenes(opened("head-worth", notation="gml"))[0]["panels"][0]["badge"] == "12 × 4"


def test_heads_share_what_is_there() -> None:
    """Without weights no W_O is kept the same."""
    assert facts(opened("shared-keys"))["matrices_kept"] == ["w_q", "w_o"]
    assert facts(opened("shared-keys", weights="weightless"))["matrices_kept"] == ["w_q"]


def test_the_strongest_colour_is_a_share() -> None:
    """A single token gives all to itself, and no share is larger."""
    assert facts(opened("shared-keys", text="Hello"))["strongest_colour"] == 1
    assert 0 < facts(opened("shared-keys"))["strongest_colour"] < 1


@pytest.mark.parametrize("count", ["parameters", "cache", "multiplications"])
@pytest.mark.parametrize(
    ("choices", "usual"), [({"weights": "weightless"}, False), (WIDE, False), ({}, True)]
)
def test_what_is_counted_of_a_layer_without_the_usual_w_o(
    count: str, choices: dict[str, Any], usual: bool
) -> None:
    """Where W_O is counted, this layer may lack it, or have it in another width; no cache holds
    it.
    """
    told = facts(opened("shared-keys", shared_count=count, **choices))
    assert told["counted_as_it_is"] is (usual or count == "cache")
    assert told["has_w_o"] is ("weights" not in choices)


@pytest.mark.parametrize("page", ["shared-keys", "one-matrix-or-many"])
def test_counts_are_those_of_the_layer(page: str) -> None:
    """Their sizes are the layer's; a text with letters of its own does not change them."""
    told = facts(opened(page, notation="gml"))
    assert (told["size"].n_tokens, told["size"].d_model, told["size"].n_heads) == (12, 16, 4)
    assert page_context(opened(page, notation="gml")).own_letters in texts(
        opened(page, notation="gml")
    )
    assert page_context(opened(page)).own_letters == ""


def test_a_chart_of_counts_names_what_it_compares() -> None:
    """Its description has all three ways and the letter that grows."""
    (description,) = alternatives(opened("shared-keys"))
    assert all(kind in description for kind in SHARING_KINDS)


def test_a_number_that_a_head_has_not_is_no_empty_picture() -> None:
    """One token reads from no previous one: the page says so, and draws the bars of all
    measures alone.
    """
    app = opened("head-portraits", portrait="previous-token mass", text="Hello", n_heads=1)
    assert facts(app)["is_known"] is False
    assert len(figures(app)) == 1
    assert facts(opened("head-portraits", portrait="previous-token mass"))["is_known"]


def test_a_rank_counts_dimensions() -> None:
    """It is a whole number, and at most as large as the width of a head and the tokens allow."""
    told = facts(opened("head-portraits", portrait="rank of the scores"))
    assert told["value"] == 4 == told["largest_rank"]
    few = facts(opened("head-portraits", portrait="rank of the scores", text="one two"))
    assert few["largest_rank"] == 2 >= few["value"]


def test_one_head_is_compared_with_none() -> None:
    """Its measure is drawn alone, and no pairs of heads are."""
    alone, four = (opened("head-portraits", n_heads=n_heads) for n_heads in (1, 4))
    assert "layer_divergence" not in facts(alone)
    assert facts(four)["layer_divergence"] > 0
    assert len(scenes(four)) == len(scenes(alone)) + 2
    assert len(figures(alone)[1]["data"]) < len(figures(four)[1]["data"])


@pytest.mark.parametrize(
    ("choices", "whole"),
    [({"text": "Hello"}, True), ({}, True), ({"n_tokens": 64, "n_heads": 16, "d_k": 64}, False)],
)
def test_on_how_many_tokens_the_ways_were_compared(choices: dict[str, Any], whole: bool) -> None:
    """Where all tokens of the layer were compared, the page does not speak of the first ones."""
    app = opened("one-matrix-or-many", **choices)
    assert facts(app)["all_tokens_compared"] is whole
    assert facts(app)["scheme_gaps"].n_tokens == scheme_gaps(page_context(app).trace).n_tokens
    assert (facts(app)["scheme_gaps"].n_tokens == page_context(app).trace.sizes["T"]) is whole


@pytest.mark.parametrize(("n_heads", "wasted"), [(1, 0), (4, 0.75), (16, 0.9375)])
def test_what_the_full_product_throws_away(n_heads: int, wasted: float) -> None:
    """All but one part in h of what it computes: nothing as long as there is one head."""
    told = facts(opened("one-matrix-or-many", n_heads=n_heads))
    assert (told["wasted_share"], told["several_heads"]) == (wasted, n_heads > 1)
