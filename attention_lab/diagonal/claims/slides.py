"""Claims of the slides on self-attention without weights: the pair bound, the diagonal, and
what is said to cure it.
"""

from __future__ import annotations

import numpy as np

from attention_core.attention import attend
from attention_core.projections import Projections

from ..growth_curves import self_mass_exact
from ..measures import margins, square_of
from ..metrics import argmax_rate, majority_rate
from ..proposition_checks import weightless
from ..propositions import proposition
from ..scenes import at_angle
from ..token_matrices import gaussian_tokens, standardised
from .record import ALWAYS, CONDITION, FALSE, Evidence, claims_of, difference, fits, same, shown

claim = claims_of("slides")

THREE = np.array([[3.0], [2.0], [1.0]])
DRAWS = 100


@claim(
    "x_i·x_j ≤ ½(|x_i|² + |x_j|²) ≤ max(|x_i|², |x_j|²).",
    ALWAYS,
    "So no score exceeds both diagonal scores of its pair. For probabilities it is another matter.",
)
def score_bound() -> Evidence:
    """S1 on Gaussian tokens."""
    check = proposition("S1").check(gaussian_tokens(16, 4))
    return Evidence(
        check.holds,
        check.holds,
        f"16 tokens: the identity behind it holds up to {shown(check.excess)}.",
    )


@claim(
    "α_ij ≤ max(α_ii, α_jj), because softmax preserves order.",
    FALSE,
    "Order is preserved inside a row only. For N = 2, with equal norms or for the scores it holds;"
    " always true is α_ij α_ji ≤ α_ii α_jj.",
)
def pair_bound() -> Evidence:
    """X = (3, 2, 1), and the product form on it."""
    bound, product = proposition("S4").check(THREE), proposition("S7").check(THREE)
    i, j = bound.where
    A = weightless(THREE).probabilities
    says = (
        f"X = (3, 2, 1): α_{i + 1}{j + 1} = {A[i, j]:.4f}, but α_{i + 1}{i + 1} = {A[i, i]:.4f} and"
        f" α_{j + 1}{j + 1} = {A[j, j]:.4f}."
    )
    return Evidence(bound.holds, product.holds, says)


@claim(
    "The diagonal is always greater than what is beside it.",
    FALSE,
    "A tendency that grows with the number of channels. Row i's peak leaves the diagonal exactly"
    " when some x_i·x_j > |x_i|².",
)
def diagonal_always_greater() -> Evidence:
    """X = (3, 2, 1), the rule for leaving the diagonal, and the mean diagonal of 8 Gaussian
    tokens.
    """
    check, rule = proposition("S5").check(THREE), proposition("S9").check(THREE)
    masses = [self_mass_exact(8, width) for width in (2, 8, 64)]
    row = weightless(THREE).probabilities[1]
    shown_masses = ", ".join(f"{mass:.2f}" for mass in masses)
    says = (
        f"X = (3, 2, 1): row 2 gives {row[0]:.4f} to token 1 and {row[1]:.4f} to itself. "
        f"The mean diagonal of 8 random tokens: {shown_masses} for C = 2, 8, 64."
    )
    return Evidence(check.holds, rule.holds and masses == sorted(masses), says)


@claim(
    "“Always greater”, even for tokens of equal norm.",
    CONDITION,
    "Greater or equal: equal tokens share their attention equally.",
)
def greater_with_ties() -> Evidence:
    """Three tokens of equal norm, two of them the same."""
    x = np.array([[1.0, 2.0], [1.0, 2.0], [2.0, -1.0]])
    A, equal_norms = weightless(x).probabilities, proposition("S12").check(x)
    says = f"X = (1,2), (1,2), (2,−1): row 1 is {A[0, 0]:.4f}, {A[0, 1]:.4f}, {A[0, 2]:.4f}."
    return Evidence(
        proposition("S5").check(x).holds, equal_norms.applies and equal_norms.holds, says
    )


@claim(
    "The attention matrix is diagonally dominant.",
    CONDITION,
    "In linear algebra that means a_ii > 1/2, more than all the rest of the row; a peak on the"
    " diagonal is far less.",
)
def diagonally_dominant() -> Evidence:
    """64 tokens of equal norm with 8 channels: rows that peak on the diagonal, rows with a
    majority there.
    """
    square = square_of(attend(standardised(gaussian_tokens(64, 8)), Projections.weightless(8)))
    peaks, majorities = float(argmax_rate(square)), float(majority_rate(square))
    says = (
        f"All rows of 64 normalised tokens peak on the diagonal ({peaks:.0%}), but {majorities:.0%}"
        " have a_ii > 1/2."
    )
    return Evidence(majorities == 1, peaks == 1 and majorities < 1, says)


@claim(
    "Weights on Q, K and V cure it.",
    CONDITION,
    "Only if W_Q and W_K are unrelated. Tied weights keep the preference, opposite ones forbid it.",
)
def weights_cure_it() -> Evidence:
    """The share of rows that peak on the diagonal, n = C = d_k = 8, for W_K = W_Q, unrelated,
    and −W_Q.
    """
    rates = []
    for degrees in (0, 90, 180):
        traces = (
            attend(gaussian_tokens(8, 8, seed), at_angle(8, 8, degrees, seed))
            for seed in range(DRAWS)
        )
        rates.append(float(np.mean([argmax_rate(square_of(trace)) for trace in traces])))
    tied, free, opposite = rates
    says = (
        f"Rows that peak on the diagonal: {tied:.0%} tied, {free:.0%} unrelated (chance is 12.5%),"
        f" {opposite:.0%} opposite."
    )
    return Evidence(tied < 0.2, tied > 0.6 and abs(free - 0.125) < 0.05 and opposite == 0, says)


@claim(
    "The drawback of one head: all elements use the same attention.",
    FALSE,
    "All value channels of a head share its pattern. Different elements (rows) have different"
    " patterns.",
)
def same_attention() -> Evidence:
    """Rows of one head's A; and its outputs channel by channel."""
    trace = attend(gaussian_tokens(5, 4), Projections.random(4, 1))
    A, values = trace.probabilities[0, 0], trace.value_heads[0, 0]
    rows = difference(A[0], A[1])
    channels = np.stack([A @ channel for channel in values.T], axis=1)
    says = (
        f"Rows 1 and 2 differ by up to {rows:.2f}; every one of the 4 channels is mixed by the"
        " same A."
    )
    return Evidence(rows < 1e-9, rows > 0.01 and same(channels, trace.head_outputs[0, 0]), says)


@claim(
    "The heads are stacked one below the other and multiplied by W_O, which has h·d_v rows.",
    FALSE,
    "Side by side: N × h·d_v. Stacked they are h·N × d_v, which does not fit W_O.",
)
def vertical_stack() -> Evidence:
    """Both ways of joining two heads."""
    trace = attend(gaussian_tokens(5, 6), Projections.random(6, 2))
    heads, w_o = trace.head_outputs[0], np.asarray(trace.projections.w_o)
    below, beside = np.vstack(list(heads)), np.hstack(list(heads))
    right = fits(beside, w_o) and same(beside @ w_o, trace.output[0])
    says = (
        f"Stacked: {below.shape[0]} × {below.shape[1]}, side by side: {beside.shape[0]} ×"
        f" {beside.shape[1]}; "
    )
    return Evidence(fits(below, w_o), right, says + f"W_O has {len(w_o)} rows.")


@claim(
    "Scores are divided by √C.",
    CONDITION,
    "That is right for tokens without weights. With projections it is √d_k, what a score adds up.",
)
def root_of_c() -> Evidence:
    """The spread of scores of projected Gaussian tokens, C = 32 and d_k = 4."""
    query, key = gaussian_tokens(400, 4, seed=1), gaussian_tokens(400, 4, seed=2)
    by_c, by_d_k = (float((query @ key.T).std() / np.sqrt(width)) for width in (32, 4))
    says = (
        f"C = 32, d_k = 4: the standard deviation is {by_c:.2f} after √C and {by_d_k:.2f} after"
        " √d_k."
    )
    return Evidence(abs(by_c - 1) < 0.1, abs(by_d_k - 1) < 0.1, says)


@claim(
    "Weightless attention times W_V, and attention with weights, generalise X W_V, a 1 × 1"
    " convolution.",
    CONDITION,
    "That needs A = I, which content scores reach only in a limit, and only if no token out-votes"
    " another.",
)
def one_by_one() -> Evidence:
    """The best rate for X = (1, 2, 3) over 2001 weights m = W_Q W_K; and sharp attention over
    normalised tokens.
    """
    weights_M = np.linspace(-10, 10, 2001)[:, np.newaxis, np.newaxis]
    best = float((margins(weights_M * (THREE @ THREE.T)) > 0).mean(axis=-1).max())
    normed = standardised(gaussian_tokens(8, 5))
    errors = [
        difference(weightless(normed, sharpness).probabilities, np.eye(8)) for sharpness in (1, 20)
    ]
    says = f"X = (3, 2, 1): no weight makes more than {best:.0%} of the rows peak on the diagonal. "
    says += (
        f"Normalised tokens: |A − I| is {errors[0]:.2f} at sharpness 1 and {shown(errors[1])}"
        " at 20."
    )
    return Evidence(best == 1, errors[1] < 1e-3 < errors[0], says)


def shifting_heads(size: int, sharpness: float) -> Projections:
    """Nine heads on a square image (content, one-hot position), each looking at one neighbour;
    the image wraps.
    """
    pixels = np.arange(size**2).reshape(size, size)
    w_q, w_k, w_v = [], [], []
    for shift in np.ndindex(3, 3):
        target = np.roll(pixels, (1 - shift[0], 1 - shift[1]), axis=(0, 1)).ravel()
        blank = np.zeros((1, size**2))
        w_q.append(np.vstack([blank, sharpness * np.eye(size**2)[target]]))
        w_k.append(np.vstack([blank, np.eye(size**2)]))
        w_v.append(np.eye(1 + size**2)[:, :1])
    return Projections(np.hstack(w_q), np.hstack(w_k), np.hstack(w_v), n_heads=9)


@claim(
    "h heads are more expressive than a √h × √h convolution.",
    CONDITION,
    "With positions, a rule for the border, enough value width, h a square number, and in the limit"
    " of sharp heads. Without positions attention cannot tell neighbours from others at all.",
)
def heads_and_convolution() -> Evidence:
    """A 3 × 3 kernel on a 4 × 4 image that wraps around, by nine sharp heads; and shuffled
    tokens without positions.
    """
    size, rng = 4, np.random.default_rng(0)
    image, kernel = rng.random((size, size)), rng.random((3, 3))
    wanted = sum(
        kernel[i, j] * np.roll(image, (1 - i, 1 - j), axis=(0, 1)) for i, j in np.ndindex(3, 3)
    )
    x = np.hstack([image.reshape(-1, 1), np.eye(size**2)])
    errors = [
        difference(
            attend(x, shifting_heads(size, beta), scale=1.0).merged[0] @ kernel.ravel(),
            np.ravel(wanted),
        )
        for beta in (2.0, 40.0)
    ]
    content, order = image.reshape(-1, 1), rng.permutation(size**2)
    free = Projections.random(1, 9, d_k=2, d_v=1)
    moved = difference(
        attend(content[order], free).output[0], attend(content, free).output[0][order]
    )
    says = (
        f"Nine sharp heads miss the convolution by {shown(errors[1])}, blunt ones by"
        f" {errors[0]:.1f}. "
    )
    says += (
        f"Without positions shuffled pixels give shuffled outputs (difference {shown(moved)}): no"
        " kernel does that."
    )
    return Evidence(errors[0] < 1e-9, errors[1] < 1e-9 and moved < 1e-9, says)


@claim(
    "Always use multi-head attention.",
    CONDITION,
    "Advice, not a result. Heads that ask the same question are worth one head; different questions"
    " need several.",
)
def always_several_heads() -> Evidence:
    """Two equal heads against one head whose W_O is the sum of theirs; two different heads
    against that one.
    """
    x, p = gaussian_tokens(5, 6), Projections.random(6, 2)
    w_o = np.asarray(p.w_o)
    first = (p.w_q[:, :3], p.w_k[:, :3], p.w_v[:, :3])
    twice = attend(x, Projections.from_heads([first, first], w_o)).output
    once = attend(x, Projections.from_heads([first], w_o[:3] + w_o[3:])).output
    gap, other = difference(twice, once), difference(attend(x, p).output, once)
    says = (
        f"Two equal heads give what one gives (difference {shown(gap)}); two different ones do not"
        f" ({other:.2f})."
    )
    return Evidence(gap > 1e-9, gap < 1e-9 and other > 0.01, says)


CLAIMS = (
    score_bound,
    pair_bound,
    diagonal_always_greater,
    greater_with_ties,
    diagonally_dominant,
    weights_cure_it,
    same_attention,
    vertical_stack,
    root_of_c,
    one_by_one,
    heads_and_convolution,
    always_several_heads,
)
