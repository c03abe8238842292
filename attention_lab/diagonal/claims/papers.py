"""Claims of well-known papers, of the best-known introduction, and of the MQL5 book, quoted; most
of them carry a condition. MQL5 keeps the heads of Query and Key in one fused vector each.
"""

from itertools import pairwise

import numpy as np

from attention_core.attention import attend
from attention_core.formulas import softmax
from attention_core.initialisation import small
from attention_core.projections import Projections
from attention_core.trace import Trace

from ...layer_norm import standardised
from ..depth import FOUR_TOKENS, Stack, levels
from ..settings import at_angle
from ..token_matrices import gaussian_tokens
from .record import (
    Measured,
    are_equal,
    max_difference,
    multiplications,
    own_rate,
    score_deviations,
)


def variance_of_the_dot_product() -> Measured:
    """Variances of 4000 dot products of width 64: a token with itself, and independent vectors."""
    query, key = gaussian_tokens(4000, 64, seed=1), gaussian_tokens(4000, 64, seed=2)
    own, other = (float((query * vectors).sum(axis=1).var()) for vectors in (query, key))
    right = abs(other / 64 - 1) < 0.1
    return Measured(right, right and abs(own / 128 - 1) < 0.1, other, own)


def small_gradients() -> Measured:
    """The trace of the Jacobian of the softmax, 1 - Σ a², for 32 keys of width 512, also for small
    weights.
    """
    query, key = gaussian_tokens(32, 512, seed=1), gaussian_tokens(32, 512, seed=2)
    raw = query @ key.T
    x, rng = standardised(gaussian_tokens(32, 64)), np.random.default_rng(0)
    slight = (x @ small(rng, 64, 512)) @ (x @ small(rng, 64, 512)).T
    unscaled, scaled, started = (
        float(1 - (softmax(scores) ** 2).sum(axis=-1).mean())
        for scores in (raw, raw / np.sqrt(512), slight)
    )
    return Measured(
        started < 0.5, unscaled < 0.2 and scaled > 0.8 and started > 0.8, unscaled, scaled, started
    )


def same_cost() -> Measured:
    """Multiplications of the matrix products of a layer, n = 64 and C = 96, with 1 head and with 8
    of shared and of full width; and the number of scores.
    """
    x = gaussian_tokens(64, 96)
    one, shared, full = (multiplications(64, 96, width) for width in (96, 8 * 12, 8 * 96))
    few, many = (attend(x, Projections.random(96, heads)).scores.size for heads in (1, 8))
    right = shared == one and full == 8 * one and many == 8 * few
    return Measured(full == one and many == few, right, one, shared, full, few, many)


def averaging_inhibits() -> Measured:
    """How much of [left neighbour | right neighbour] the best linear map misses with one mixture
    and with two heads.
    """
    content = gaussian_tokens(2000, 4)
    left, right = np.roll(content, 1, axis=0), np.roll(content, -1, axis=0)
    wanted = np.hstack([left, right])

    def missed(read: np.ndarray, target: np.ndarray) -> float:
        best = read @ np.linalg.lstsq(read, target, rcond=None)[0]
        return float(((target - best) ** 2).mean() / target.var())

    one, two, sharp = missed((left + right) / 2, wanted), missed(wanted, wanted), missed(left, left)
    return Measured(sharp > 0.4, one > 0.49 and two < 1e-9 and sharp < 1e-9, one, two, sharp)


def own_word_highest() -> Measured:
    """The share of rows that peak on the diagonal among 16 normalised tokens: unrelated
    weights, no weights.
    """
    tokens = [standardised(gaussian_tokens(16, 16, seed)) for seed in range(40)]
    free, tied = (
        own_rate(attend(x, at_angle(16, 16, degrees, seed)) for seed, x in enumerate(tokens))
        for degrees in (90, 0)
    )
    without = own_rate(attend(x, Projections.weightless(16)) for x in tokens)
    return Measured(free > 0.5, without == 1 and free < 0.2, free, tied, without)


def rank_is_lost() -> Measured:
    """The distance of 16 tokens from their mean after 24 layers: with 8 features, with 64, with 16
    and skip connections, and these with random heads or with LayerNorm after the addition. And that
    of four tokens that all read one token most, with skip connections.
    """

    def left(width: int, stack: Stack) -> float:
        return list(levels(gaussian_tokens(16, width), stack))[-1].distance

    narrow, wide, skips = left(8, Stack()), left(64, Stack()), left(16, Stack(skip=True))
    heads, pure = Stack("random", 4, skip=True), Stack("random", 4)
    slowed = [left(16, stack) for stack in (heads, Stack(skip=True, layer_norm=True))]
    four = [one.distance for one in levels(FOUR_TOKENS, Stack(skip=True))]
    halves = all(0.45 < later / earlier < 0.55 for earlier, later in pairwise(four[:20]))
    delayed = narrow < 1e-12 and wide > 0.1 and skips > 0.5 and left(16, pure) < 1e-12
    exponential = all(1e-12 < distance < 0.1 for distance in slowed)
    claimed, corrected = max(narrow, wide, skips) < 0.1, delayed and exponential and halves
    return Measured(claimed, corrected, narrow, wide, skips, slowed, left(16, pure), four)


# Sequence elements, their size nI, heads, and the size nK of one head's Query and Key.
N, NI, HEADS, NK = 5, 12, 3, 4


def mql5_trace(d_v: int = NK) -> Trace:
    """Attention with three heads over Gaussian tokens."""
    return attend(gaussian_tokens(N, NI), Projections.random(NI, HEADS, d_k=NK, d_v=d_v))


def larger_than_the_input() -> Measured:
    """The width of the joined heads for values of nI and of nI/h numbers."""
    wide, narrow = (mql5_trace(d_v).merged.shape[2] for d_v in (NI, NI // HEADS))
    return Measured(narrow > NI, wide > NI and narrow == NI, NI, wide, NI // HEADS, narrow)


def root_of_the_key_size() -> Measured:
    """The standard deviation of Gaussian scores, divided by the root of the fused size and of one
    head's size.
    """
    fused, own = score_deviations(NK, (HEADS * NK) ** 0.5, NK**0.5)
    return Measured(abs(fused - 1) < 0.1, abs(own - 1) < 0.1, fused, own)


def diagonal_of_the_square() -> Measured:
    """The h × h product for one pair of elements against the scores of the heads."""
    trace = mql5_trace()
    product = trace.query_heads[0, :, 0] @ trace.key_heads[0, :, 1].T
    error = max_difference(np.diagonal(product), trace.scores[0, :, 0, 1])
    return Measured(error < 1e-9, error < 1e-9, HEADS, error, HEADS**2 * NK, HEADS * NK)


def two_operations() -> Measured:
    """Scores by Q ⊙ K and row sums, and the multiplications of both methods."""
    trace = mql5_trace()
    hadamard = (trace.query_heads[0, :, 0] * trace.key_heads[0, :, 1]).sum(axis=1)
    square, own = HEADS**2 * NK, HEADS * NK
    correct = are_equal(hadamard, trace.scores[0, :, 0, 1]) and own * HEADS == square
    return Measured(own == 2 * square, correct, own, square, HEADS)


def regardless_of_heads() -> Measured:
    """Multiplications of all scores, N²·h·nK, and their number, for one and for three heads."""
    one, three, shared = (
        N**2 * heads * width for heads, width in ((1, NK), (HEADS, NK), (HEADS, NI // HEADS))
    )
    more = three == HEADS * one and mql5_trace().scores.size == HEADS * N**2
    right, n_scores = more and shared == N**2 * NI, mql5_trace().scores.size
    return Measured(one == three, right, NK, one, three, NI, shared, n_scores, N**2)


def interdependence() -> Measured:
    """A against its transpose, with free and with tied weights."""
    x = gaussian_tokens(N, NI)
    free, tied = attend(x, Projections.random(NI, HEADS)), attend(x, Projections.tied(NI, HEADS))
    gaps = [max_difference(a, a.swapaxes(-1, -2)) for a in (free.probabilities, tied.probabilities)]
    symmetric = are_equal(tied.scores, tied.scores.swapaxes(-1, -2))
    return Measured(gaps[0] < 1e-9, gaps[0] > 0.01 and gaps[1] > 0.01 and symmetric, gaps)


def resources_of_the_transpose() -> Measured:
    """Whether Kᵀ has memory of its own."""
    keys = mql5_trace().key_heads[0, 0]
    shared = bool(np.shares_memory(keys, keys.T))
    return Measured(not shared, shared, keys.nbytes)


def three_heads() -> Measured:
    """The fused product against three products, block by block."""
    x, p = gaussian_tokens(N, NI), Projections.random(NI, HEADS, d_k=NK)
    heads = [p.w_q[:, start : start + NK] for start in range(0, HEADS * NK, NK)]
    error = max_difference(x @ np.hstack(heads), np.hstack([x @ head for head in heads]))
    right = error < 1e-9 and p.w_q.shape == (NI, HEADS * NK)
    return Measured(right, right, p.w_q, error)


def one_number() -> Measured:
    """QC KCᵀ against the sum of the scores over the heads."""
    trace = mql5_trace()
    error = max_difference(trace.queries[0] @ trace.keys[0].T, trace.scores[0].sum(axis=0))
    return Measured(error < 1e-9, error < 1e-9, HEADS, error)
