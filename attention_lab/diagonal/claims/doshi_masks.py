"""Claims of Doshi's text about masks: what is hidden, from whom, and when."""

from __future__ import annotations

import numpy as np

from attention_core.attention import attend
from attention_core.formulas import softmax
from attention_core.masks import causal_mask, padding_mask
from attention_core.trace import Trace

from ..token_matrices import gaussian_tokens
from .record import (
    CONDITION,
    EXAMPLE_HEADS,
    EXAMPLE_LAYER,
    EXAMPLE_TOKENS,
    EXAMPLE_WIDTH,
    EXAMPLE_X,
    FALSE,
    Evidence,
    are_equal,
    claims_of,
    format_gap,
    max_difference,
)

claim = claims_of("doshi")


def with_last_changed(causal: bool) -> tuple[Trace, Trace]:
    """The layer before and after the last token changes."""
    other = EXAMPLE_X.copy()
    other[-1] += 1
    return attend(EXAMPLE_X, EXAMPLE_LAYER, causal=causal), attend(
        other, EXAMPLE_LAYER, causal=causal
    )


@claim(
    "The mask is added before scaling.",
    CONDITION,
    "For −∞ the order does not matter. A finite bias must be added after scaling; otherwise it is"
    " scaled as well.",
)
def mask_before_scale() -> Evidence:
    """Both orders for a causal mask of −∞ and for a bias that falls with distance."""
    trace = attend(EXAMPLE_X, EXAMPLE_LAYER)
    hidden = np.where(causal_mask(EXAMPLE_TOKENS), 0.0, -np.inf)
    distance = -np.abs(
        np.subtract.outer(np.arange(EXAMPLE_TOKENS), np.arange(EXAMPLE_TOKENS))
    ).astype(float)
    gaps = [
        max_difference(
            softmax((trace.scores + added) * trace.scale), softmax(trace.scaled_scores + added)
        )
        for added in (hidden, distance)
    ]
    sentence = (
        f"Weights of the two orders differ by {format_gap(gaps[0])} for −∞ and by up to"
        f" {gaps[1]:.2f} for a bias of −1 per position."
    )
    return Evidence(gaps[1] < 1e-9, gaps[0] < 1e-12 and gaps[1] > 0.01, sentence)


@claim(
    "The look-ahead mask belongs to the encoder-decoder attention.",
    FALSE,
    "It belongs to the decoder's self-attention. Cross-attention needs only the padding mask of the"
    " source.",
)
def look_ahead_across() -> Evidence:
    """How far earlier outputs move when the last target token changes, in cross-attention and in
    self-attention without that mask.
    """
    source, other = gaussian_tokens(EXAMPLE_TOKENS, EXAMPLE_WIDTH, seed=1), EXAMPLE_X.copy()
    other[-1] += 1
    across, within = (
        max_difference(
            attend(EXAMPLE_X, EXAMPLE_LAYER, memory=one).output[0, :-1],
            attend(other, EXAMPLE_LAYER, memory=two).output[0, :-1],
        )
        for one, two in ((source, source), (EXAMPLE_X, other))
    )
    sentence = (
        f"If the last target token changes, earlier outputs move by {format_gap(across)} in"
        f" cross-attention and by up to {within:.2f} in self-attention."
    )
    return Evidence(across > 1e-9, across < 1e-12 and within > 0.01, sentence)


@claim(
    "The decoder's self-attention works just like the encoder's.",
    CONDITION,
    "There is one difference: the decoder's is causal, so a token must not see later ones.",
)
def decoder_like_encoder() -> Evidence:
    """How far earlier outputs move when the last token changes, without and with a causal mask."""
    free, causal = (
        max_difference(*(t.output[0, :-1] for t in with_last_changed(hiding)))
        for hiding in (False, True)
    )
    sentence = (
        f"If the last token changes, earlier outputs move by up to {free:.2f} in an encoder and by"
        f" {format_gap(causal)} in a decoder."
    )
    return Evidence(are_equal(free, causal), free > 0.01 and causal < 1e-12, sentence)


@claim(
    "The padding mask takes padding out of the attention.",
    CONDITION,
    "It hides padded keys. Padded queries still give rows, which must be ignored later.",
)
def padding_is_gone() -> Evidence:
    """The attention to and from the two padded of five tokens."""
    real = EXAMPLE_TOKENS - 2
    shares = attend(
        EXAMPLE_X, EXAMPLE_LAYER, mask=padding_mask([real], EXAMPLE_TOKENS)
    ).probabilities[0]
    to_padding, from_padding = (
        float(shares[..., real:].sum()),
        float(shares[:, real:].sum() / EXAMPLE_HEADS),
    )
    sentence = (
        f"All weights for padded keys together are {format_gap(to_padding)}. The weights of the 2"
        f" padded queries still sum to {from_padding:.0f}."
    )
    return Evidence(from_padding == 0, to_padding == 0 and abs(from_padding - 2) < 1e-9, sentence)
