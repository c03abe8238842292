"""What the steps state of inputs and weights is true of the user's own numbers, and of a trained
layer, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attention_core import STEPS
from attention_lab.user_data.user_matrices import UserMatrices
from tests.ui.app import facts, letters, opened, page_context, scenes, stage, texts
from tests.ui.uploads import OWN_X, WHOLE

WEIGHTLESS = {"weights": "weightless"}


@pytest.mark.parametrize(
    ("choices", "n_read", "is_identity"),
    [
        ({}, 16, False),
        ({"edits": "wq_9_0_1"}, 16, False),
        (WEIGHTLESS, 4, True),
        (WEIGHTLESS | {"edits": "x_0_0_9__wk_9_0_1"}, 4, True),
        (WEIGHTLESS | {"edits": "wq_9_0_1"}, 5, False),
        (WEIGHTLESS | {"edits": "wq_9_0_1", "head": 1}, 4, False),
        ({"own": UserMatrices(w_q=np.zeros((16, 16))).url_value()}, 0, False),
        ({"own": UserMatrices(w_q=np.eye(16)).url_value()}, 4, True),
    ],
)
def test_what_a_head_reads_is_told_of_the_weights_as_they_are(
    choices: dict[str, Any], n_read: int, is_identity: bool
) -> None:
    app = opened("projections", which="queries", **choices)
    told, trace = facts(app), page_context(app).trace
    weights = trace.projections.w_q[:, told["block"]]
    assert told["features_read"] == n_read == weights.any(axis=1).sum()
    assert told["features"] == 16
    assert told["is_identity"] is is_identity
    assert np.array_equal(trace.projections.w_q, np.eye(16)) is is_identity
    assert told.get("weightless", False) is ("weights" in choices)


@pytest.mark.parametrize(
    ("choices", "made", "own", "trained"),
    [
        ({}, True, False, False),
        ({"edits": "wq_0_3_9"}, True, False, False),
        ({"own": OWN_X.url_value()}, False, True, False),
        ({"own": WHOLE.url_value()}, True, True, False),
        ({"weights": "trained"}, False, False, True),
    ],
)
def test_inputs_are_told_as_they_were_made(
    choices: dict[str, Any], made: bool, own: bool, trained: bool
) -> None:
    app = opened("tokens", **choices)
    told = facts(app)
    assert (told["made_of_words"], told["own_inputs"], told["trained"]) == (made, own, trained)
    assert ("words" in scenes(app)[0]["arrays"]) == made
    assert ("E" in letters(stage(app)["formula"])) == told["is_a_sum"] == made
    factors = [factor.name for term in told["arithmetic"].terms for factor in term.factors]
    assert factors == (["words", "positions"] if made else ["inputs"])


def test_an_edited_input_stands_beside_its_word() -> None:
    edited = opened("tokens", edits="x_2_1_-0.5", query=2, feature=1)
    scene = scenes(edited)[0]
    assert {"words", "positions", "inputs"} <= set(scene["arrays"])
    assert "changed" in scene["arrays"]["inputs"]
    assert "inputs" not in scene["rules"]
    assert "E" not in letters(stage(edited)["formula"])
    assert (facts(edited)["edited"], facts(edited)["is_a_sum"]) == (True, False)
    assert facts(opened("tokens", edits="x_2_1_-0.5", query=2, feature=0))["is_a_sum"] is True
    elsewhere = opened("tokens", edits="wq_0_0_1")
    assert facts(elsewhere)["edited"] is False
    assert "changed" not in scenes(elsewhere)[0]["arrays"]["inputs"]
    assert "inputs" in scenes(elsewhere)[0]["rules"]


@pytest.mark.parametrize(
    "choices", [{"weights": "trained"}, {"own": OWN_X.url_value()}, {"edits": "x_0_0_9"}, {}]
)
def test_no_step_says_of_every_input_that_it_is_a_word_and_a_place(choices: dict[str, Any]) -> None:
    for page in ("overview", "tokens"):
        assert STEPS["inputs"].sentence in texts(opened(page, **choices))
