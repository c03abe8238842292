"""Encoder, decoder and cross-attention: who asks, who answers, which mask belongs there; other
sentences for the same layer.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from attention_core import Projections, Trace, attend
from attention_lab.masks.encoder_decoder import (
    ATTENTION_USES,
    Sentence,
    attend_as,
    other_sentence,
    own_sentence,
    padded_sentence,
    run_three_uses,
)
from attention_lab.scenario import Scenario, trace_of
from attention_lab.user_data.user_matrices import UserMatrices
from tests.core.random_layers import assert_same

S, T, D, H, K, V = 7, 5, 6, 2, 3, 4
BY_KEY = {use.key: use for use in ATTENTION_USES}
SCENARIO = Scenario(text="we like tea and cake", d_model=6, n_heads=2)
TARGET = "wir mögen Tee"


def run(key: str, residual: bool = True) -> Trace:
    """One use for a source of 7 tokens, the last two padding, and a target of 5, the last one
    padding.
    """
    rng = np.random.default_rng(0)
    source = Sentence(rng.normal(size=(S, D)), tuple("abcdefg"), 5)
    target = Sentence(rng.normal(size=(T, D)), tuple("vwxyz"), 4)
    return attend_as(BY_KEY[key], source, target, Projections.random(D, H, d_k=K, d_v=V), residual)


@pytest.mark.parametrize(
    ("key", "asking", "answering"), [("encoder", S, S), ("decoder", T, T), ("cross", T, S)]
)
def test_shapes_through_every_step(key: str, asking: int, answering: int) -> None:
    trace = run(key)
    assert trace.query_heads.shape == (1, H, asking, K)
    assert trace.key_heads.shape == (1, H, answering, K)
    assert trace.value_heads.shape == (1, H, answering, V)
    assert trace.probabilities.shape == (1, H, asking, answering)
    assert trace.output.shape == (1, asking, D)
    assert (len(trace.tokens), len(trace.memory_tokens)) == (asking, answering)


@pytest.mark.parametrize(
    ("key", "allowed"),
    [
        ("encoder", np.ones((S, 1), dtype=bool) & (np.arange(S) < 5)),
        ("decoder", np.tri(T, dtype=bool) & (np.arange(T) < 4)),
        ("cross", np.ones((T, 1), dtype=bool) & (np.arange(S) < 5)),
    ],
)
def test_the_masks_of_the_uses(key: str, allowed: np.ndarray) -> None:
    found = run(key).probabilities > 0
    assert (found == allowed).all()


def test_which_keys_are_hidden() -> None:
    hidden = {
        use: np.isneginf(trace.masked_scores[0, 0])
        for use, trace in run_three_uses(SCENARIO, TARGET, 2).items()
    }
    for use in ("encoder", "cross"):
        assert hidden[use].all(axis=0).tolist() == [False] * 5 + [True] * 2
        assert not hidden[use][:, :5].any()
    allowed = [[s <= t and s < 3 for s in range(5)] for t in range(5)]
    assert (~hidden["decoder"]).tolist() == allowed


def test_cross_attention_is_attention_with_a_memory() -> None:
    scenario = Scenario(
        text="we like tea and cake", d_model=6, n_heads=2, scaling="custom", scale=0.3
    )
    cross = run_three_uses(scenario, TARGET, 0)["cross"]
    own, target = trace_of(scenario), other_sentence(scenario, TARGET).vectors
    assert_same(
        cross.output, attend(target, own.projections, memory=own.inputs[0], scale=0.3).output
    )


def test_the_own_sentence_holds_the_users_numbers() -> None:
    edited = Scenario(text="we like tea and cake", d_model=6, n_heads=2, edits="x_0_1_9")
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
    fixed = Scenario(text="we like tea and cake", d_model=6, n_heads=2, n_tokens=3)
    assert padded_sentence(fixed, 2).tokens == ("we", "like", "tea")
    edited = replace(SCENARIO, edits="x_0_1_9")
    assert (padded_sentence(edited, 2).vectors[:5] == trace_of(edited).inputs[0]).all()


def test_a_trained_layer_reads_other_sentences() -> None:
    scenario = Scenario(weights="trained", layer=1)
    other = other_sentence(scenario, "It slept", 6)
    assert other.vectors.shape == (6, 384)
    one_pad = run_three_uses(scenario, "It slept", 1)["cross"]
    assert one_pad.sizes["T"] == len(other_sentence(scenario, "It slept").tokens) + 1
