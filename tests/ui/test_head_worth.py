"""The page on what a head is worth: the output as a sum, heads switched off, and other bases."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attention_lab.heads.head_worth import ablated_output, norm_shares, signed_shares
from attention_lab.user_data.user_matrices import UserMatrices
from tests.ui.app import (
    alternatives,
    facts,
    gone_to,
    opened,
    page_context,
    scenes,
    texts,
)
from tests.viz.reading_scenes import numbers


def test_without_all_heads_only_bias_and_residual_are_left() -> None:
    app = opened("head-worth", off="0.1.2.3", residual="true")
    trace = page_context(app).trace
    ablated = next(scene for scene in scenes(app) if "rest" in scene["arrays"])
    whole, without, missing = map(numbers, ablated["arrays"].values())
    np.testing.assert_array_equal(without, trace.inputs[0].astype("f4"))
    np.testing.assert_allclose(whole - without, missing, atol=1e-6)
    assert (facts(app)["off"], facts(app)["all_off"]) == ((0, 1, 2, 3), True)
    assert "all_off" not in facts(opened("head-worth"))
    assert len(scenes(opened("head-worth"))) == len(scenes(app)) - 1


def test_a_head_is_switched_off_and_on_again() -> None:
    app = opened("head-worth")
    app.button_group(key="switches off").set_value([2]).run()
    assert app.session_state["off"] == "2"
    assert facts(app)["off"] == (2,)
    change = ablated_output(page_context(app).trace, [2]) - page_context(app).trace.output
    length = np.linalg.norm(change) / np.linalg.norm(page_context(app).trace.output)
    assert facts(app)["moved_without_them"] == pytest.approx(length, rel=1e-6)
    switches = app.run().button_group(key="switches off").proto
    # The browser has the value, so it is not sent again.
    assert (list(switches.default), switches.set_value) == ([2], False)
    app = gone_to(gone_to(app, "scores"), "head-worth")
    assert facts(app)["off"] == (2,)
    app.button_group(key="switches off").set_value([]).run()
    assert facts(app)["off"] == ()


def test_shares_and_their_sums() -> None:
    app = opened("head-worth", n_heads=8, seed=4)
    trace, stated = page_context(app).trace, facts(app)
    signed, norms = signed_shares(trace)[0], norm_shares(trace)[0]
    assert stated["sum_of_signed_shares"] == pytest.approx(1) == pytest.approx(signed.sum())
    assert stated["sum_of_norm_shares"] == pytest.approx(norms.sum())
    assert stated["rankings"] == (tuple(np.argsort(-signed)), tuple(np.argsort(-norms)))


def test_another_basis_leaves_the_layer_as_it_was() -> None:
    app = opened("head-worth")
    assert facts(app)["basis"] == 0
    app.button(key="turn").click().run()
    assert app.session_state["basis"] == facts(app)["basis"] == 1
    assert min(facts(app)["largest_change_changed"]) > 0.1
    assert max(facts(app)["largest_change_unchanged"]) < 1e-12
    weight, product = (list(map(numbers, scene["arrays"].values())) for scene in scenes(app)[-2:])
    assert np.abs(weight[0] - weight[1]).max() > 0.1
    np.testing.assert_allclose(*product, atol=1e-6)
    n_boards = len(scenes(app))
    app.button(key="turn back").click().run()
    assert (facts(app)["basis"], len(scenes(app))) == (0, n_boards - 2)


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
def test_which_parts_the_output_has(
    choices: dict[str, Any], multiplied: bool, bias: bool, residual: bool
) -> None:
    app = opened("head-worth", **choices)
    stated = facts(app)
    assert (stated["has_w_o"], stated["has_bias"], stated["residual"]) == (
        multiplied,
        bias,
        residual,
    )
    assert bool(app.latex) == multiplied
    assert stated["gap"] < 1e-5


def test_the_output_as_a_sum_in_the_symbols_of_the_notation() -> None:
    app = opened("head-worth", notation="gml")
    assert r"\big({W_O}^{(i)}\big)^{\top} O_i" in app.latex[0].value
    assert facts(app)["mixed_by"].replace("\\", "") == "W_O"
    assert r"O_h\,{W_O}^{(h)}" in opened("head-worth").latex[0].value


@pytest.mark.parametrize(
    ("choices", "apart"), [({}, True), ({"weights": "weightless"}, True), ({"n_heads": 1}, False)]
)
def test_when_lengths_of_heads_do_not_add_up(choices: dict[str, Any], apart: bool) -> None:
    stated = facts(opened("head-worth", **choices))
    assert stated["parts_point_apart"] is apart
    assert (abs(stated["sum_of_norm_shares"] - 1) < 1e-6) is not apart


def test_the_lengths_of_one_part_add_up() -> None:
    first = np.zeros((16, 16))
    first[:4] = np.eye(16)[:4]
    stated = facts(opened("head-worth", own=UserMatrices(w_o=first).url_value()))
    assert stated["sum_of_norm_shares"] == pytest.approx(1)
    assert stated["parts_point_apart"] is False


def test_a_zero_output_has_no_shares() -> None:
    nothing = UserMatrices(w_o=np.zeros((4, 4))).url_value()
    app = opened("head-worth", text="you like cake", d_model=4, n_heads=2, own=nothing)
    assert (facts(app)["has_shares"], facts(app)["parts_point_apart"]) == (False, False)
    assert "rankings" not in facts(app)
    assert "nan" not in texts(app) + "".join(alternatives(app))
    one = facts(opened("head-worth", n_heads=1))
    assert (one["has_shares"], one["rankings"]) == (True, ((0,), (0,)))


def test_the_size_of_the_board() -> None:
    assert scenes(opened("head-worth", notation="note"))[0]["panels"][0]["badge"] == "4 × 12"
    assert scenes(opened("head-worth", notation="gml"))[0]["panels"][0]["badge"] == "12 × 4"
