"""Facts behind sentences that were once said too broadly: each is the case that breaks the broad
sentence, computed apart from the sentence and its check.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from attention_core import Projections, attend
from attention_lab.diagonal.measures import gram_alignment
from attention_lab.diagonal.propositions.catalogue import find_proposition
from attention_lab.diagonal.propositions.checks import weightless_attention
from attention_lab.diagonal.settings import at_angle
from attention_lab.diagonal.token_matrices import gaussian_tokens
from attention_lab.labs.backward import layer_gradients
from attention_lab.layer_norm import standardised
from attention_lab.masks.invariances import with_key_bias

X = gaussian_tokens(5, 6)
OPPOSITE = Projections([[1.0]], [[-1.0]], [[1.0]], n_heads=1)


def test_opposite_weights_do_not_forbid_the_diagonal() -> None:
    two = attend([[1.0], [2.0]], OPPOSITE).probabilities[0, 0]
    assert two[0].tolist() == pytest.approx([0.731, 0.269], abs=5e-4)
    peaks = 0
    for seed in range(200):
        trace = attend(gaussian_tokens(3, 1, seed), at_angle(1, 1, 180, seed))
        rows, longest = trace.probabilities[0, 0], int(np.abs(trace.queries[0, :, 0]).argmax())
        assert rows[longest].argmin() == longest
        peaks += int((rows.argmax(axis=1) == np.arange(3)).sum())
    assert 0.03 < peaks / 600 < 0.12


def test_a_soft_cap_shows_a_key_bias() -> None:
    plain = Projections.random(6, 2, bias=True)
    other = with_key_bias(plain, np.arange(6.0))
    for softcap, visible in ((None, False), (1.0, True)):
        trace, moved = (attend(X, p, softcap=softcap) for p in (plain, other))
        gradient = np.abs(layer_gradients(trace, np.ones_like(trace.output) * X)["b_k"]).max()
        gap = np.abs(trace.output - moved.output).max()
        assert min(gradient, gap) > 0.01 if visible else max(gradient, gap) < 1e-12
    asked = replace(plain, b_q=plain.b_q + 1)
    assert np.array_equal(*(attend(X, p, memory=X[:1]).output for p in (plain, asked)))


def test_gram_alignment_need_not_have_the_sign_of_the_excess() -> None:
    weights = Projections(np.eye(2), np.diag([4.0, -4.2]), np.eye(2), n_heads=1)
    assert gram_alignment(weights.w_q, weights.w_k) < 0
    trace = attend([gaussian_tokens(16, 2, seed) for seed in range(3000)], weights)
    scores, own = trace.scaled_scores[:, 0], np.eye(16, dtype=bool)
    # The mean of 3000 draws, whose own spread leaves a few thousandths of doubt.
    assert trace.probabilities[:, 0, own].mean() - 1 / 16 > 0.008
    trace_of_form = float(np.trace(weights.w_q @ weights.w_k.T)) / math.sqrt(2)
    gap = scores[:, own].mean() - scores[:, ~own].mean()
    assert gap == pytest.approx(trace_of_form, abs=0.1)


def test_an_average_may_tie_with_those_that_have_a_share_alone() -> None:
    x = np.array([[1.0], [1.0], [-5.0]])
    check = find_proposition("S11").check(x)
    row = weightless_attention(x).probabilities[0]
    assert (check.applies, check.holds, check.excess) == (True, True, 0)
    assert row[0] == row[1] > 100 * row[2]


def test_an_offset_after_layer_norm_breaks_the_equal_norms() -> None:
    normed = standardised(gaussian_tokens(12, 4))
    assert find_proposition("S12").check(normed).applies
    assert find_proposition("S5").check(normed).holds
    moved = normed + np.array([3.0, 0.0, 0.0, -1.0])
    assert not find_proposition("S12").check(moved).applies
    assert find_proposition("S5").check(moved).excess > 0.1


def test_a_token_of_zeros_ties_with_all() -> None:
    tokens = weightless_attention([[0.0, 0.0], [1.0, 2.0], [-3.0, 1.0]])
    assert np.ptp(tokens.probabilities[0]) == 0
    assert find_proposition("S9").verify(tokens).holds
    a = tokens.probabilities.copy()
    a[0, 1] += 0.01
    assert find_proposition("S9").verify(replace(tokens, probabilities=a)).where == (0, 1)
