"""Encoder, decoder and cross-attention: who asks, who answers, and which mask belongs there."""

from __future__ import annotations

import numpy as np
import pytest

from attention_core import Projections, Trace
from attention_lab.masks.encoder_decoder import USES, Sentence, attend_as

S, T, D, H, K, V = 7, 5, 6, 2, 3, 4
BY_KEY = {use.key: use for use in USES}


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
    """Queries and outputs are as many as the asking tokens, keys and values as the answering
    ones.
    """
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
def test_the_mask_that_belongs_there(key: str, allowed: np.ndarray) -> None:
    """The padding of whoever answers is hidden everywhere, later tokens in the decoder only."""
    found = run(key).probabilities > 0
    assert (found == allowed).all()


@pytest.mark.parametrize(("key", "own"), [("encoder", True), ("decoder", True), ("cross", False)])
def test_self_attention_is_known_as_such(key: str, own: bool) -> None:
    """A sequence that answers itself is one array; in cross-attention the memory is another one."""
    trace = run(key)
    assert (trace.memory is trace.inputs) == own


@pytest.mark.parametrize("key", BY_KEY)
def test_the_connection_goes_around_whoever_asks(key: str) -> None:
    """With Residual the vectors of the asking sequence are added to the output, without it
    nothing is.
    """
    with_it, without = (run(key, residual) for residual in (True, False))
    np.testing.assert_allclose(with_it.output, without.output + without.inputs, atol=1e-12)


def test_every_use_explains_itself() -> None:
    """The three uses have unique keys, both roles and a sentence; only the decoder is causal."""
    assert [use.key for use in USES if use.causal] == ["decoder"]
    assert len(BY_KEY) == 3
    for use in USES:
        assert {use.asks, use.answers} <= {"source", "target"}
        assert use.says.endswith(".")
