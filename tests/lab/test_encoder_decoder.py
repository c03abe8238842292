"""Encoder, decoder and cross-attention: who asks, who answers, which mask belongs there; other
sentences for the same layer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attention_core import attend
from attention_lab.masks.encoder_decoder import (
    other_sentence,
    own_sentence,
    padded_sentence,
    run_three_uses,
)
from attention_lab.scenario import Scenario, trace_of
from attention_lab.user_data.user_matrices import UserMatrices
from tests.core.random_layers import assert_same

SCENARIO = Scenario(text="we like tea and cake", d_model=6, n_heads=2)
TARGET = "wir mögen Tee"


def test_which_keys_are_hidden() -> None:
    uses = run_three_uses(SCENARIO, TARGET, 2)
    source, target = np.arange(7) < 5, np.arange(5) < 3
    for use, allowed in (
        ("encoder", np.tile(source, (7, 1))),
        ("decoder", np.tri(5, dtype=bool) & target),
        ("cross", np.tile(source, (5, 1))),
    ):
        np.testing.assert_array_equal(uses[use].probabilities[0, 0] > 0, allowed)
        assert (len(uses[use].tokens), len(uses[use].memory_tokens)) == allowed.shape


def test_cross_attention_is_attention_with_a_memory() -> None:
    scenario = replace(SCENARIO, scaling="custom", scale=0.3)
    cross = run_three_uses(scenario, TARGET, 0)["cross"]
    own, target = trace_of(scenario), other_sentence(scenario, TARGET).vectors
    expected = attend(target, own.projections, memory=own.inputs[0], scale=0.3)
    assert_same(cross.output, expected.output)


@pytest.mark.parametrize(
    "options",
    [
        {"rotary": "neighbours"},
        {"qk_norm": True, "gain": 2.0},
        {"sink": True, "sink_logit": 1.0},
        {"softcap": True, "cap": 0.5},
        {"alibi": True},
    ],
)
def test_all_uses_have_the_options_of_the_layer(options: dict[str, Any]) -> None:
    scenario = replace(SCENARIO, d_k=4, seed=3, **options)
    uses = run_three_uses(scenario, TARGET, 0)
    own, plain = trace_of(scenario), run_three_uses(replace(SCENARIO, d_k=4, seed=3), TARGET, 0)
    assert_same(uses["encoder"].probabilities, own.probabilities)
    for name in uses:
        assert np.abs(uses[name].probabilities - plain[name].probabilities).max() > 0.01
    if "alibi" in options:
        apart = np.abs(np.arange(3)[:, np.newaxis] - np.arange(5))
        lowered = uses["cross"].scaled_scores - uses["cross"].masked_scores
        slopes = lowered[0, :, 2, 0] / 2
        assert_same(lowered[0], slopes[:, np.newaxis, np.newaxis] * apart)


def test_the_own_sentence_holds_the_users_numbers() -> None:
    edited = replace(SCENARIO, edits="x_0_1_9")
    assert own_sentence(edited).vectors[0, 1] == 9
    given = replace(SCENARIO, own=UserMatrices(x=np.arange(30.0).reshape(5, 6)).encode())
    assert own_sentence(given).vectors[4, 5] == 29
    for scenario in (edited, given):
        assert (
            other_sentence(scenario, SCENARIO.text).vectors == own_sentence(SCENARIO).vectors
        ).all()


def test_padding_comes_after_the_sentence() -> None:
    padded = padded_sentence(SCENARIO, 2)
    assert padded.tokens[4:] == ("cake", "[pad]", "[pad]")
    assert padded.n_real == 5
    assert (padded.vectors[:5] == trace_of(SCENARIO).inputs[0]).all()
    assert (padded.vectors == other_sentence(SCENARIO, SCENARIO.text, 7).vectors).all()
    assert padded_sentence(replace(SCENARIO, n_tokens=3), 2).tokens == ("we", "like", "tea")
    edited = replace(SCENARIO, edits="x_0_1_9")
    assert (padded_sentence(edited, 2).vectors[:5] == trace_of(edited).inputs[0]).all()


def test_a_trained_layer_reads_other_sentences() -> None:
    scenario = Scenario(weights="trained", layer=1)
    other = other_sentence(scenario, "It slept", 6)
    assert other.vectors.shape == (6, 384)
    one_pad = run_three_uses(scenario, "It slept", 1)["cross"]
    assert one_pad.sizes["T"] == len(other_sentence(scenario, "It slept").tokens) + 1
