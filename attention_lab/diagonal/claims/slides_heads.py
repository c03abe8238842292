"""Claims of the slides about heads: their patterns, how they are joined, and what they can do."""

from __future__ import annotations

import numpy as np

from attention_core.attention import attend
from attention_core.projections import Projections

from ..token_matrices import gaussian_tokens
from .record import (
    CONDITION,
    FALSE,
    Evidence,
    are_equal,
    claims_of,
    fits,
    format_gap,
    max_difference,
    score_deviations,
)

claim = claims_of("slides")


@claim(
    "The drawback of one head: all elements use the same attention.",
    FALSE,
    "All value features of a head share its attention pattern. Different elements (rows) have"
    " different patterns.",
)
def same_attention() -> Evidence:
    """Two rows of one head's A; and its outputs feature by feature."""
    trace = attend(gaussian_tokens(5, 4), Projections.random(4, 1))
    A, values = trace.probabilities[0, 0], trace.value_heads[0, 0]
    rows = max_difference(A[0], A[1])
    channels = np.stack([A @ channel for channel in values.T], axis=1)
    sentence = (
        f"Rows 1 and 2 of A differ by up to {rows:.2f}. The same A mixes each of the 4 features."
    )
    return Evidence(
        rows < 1e-9, rows > 0.01 and are_equal(channels, trace.head_outputs[0, 0]), sentence
    )


@claim(
    "The heads are stacked one below the other and multiplied by W_O, which has h·d_v rows.",
    FALSE,
    "They are joined side by side, which gives N × h·d_v. Stacked they are h·N × d_v, which does"
    " not fit W_O.",
)
def vertical_stack() -> Evidence:
    """Both ways of joining two heads."""
    trace = attend(gaussian_tokens(5, 6), Projections.random(6, 2))
    heads, w_o = trace.head_outputs[0], np.asarray(trace.projections.w_o)
    below, beside = np.vstack(list(heads)), np.hstack(list(heads))
    right = fits(beside, w_o) and are_equal(beside @ w_o, trace.output[0])
    sentence = (
        f"Stacked: {below.shape[0]} × {below.shape[1]}, side by side: {beside.shape[0]} ×"
        f" {beside.shape[1]}; "
    )
    return Evidence(fits(below, w_o), right, sentence + f"W_O has {len(w_o)} rows.")


@claim(
    "Scores are divided by √C.",
    CONDITION,
    "This is right for tokens without weights. With projections the divisor is √d_k, because a"
    " score adds up d_k products.",
)
def root_of_c() -> Evidence:
    """The standard deviation of Gaussian scores of width d_k = 4 in a layer with C = 32."""
    by_c, by_d_k = score_deviations(4, 32**0.5, 4**0.5)
    sentence = (
        f"C = 32, d_k = 4: the standard deviation of the scores is {by_c:.2f} after division by √C"
        f" and {by_d_k:.2f} after division by √d_k."
    )
    return Evidence(abs(by_c - 1) < 0.1, abs(by_d_k - 1) < 0.1, sentence)


def shifting_heads(image_size: int, sharpness: float) -> Projections:
    """Nine heads on a square image (content, one-hot position), each looking at one neighbour;
    the image wraps.
    """
    pixels = np.arange(image_size**2).reshape(image_size, image_size)
    w_q, w_k, w_v = [], [], []
    for shift in np.ndindex(3, 3):
        target = np.roll(pixels, (1 - shift[0], 1 - shift[1]), axis=(0, 1)).ravel()
        blank = np.zeros((1, image_size**2))
        w_q.append(np.vstack([blank, sharpness * np.eye(image_size**2)[target]]))
        w_k.append(np.vstack([blank, np.eye(image_size**2)]))
        w_v.append(np.eye(1 + image_size**2)[:, :1])
    return Projections(np.hstack(w_q), np.hstack(w_k), np.hstack(w_v), n_heads=9)


@claim(
    "h heads are more expressive than a √h × √h convolution.",
    CONDITION,
    "This needs positions, a rule for the border, wide enough values, a square number h, and the"
    " limit of sharp heads. Without positions and masks, attention cannot tell neighbours from"
    " other pixels.",
)
def heads_and_convolution() -> Evidence:
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
    content, order = image.reshape(-1, 1), rng.permutation(image_size**2)
    free = Projections.random(1, 9, d_k=2, d_v=1)
    moved, causal = (
        max_difference(
            attend(content[order], free, causal=mask).output[0],
            attend(content, free, causal=mask).output[0][order],
        )
        for mask in (False, True)
    )
    sentence = (
        f"Nine sharp heads differ from the convolution by {format_gap(errors[1])}, nine less sharp"
        f" ones by up to {errors[0]:.1f}. "
    )
    sentence += (
        "Without positions and masks, shuffled pixels give shuffled outputs (difference"
        f" {format_gap(moved)}). A kernel that reads neighbours does not. With a causal mask the"
        f" outputs are not only shuffled (difference {causal:.2f})."
    )
    return Evidence(errors[0] < 1e-9, errors[1] < 1e-9 and moved < 1e-9 < causal, sentence)


@claim(
    "Always use multi-head attention.",
    CONDITION,
    "This is advice, not a result. Equal heads are worth one head. Different patterns need several"
    " heads.",
)
def always_several_heads() -> Evidence:
    """Two equal heads and two different heads against one head whose W_O is the sum of theirs."""
    x, p = gaussian_tokens(5, 6), Projections.random(6, 2)
    w_o = np.asarray(p.w_o)
    first = (p.w_q[:, :3], p.w_k[:, :3], p.w_v[:, :3])
    twice = attend(x, Projections.from_heads([first, first], w_o)).output
    once = attend(x, Projections.from_heads([first], w_o[:3] + w_o[3:])).output
    gap, other = max_difference(twice, once), max_difference(attend(x, p).output, once)
    sentence = (
        f"Two equal heads give the output of one head (difference {format_gap(gap)}). Two different"
        f" heads do not (difference up to {other:.2f})."
    )
    return Evidence(gap > 1e-9, gap < 1e-9 and other > 0.01, sentence)
