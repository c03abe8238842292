"""Claims of the slides on self-attention without weights: the pair bound, the diagonal, what is
said to cure it, and what heads can do.
"""

import numpy as np

from attention_core.attention import attend
from attention_core.projections import Projections

from ...labs.readouts import weightless_score
from ...labs.tasks import N_LETTERS
from ...labs.training_runs import trained_score
from ...layer_norm import standardised
from ..growth_curves import self_mass_exact
from ..measures import diagonal_margins, self_attention_of
from ..metrics import majority_rate
from ..propositions.catalogue import find_proposition
from ..propositions.checks import weightless_attention
from ..settings import at_angle
from ..token_matrices import gaussian_tokens
from .record import (
    LAYER,
    Measured,
    X,
    are_equal,
    fits,
    format_gap,
    head_0_of,
    max_difference,
    own_rate,
    score_deviations,
    shuffling_gaps,
)

COUNTEREXAMPLE_X = np.array([[3.0], [2.0], [1.0]])
N_WEIGHT_DRAWS = 100


def score_bound() -> Measured:
    """S1 on Gaussian tokens."""
    check = find_proposition("S1").check(gaussian_tokens(16, 4))
    gap = format_gap(check.excess)
    return Measured(check.holds, check.holds, gap)


def pair_bound() -> Measured:
    """X = (3, 2, 1), and the product form on it."""
    bound, product = (find_proposition(number).check(COUNTEREXAMPLE_X) for number in ("S4", "S7"))
    i, j = bound.where
    A = weightless_attention(COUNTEREXAMPLE_X).probabilities
    return Measured(bound.holds, product.holds, i + 1, j + 1, A[i, j], A[i, i], A[j, j])


def diagonal_always_greater() -> Measured:
    """X = (3, 2, 1), the rule for a peak off the diagonal, and the mean diagonal of 8 Gaussian
    tokens.
    """
    check, rule = (find_proposition(number).check(COUNTEREXAMPLE_X) for number in ("S5", "S9"))
    masses = [self_mass_exact(8, width) for width in (2, 8, 64)]
    row = weightless_attention(COUNTEREXAMPLE_X).probabilities[1]
    shown_masses = ", ".join(f"{mass:.2f}" for mass in masses)
    return Measured(check.holds, rule.holds and masses == sorted(masses), row, shown_masses)


def greater_with_ties() -> Measured:
    """Three tokens of equal norm, two of them the same."""
    x = np.array([[1.0, 2.0], [1.0, 2.0], [2.0, -1.0]])
    greater, equal_norms = (find_proposition(number).check(x) for number in ("S5", "S12"))
    row = ", ".join(f"{share:.4f}" for share in weightless_attention(x).probabilities[0])
    return Measured(greater.holds, equal_norms.applies and equal_norms.holds, row)


def diagonally_dominant() -> Measured:
    """64 tokens of equal norm with 8 features: rows that peak on the diagonal, and rows with a_ii >
    1/2.
    """
    trace = attend(standardised(gaussian_tokens(64, 8)), Projections.weightless(8))
    peaks, majorities = own_rate([trace]), float(majority_rate(self_attention_of(trace)))
    return Measured(majorities == 1, peaks == 1 and majorities < 1, peaks, majorities)


def limits_expressive_power() -> Measured:
    """The task *neighbours* by attention without weights and the best linear readout, with the
    diagonal and with the diagonal hidden; and by one trained head. The same for *letters*.
    """
    task = "neighbours"
    plain, hidden = (weightless_score(task, own=own).total for own in (True, False))
    letters = weightless_score("letters", by_squares=True).total
    one, named = (trained_score(name, 1) for name in (task, "letters"))
    is_limited = one < 0.6 < 0.8 < hidden < plain and letters + 0.2 < named
    return Measured(hidden < 0.6, is_limited, plain, hidden, one, letters, named, 1 / N_LETTERS)


def weights_cure_it() -> Measured:
    """The share of rows that peak on the diagonal, n = C = d_k = 8, for W_K = W_Q, unrelated,
    and −W_Q; and for −W_Q the tokens 1 and 2, and the longest of many draws of three tokens.
    """
    seeds = range(N_WEIGHT_DRAWS)
    tied, free, opposite = (
        own_rate(attend(gaussian_tokens(8, 8, n), at_angle(8, 8, degrees, n)) for n in seeds)
        for degrees in (0, 90, 180)
    )
    one = np.ones((1, 1))
    short = attend([[1.0], [2.0]], Projections(one, -one, one, n_heads=1))
    row = short.probabilities[0, 0, 0]
    longest = []
    for seed in seeds:
        trace = attend(gaussian_tokens(3, 2, seed), at_angle(2, 2, 180, seed))
        own = np.linalg.norm(trace.queries[0], axis=1).argmax()
        longest.append(diagonal_margins(self_attention_of(trace).scores)[own])
    against = opposite < 0.01 and bool(max(longest) < 0 and row[0] > row[1])
    return Measured(
        tied < 0.2, tied > 0.6 and abs(free - 0.125) < 0.05 and against, tied, free, opposite, row
    )


def same_attention() -> Measured:
    """Two rows of one head's A; and its outputs feature by feature."""
    trace = attend(gaussian_tokens(5, 4), Projections.random(4, 1))
    A, values = trace.probabilities[0, 0], trace.value_heads[0, 0]
    rows = max_difference(A[0], A[1])
    channels = np.stack([A @ channel for channel in values.T], axis=1)
    is_mixed = are_equal(channels, trace.head_outputs[0, 0])
    return Measured(rows < 1e-9, rows > 0.01 and is_mixed, rows)


def vertical_stack() -> Measured:
    """Both ways of joining two heads."""
    trace = attend(X, LAYER)
    heads, w_o = trace.head_outputs[0], np.asarray(trace.projections.w_o)
    below, beside = np.vstack(list(heads)), np.hstack(list(heads))
    right = fits(beside, w_o) and are_equal(beside @ w_o, trace.output[0])
    return Measured(fits(below, w_o), right, below, beside, len(w_o))


def root_of_c() -> Measured:
    """The standard deviation of Gaussian scores of width d_k = 4 in a layer with C = 32."""
    by_c, by_d_k = score_deviations(4, 32**0.5, 4**0.5)
    return Measured(abs(by_c - 1) < 0.1, abs(by_d_k - 1) < 0.1, by_c, by_d_k)


def one_by_one() -> Measured:
    """The best rate for X = (3, 2, 1) over 2001 weights m = W_Q W_K; and sharp attention over
    normalised tokens.
    """
    weights_M11 = np.linspace(-10, 10, 2001)[:, np.newaxis, np.newaxis]
    margins_MT = diagonal_margins(weights_M11 * (COUNTEREXAMPLE_X @ COUNTEREXAMPLE_X.T))
    best, normed = (margins_MT > 0).mean(axis=-1).max(), standardised(gaussian_tokens(8, 5))
    soft, sharp = (
        max_difference(weightless_attention(normed, sharpness).probabilities, np.eye(8))
        for sharpness in (1, 20)
    )
    return Measured(bool(best == 1), sharp < 1e-3 < soft, best, soft, sharp)


def shifting_heads(image_size: int, sharpness: float) -> Projections:
    """Nine heads on a square image (content, one-hot position), each looking at one neighbour;
    the image wraps.
    """
    n_pixels = image_size**2
    pixels = np.arange(n_pixels).reshape(image_size, image_size)
    # Without the column of the content, which only values read.
    keys, value = np.eye(1 + n_pixels)[:, 1:], np.eye(1 + n_pixels)[:, :1]
    heads = []
    for i, j in np.ndindex(3, 3):
        target = np.roll(pixels, (1 - i, 1 - j), axis=(0, 1)).ravel()
        queries = np.vstack([np.zeros(n_pixels), sharpness * np.eye(n_pixels)[target]])
        heads.append((queries, keys, value))
    return Projections.from_heads(heads)


def heads_and_convolution() -> Measured:
    """A 3 × 3 kernel on a 4 × 4 image that wraps around, computed by nine sharp heads; and shuffled
    tokens without positions.
    """
    image_size, rng = 4, np.random.default_rng(0)
    image, kernel = rng.random((image_size, image_size)), rng.random((3, 3))
    wanted = sum(
        kernel[i, j] * np.roll(image, (1 - i, 1 - j), axis=(0, 1)) for i, j in np.ndindex(3, 3)
    )
    x = np.hstack([image.reshape(-1, 1), np.eye(image_size**2)])
    errors = [
        max_difference(
            attend(x, shifting_heads(image_size, beta), scale=1.0).merged[0] @ kernel.ravel(),
            np.ravel(wanted),
        )
        for beta in (2.0, 40.0)
    ]
    free, order = Projections.random(1, 9, d_k=2, d_v=1), rng.permutation(image_size**2)
    moved, causal = shuffling_gaps(image.reshape(-1, 1), free, order)
    return Measured(
        errors[0] < 1e-9, errors[1] < 1e-9 and moved < 1e-9 < causal, errors, moved, causal
    )


def always_use_weights() -> Measured:
    """The errors of *neighbours* without weights, with one trained head and with two; and noise in
    copies of four patterns before and after attention without weights.
    """
    plain = weightless_score("neighbours").total
    one, two = (trained_score("neighbours", heads) for heads in (1, 2))
    patterns, noise = gaussian_tokens(4, 32, seed=1).repeat(8, axis=0), gaussian_tokens(32, 32) / 2
    cleaned = attend(patterns + noise, Projections.weightless(32)).output[0] - patterns
    before, after = (float(np.square(part).mean()) for part in (noise, cleaned))
    needed = two < 0.01 and 0.4 < one < 0.6 and plain > 0.9
    return Measured(after >= before, needed and after < before / 2, plain, one, two, before, after)


def always_several_heads() -> Measured:
    """Two equal heads and two different heads against one head whose W_O is the sum of theirs."""
    first, w_o = head_0_of(LAYER), np.asarray(LAYER.w_o)
    twice = attend(X, Projections.from_heads([first, first], w_o)).output
    once = attend(X, Projections.from_heads([first], w_o[:3] + w_o[3:])).output
    gap, other = max_difference(twice, once), max_difference(attend(X, LAYER).output, once)
    return Measured(gap > 1e-9, gap < 1e-9 and other > 0.01, gap, other)
