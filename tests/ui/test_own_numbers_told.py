"""What the steps say of inputs and weights is true of the user's own numbers, and of a trained
layer, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attention_lab.user_data.own_matrices import OwnMatrices
from tests.ui.app import letters, opened, scenes, stage, texts
from tests.ui.uploads import OWN_X, WHOLE


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({}, "**Every head reads the whole embedding.**"),
        ({"edits": "wq_9_0_1"}, "**Every head reads the whole embedding.**"),
        ({"weights": "weightless"}, "**These weights are weightless:** W"),
        (
            {"weights": "weightless", "edits": "x_0_0_9__wk_9_0_1"},
            "**These weights are weightless:** W",
        ),
        ({"weights": "weightless", "edits": "wq_9_0_1"}, "**Head 0 reads 5 of 16 features here.**"),
        (
            {"weights": "weightless", "edits": "wq_9_0_1", "head": 1},
            "**Head 1 reads 4 of 16 features here.**",
        ),
        (
            {"own": OwnMatrices(w_q=np.zeros((16, 16))).address()},
            "**Head 0 reads 0 of 16 features here.**",
        ),
        (
            {"own": OwnMatrices(w_q=np.eye(16)).address()},
            "**W\\_Q is the identity here,** so Q = X",
        ),
    ],
)
def test_what_a_head_reads_is_told_of_the_weights_as_they_are(
    choices: dict[str, Any], said: str
) -> None:
    """Whole embedding, a plain copy of a part, or what own numbers make of it: the weights that
    are drawn decide.
    """
    told = texts(opened("projections", which="queries", **choices))
    kinds = (
        "**Every head reads",
        "**These weights are",
        "reads 5",
        "reads 4",
        "reads 0",
        "is the identity here",
    )
    assert said in told
    assert sum(kind in told for kind in kinds) == 1


@pytest.mark.parametrize(
    ("choices", "made", "said"),
    [
        ({}, True, "drawn at random"),
        ({"edits": "wq_0_3_9"}, True, "drawn at random"),
        ({"own": OWN_X.address()}, False, "X is your own"),
        ({"own": WHOLE.address()}, True, "drawn at random"),
        ({"weights": "trained"}, False, "comes into layer 0"),
    ],
)
def test_inputs_are_told_as_they_were_made(choices: dict[str, Any], made: bool, said: str) -> None:
    """Formula, caption and arithmetic speak of word and position where X is their sum, as the
    board draws it.
    """
    app = opened("tokens", **choices)
    assert ("words" in scenes(app)[0]["arrays"]) == made
    assert (
        ("E" in letters(stage(app)["formula"])) == ("word + position = input" in texts(app)) == made
    )
    assert said in texts(app)
    assert ("drawn at random" in texts(app)) == (
        said != "X is your own" and "weights" not in choices
    )


def test_an_edited_input_stands_beside_its_word() -> None:
    """Words and positions stay, X has its edited cell outlined, and only untouched cells are
    told to be the sum.
    """
    edited = opened("tokens", edits="x_2_1_-0.5", query=2, feature=1)
    scene = scenes(edited)[0]
    assert {"words", "positions", "inputs"} <= set(scene["arrays"])
    assert "changed" in scene["arrays"]["inputs"]
    assert "inputs" not in scene["rules"]
    assert "E" not in letters(stage(edited)["formula"])
    assert "Edited cells hold your own numbers" in texts(edited)
    assert "word + position = input" not in texts(edited)
    assert "word + position = input" in texts(
        opened("tokens", edits="x_2_1_-0.5", query=2, feature=0)
    )
    elsewhere = scenes(opened("tokens", edits="wq_0_0_1"))[0]
    assert "changed" not in elsewhere["arrays"]["inputs"]
    assert "inputs" in elsewhere["rules"]


@pytest.mark.parametrize(
    "choices", [{"weights": "trained"}, {"own": OWN_X.address()}, {"edits": "x_0_0_9"}, {}]
)
def test_no_step_says_of_every_input_that_it_is_a_word_and_a_place(choices: dict[str, Any]) -> None:
    """What comes into the layer is told in words that are true of a trained layer and of an own
    X, too.
    """
    for page in ("overview", "tokens"):
        assert "all that the layer knows of it" in texts(opened(page, **choices))


@pytest.mark.parametrize(
    ("size", "said"),
    [
        (1.0, "**the order shows in the output**"),
        (1e5, "**whether the order shows in the output cannot"),
    ],
)
def test_a_difference_that_the_order_makes_is_not_called_rounding(size: float, said: str) -> None:
    """With large numbers it may lie within what rounding can make; then the page says that this
    decides nothing.
    """
    x = size * np.cos(np.arange(32.0).reshape(4, 8) ** 2)
    told = texts(
        opened("invariances", own=OwnMatrices(x=x.round(3)).address(), inv_reads="with positions")
    )
    assert said in told
    assert "(rounding)" not in told


def test_many_columns_have_a_separator_as_other_numbers() -> None:
    """More than a thousand are written with a comma."""
    assert "have 1,024 columns; drawn are" in texts(
        opened("projections", d_k=64, n_heads=16, which="queries", whole="true")
    )
