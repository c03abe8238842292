"""Facts behind sentences that were once said too broadly: each is the case that breaks the broad
sentence, computed apart from the sentence and its check.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from attention_core import Projections, attend
from attention_lab.diagonal.claims.catalogue import find_claim
from attention_lab.diagonal.depth import FOUR_TOKENS, Stack, levels, skip_draws, tokens_read_most
from attention_lab.diagonal.geometry import longer_pairs
from attention_lab.diagonal.measures import gram_alignment
from attention_lab.diagonal.propositions.catalogue import find_proposition
from attention_lab.diagonal.propositions.checks import weightless_attention
from attention_lab.diagonal.settings import at_angle
from attention_lab.diagonal.token_matrices import gaussian_tokens
from attention_lab.heads.keys_read import scale_effect
from attention_lab.labs.backward import layer_gradients
from attention_lab.labs.readouts import weightless_score
from attention_lab.labs.tasks import TRAINING_TASKS, unseen_examples
from attention_lab.layer_norm import standardised
from attention_lab.masks.invariances import with_bias

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
    other = with_bias(plain, "b_k", np.arange(6.0))
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


Tokens = list[list[float]]


def mixed(tokens: Tokens, own: bool = True) -> Tokens:
    """Attention without weights in plain loops. own: whether a token reads itself."""
    outputs = []
    for i, query in enumerate(tokens):
        scores = {
            j: sum(a * b for a, b in zip(query, key, strict=True)) / len(query) ** 0.5
            for j, key in enumerate(tokens)
            if own or j != i
        }
        most = max(scores.values())
        shares = {j: math.exp(score - most) for j, score in scores.items()}
        total = sum(shares.values())
        outputs.append(
            [sum(s * tokens[j][k] for j, s in shares.items()) / total for k in range(len(query))]
        )
    return outputs


def apart(tokens: Tokens) -> float:
    """The distance of tokens from their mean, in plain loops."""
    middle = [sum(column) / len(tokens) for column in zip(*tokens, strict=True)]
    rest = sum((a - m) ** 2 for one in tokens for a, m in zip(one, middle, strict=True))
    return float((rest / sum(a * a for one in tokens for a in one)) ** 0.5)


def with_skip(tokens: Tokens, n_layers: int) -> list[float]:
    """The distances with skip connections and without weights, layer by layer."""
    found = [apart(tokens)]
    for _ in range(n_layers):
        pairs = zip(tokens, mixed(tokens), strict=True)
        tokens = [[a + b for a, b in zip(*pair, strict=True)] for pair in pairs]
        found.append(apart(tokens))
    return found


def test_skip_connections_do_not_always_keep_tokens_apart() -> None:
    """The example of four tokens that all read the longest one: the distance halves."""
    by_hand = with_skip(FOUR_TOKENS.tolist(), 24)
    assert by_hand[:3] == pytest.approx([0.316, 0.173, 0.086], abs=5e-4)
    assert by_hand[10] == pytest.approx(0.0003, abs=5e-5)
    passed = list(levels(FOUR_TOKENS, Stack(skip=True)))
    assert [one.distance for one in passed] == pytest.approx(by_hand, rel=1e-6)
    assert tokens_read_most(passed[-1].tokens) == 1
    others = np.eye(3), np.array([[1.0], [-2.0], [-1.0]])
    assert [tokens_read_most(x) for x in others] == [3, 2]


@pytest.mark.parametrize("width", [1, 2, 8])
def test_tokens_collapse_where_all_read_one_token(width: int) -> None:
    ends = [with_skip(gaussian_tokens(4, width, seed).tolist(), 24)[-1] for seed in range(20)]
    found = skip_draws(width)
    assert found.collapsed == found.with_one_peak == found.both == sum(end < 0.01 for end in ends)
    assert (found.collapsed > 0) == (width < 8)
    assert found.draws == 20


def test_a_head_sees_the_part_of_a_token_in_the_span_of_its_columns() -> None:
    """P is N × n and applied as Pᵀ: two tokens with the same part in the span of P's columns, found
    by Gram-Schmidt, have the same query; n columns cannot span all N dimensions.
    """
    p = Projections.random(6, 3).w_q[:, :2]
    basis: Tokens = []
    for column in p.T.tolist():
        for one in basis:
            overlap = sum(a * b for a, b in zip(one, column, strict=True))
            column = [a - overlap * b for a, b in zip(column, one, strict=True)]
        length = sum(a * a for a in column) ** 0.5
        assert length > 0.1
        basis.append([a / length for a in column])
    for token in X.tolist():
        inside = [0.0] * 6
        for one in basis:
            overlap = sum(a * b for a, b in zip(one, token, strict=True))
            inside = [a + overlap * b for a, b in zip(inside, one, strict=True)]
        assert sum((a - b) ** 2 for a, b in zip(inside, token, strict=True)) > 0.01
        for column in p.T.tolist():
            read = [sum(a * b for a, b in zip(column, x, strict=True)) for x in (token, inside)]
            assert read[0] == pytest.approx(read[1])


def test_the_diagonal_is_not_all_that_limits_attention_without_weights() -> None:
    """The outputs that the readouts read, in plain loops; their error by a readout of its own."""
    task, unseen = TRAINING_TASKS["neighbours"], unseen_examples("neighbours")
    seen = task.draw(np.random.default_rng(0), 60)
    for own, error in ((True, 0.99), (False, 0.90)):
        features = [
            [[*row, 1.0] for tokens in inputs.tolist() for row in mixed(tokens, own)]
            for inputs in (seen.inputs, unseen.inputs[:60])
        ]
        wanted = seen.targets.reshape(-1, 8), unseen.targets[:60].reshape(-1, 8)
        solved = np.linalg.solve(
            np.transpose(features[0]) @ features[0], np.transpose(features[0]) @ wanted[0]
        )
        missed = ((np.array(features[1]) @ solved - wanted[1]) ** 2).mean() / wanted[1].var()
        assert missed == pytest.approx(error, abs=0.03)
        assert weightless_score("neighbours", own=own).total == pytest.approx(error, abs=0.005)


def test_attention_without_weights_takes_noise_out_of_copies() -> None:
    patterns = [row for row in gaussian_tokens(4, 32, seed=1).tolist() for _ in range(8)]
    noise = (gaussian_tokens(32, 32) / 2).tolist()
    noisy = [
        [a + b for a, b in zip(*rows, strict=True)] for rows in zip(patterns, noise, strict=True)
    ]
    missed = [
        sum(
            (a - b) ** 2
            for rows in zip(tokens, patterns, strict=True)
            for a, b in zip(*rows, strict=True)
        )
        / 1024
        for tokens in (noisy, mixed(noisy))
    ]
    assert [f"{one:.2f}" for one in missed] == ["0.25", "0.06"]
    assert "from 0.25 to 0.06" in find_claim("slides-always-use-weights").check().sentence


def test_the_softmax_alone_makes_shares() -> None:
    """Whatever divides the scores, the shares of a row are above 0 and sum to 1; a larger divisor
    brings them nearer to each other.
    """
    scores, tops = [2.0, -1.0, 0.5], []
    for divisor in (0.5, 1.0, 2.0, 4.0):
        exponentials = [math.exp(score / divisor) for score in scores]
        shares = [one / sum(exponentials) for one in exponentials]
        assert min(shares) > 0
        assert sum(shares) == pytest.approx(1)
        tops.append(max(shares))
    assert tops == sorted(tops, reverse=True)
    assert sum(score / 2 for score in scores) != pytest.approx(1)
    trace = attend(X, Projections.random(6, 2, seed=3))
    effect = scale_effect(trace, 1)
    assert effect.sum_gap < 1e-12
    assert effect.top < effect.top_raw


def test_longer_tokens_may_read_each_other_more() -> None:
    """The example: two tokens at more than 90°, and six that are further away."""
    x = np.array([[-3.0, 0.0], [0.5, 0.0], [-0.1, 1.0], *[[-3.0, 0.0]] * 5])
    shares, relative = [], []
    for factor in (1.0, 1.5, 2.0, 3.0):
        terms = []
        for j, token in enumerate(x.tolist()):
            product = sum(a * b for a, b in zip(x[1].tolist(), token, strict=True))
            terms.append(math.exp(product * (factor**2 if j in (1, 2) else factor) / 2**0.5))
        shares.append(terms[2] / sum(terms))
        relative.append(terms[2] / terms[1])
    assert [round(share, 2) for share in shares] == [0.23, 0.25, 0.24, 0.12]
    assert relative == sorted(relative, reverse=True)
    pairs = {pair.other: pair for pair in longer_pairs(x, 1)}
    assert sorted(pairs) == [0, 2, 3, 4, 5, 6, 7]
    assert pairs[2].shares == pytest.approx(shares)
    assert pairs[2].relative == pytest.approx(relative)
    assert pairs[2].product == pytest.approx(-0.05)
    assert [other for other, pair in pairs.items() if not pair.only_falls] == [2]
    assert longer_pairs(np.array([[1.0, 0.0], [0.0, 1.0]]), 0) == ()
    beaten = longer_pairs(np.array([[1.0, 0.0], [3.0, 0.0], [-1.0, 0.0]]), 0)  # by token 1
    assert beaten[0].relative[1] == pytest.approx(math.exp(-2 * 1.5**2 / 2**0.5))
