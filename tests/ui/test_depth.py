"""Depth: how soon the tokens of a stack become equal, in every choice."""

from __future__ import annotations

import numpy as np
import pytest

from attention_lab.diagonal.depth import STACK_WIDTHS, Stack, sample_trajectories
from tests.ui.app import errors, facts, figures, numbers_of, opened


@pytest.mark.parametrize(
    "parameters",
    [
        {"depth_compare": "remedies", "depth_c": "32"},
        {"depth_weights": "random", "depth_skip": "true"},
        {"depth_tokens": "sentence", "depth_norm": "true", "depth_log": "true"},
        {"depth_layers": "1"},
    ],
)
def test_kinds_of_depth(parameters: dict[str, str]) -> None:
    app = opened("depth", **parameters)
    app.session_state["depth cubic"] = True
    app.run()
    assert not app.exception
    assert len(figures(app)) == 2
    assert (
        "depth_tokens" in parameters
        or figures(opened("depth", depth_seed=7, **parameters))[0] != figures(app)[0]
    )
    assert len(app.dataframe) == 1


@pytest.mark.parametrize("text", ["", " "])
def test_a_sentence_without_words_has_no_depth(text: str) -> None:
    app = opened("depth", text=text, depth_tokens="sentence")
    assert len(errors(app)) == 1
    assert figures(app) == []


def test_when_the_tokens_are_equal() -> None:
    page_facts = facts(opened("depth", depth_seed=7))
    stack = Stack("weightless", 1, 24, False, 1.0, False, 7)
    assert page_facts["layers_until_equal"] == {
        f"C = {width}": sample_trajectories(stack, width, None).median.layers_until(0.01)
        for width in STACK_WIDTHS
    }
    assert page_facts["drawn_at_random"] == [True] * len(STACK_WIDTHS)


def test_stacks_in_which_nothing_is_drawn() -> None:
    drawn = facts(opened("depth", depth_compare="remedies", depth_tokens="sentence"))
    assert set(drawn["drawn_at_random"]) == {True, False}
    assert all(facts(opened("depth"))["drawn_at_random"])


def test_one_token_is_its_own_mean() -> None:
    for weights in ("weightless", "random"):
        app = opened("depth", depth_weights=weights, depth_tokens="sentence", text="a")
        assert set(facts(app)["layers_until_equal"].values()) == {0}
        masses = [numbers_of(line["y"]) for line in figures(app)[1]["data"]]
        assert np.allclose(np.concatenate(masses), 1)


def test_a_remedy_names_its_gain() -> None:
    ends = facts(opened("depth", depth_compare="remedies"))["layers_until_equal"]
    assert ends["4 random heads, skip and gain 0.25"] is None
    page_facts = facts(opened("depth", depth_weights="random", depth_skip="true"))
    assert page_facts["layers_until_equal"]["C = 16"] == 20


def test_where_layer_norm_stands_matters() -> None:
    after, before = (
        facts(opened("depth", depth_skip="true", **{name: "true"}))["layers_until_equal"]
        for name in ("depth_norm", "depth_norm_before")
    )
    assert after["C = 8"] is not None
    assert after["C = 64"] is None
    assert set(before.values()) == {None}
    ends = facts(opened("depth", depth_compare="remedies", depth_c="8"))["layers_until_equal"]
    assert ends["skip, LayerNorm after"] == after["C = 8"]
    assert ends["skip, LayerNorm before"] is ends["with skip"] is None
