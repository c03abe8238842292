"""Encoder, decoder and cross-attention: who asks, who answers, and which mask belongs there."""

from __future__ import annotations

import numpy as np
import pytest

from attention_core import Projections, Trace, attend
from attention_lab.masks.encoder_decoder import (
    ATTENTION_USES,
    Sentence,
    attend_as,
    other_sentence,
    run_three_uses,
)
from attention_lab.scenario import Scenario, trace_of
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


@pytest.mark.parametrize(("key", "own"), [("encoder", True), ("decoder", True), ("cross", False)])
def test_self_attention_has_one_array(key: str, own: bool) -> None:
    trace = run(key)
    assert (trace.memory is trace.inputs) == own


@pytest.mark.parametrize("key", BY_KEY)
def test_the_residual_adds_the_query_sequence(key: str) -> None:
    with_it, without = (run(key, residual) for residual in (True, False))
    np.testing.assert_allclose(with_it.output, without.output + without.inputs, atol=1e-12)


def test_every_use_explains_itself() -> None:
    assert [use.key for use in ATTENTION_USES if use.causal] == ["decoder"]
    assert len(BY_KEY) == 3
    for use in ATTENTION_USES:
        assert {use.queries_from, use.keys_from} <= {"source", "target"}
        assert use.description.endswith(".")


@pytest.mark.parametrize(
    ("use", "shape"), [("encoder", (7, 7)), ("decoder", (5, 5)), ("cross", (5, 7))]
)
def test_the_shapes_of_the_three_uses(use: str, shape: tuple[int, int]) -> None:
    trace = run_three_uses(SCENARIO, TARGET, 2)[use]
    assert trace.scores.shape == (1, 2, *shape)
    assert (len(trace.tokens), len(trace.memory_tokens)) == shape


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
