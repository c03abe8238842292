"""Claims of Doshi's text on multi-head attention, part 3 of Transformers explained visually."""

from __future__ import annotations

import numpy as np

from attention_core.attention import attend
from attention_core.formulas import merge_heads, softmax, split_heads
from attention_core.masks import causal_mask, padding_mask
from attention_core.projections import Projections
from attention_core.trace import Trace

from ...heads.layout_mistakes import merge_without_swap
from ..token_matrices import gaussian_tokens
from .record import (
    EXAMPLE_HEADS,
    EXAMPLE_LAYER,
    EXAMPLE_TOKENS,
    EXAMPLE_WIDTH,
    EXAMPLE_X,
    Evidence,
    are_equal,
    fits,
    format_gap,
    format_shape,
    max_difference,
)


def embedding_is_split() -> Evidence:
    """How many input features change the queries of head 0."""
    before = attend(EXAMPLE_X, EXAMPLE_LAYER).query_heads[0, 0]
    moves = [
        max_difference(attend(EXAMPLE_X + step, EXAMPLE_LAYER).query_heads[0, 0], before) > 1e-9
        for step in np.eye(EXAMPLE_WIDTH)
    ]
    sentence = (
        f"Head 0 of {EXAMPLE_HEADS} reacts to {sum(moves)} of {EXAMPLE_WIDTH} input features. Its"
        f" section would have {EXAMPLE_WIDTH // EXAMPLE_HEADS}."
    )
    return Evidence(
        sum(moves) == EXAMPLE_WIDTH // EXAMPLE_HEADS, sum(moves) == EXAMPLE_WIDTH, sentence
    )


def attention_score() -> Evidence:
    """Shapes and row sums of all arrays that have this name."""
    trace = attend(EXAMPLE_X, EXAMPLE_LAYER)
    named = [trace.scores[0], trace.probabilities[0], trace.head_outputs[0], trace.merged[0]]
    sums_to_1 = [are_equal(array.sum(axis=-1), 1.0) for array in named]
    sizes = ", ".join(map(format_shape, named))
    sentence = (
        f"Scores, weights, head outputs and merged output have the shapes {sizes}. Only rows of"
        " weights sum to 1."
    )
    return Evidence(
        len({array.shape for array in named}) == 1,
        sums_to_1 == [False, True, False, False],
        sentence,
    )


def q_times_k() -> Evidence:
    """The two products of one head: for five tokens, and for a square of tokens and features."""
    trace, square = (
        attend(EXAMPLE_X, EXAMPLE_LAYER),
        attend(EXAMPLE_X[: EXAMPLE_WIDTH // EXAMPLE_HEADS], EXAMPLE_LAYER),
    )
    query, key = trace.query_heads[0, 0], trace.key_heads[0, 0]
    right = fits(query, key.T) and are_equal(query @ key.T, trace.scores[0, 0])
    short_query, short_key = square.query_heads[0, 0], square.key_heads[0, 0]
    silent, scores = short_query @ short_key, square.scores[0, 0]
    sentence = (
        f"Q and K are both {format_shape(query)}; only Q Kᵀ exists and is"
        f" {format_shape(query @ key.T)}. With {len(silent)} tokens Q K exists as well. It is"
        f" {format_shape(silent)} like Q Kᵀ, but differs from it by up to"
        f" {max_difference(silent, scores):.2f}."
    )
    wrong = silent.shape == scores.shape and not are_equal(silent, scores)
    return Evidence(fits(query, key) or are_equal(silent, scores), right and wrong, sentence)


def with_last_changed(causal: bool) -> tuple[Trace, Trace]:
    """The layer before and after the last token changes."""
    other = EXAMPLE_X.copy()
    other[-1] += 1
    return attend(EXAMPLE_X, EXAMPLE_LAYER, causal=causal), attend(
        other, EXAMPLE_LAYER, causal=causal
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


def reshape_merges() -> Evidence:
    """The merged matrix with and without the swap."""
    trace = attend(EXAMPLE_X, EXAMPLE_LAYER)
    bare, swapped = merge_without_swap(trace.head_outputs), merge_heads(trace.head_outputs)
    moved = int((bare != swapped).sum())
    sentence = f"Without the swap {moved} of {bare.size} numbers are in the wrong place."
    return Evidence(moved == 0, are_equal(swapped, trace.merged), sentence)


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


def cell_of_all_keys() -> Evidence:
    """What changes in row 0 when the key and the value of the last token change."""
    memory = EXAMPLE_X.copy()
    memory[-1] += 1
    before, after = (
        attend(EXAMPLE_X, EXAMPLE_LAYER, memory=EXAMPLE_X),
        attend(EXAMPLE_X, EXAMPLE_LAYER, memory=memory),
    )
    cells = np.abs(after.scores - before.scores)[0, 0, 0] > 1e-9
    output = max_difference(before.output[0, 0], after.output[0, 0])
    sentence = (
        f"Another last key and value change {int(cells.sum())} of {EXAMPLE_TOKENS} cells of a row,"
        f" and the output of the row by up to {output:.2f}."
    )
    return Evidence(
        bool(cells.all()),
        cells.tolist() == [False] * (EXAMPLE_TOKENS - 1) + [True] and output > 0.01,
        sentence,
    )


def merging_mixes() -> Evidence:
    """The merged matrix against the output, also of layers whose W_O does not change the merged
    rows.
    """
    trace = attend(EXAMPLE_X, EXAMPLE_LAYER)
    seen = trace.merged[0, :2]
    onto_seen = np.linalg.pinv(seen) @ seen
    agree = []
    for rows, w_o in ((EXAMPLE_X, np.eye(EXAMPLE_WIDTH)), (EXAMPLE_X[:2], onto_seen)):
        weights = Projections(
            EXAMPLE_LAYER.w_q, EXAMPLE_LAYER.w_k, EXAMPLE_LAYER.w_v, w_o, n_heads=EXAMPLE_HEADS
        )
        other = attend(rows, weights, memory=EXAMPLE_X)
        agree.append(are_equal(other.merged, other.output))
    gap, apart = (
        max_difference(trace.merged, trace.output),
        max_difference(onto_seen, np.eye(EXAMPLE_WIDTH)),
    )
    sentence = (
        f"Merged and output differ by up to {gap:.2f}. They agree if W_O does not change the merged"
        " rows: with the identity, and for two rows with a W_O that differs from the identity by up"
        f" to {apart:.2f}."
    )
    return Evidence(gap < 1e-9, gap > 0.01 and all(agree) and apart > 0.1, sentence)


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


def merge_reverses_split() -> Evidence:
    """Split, merge, compare."""
    fused = attend(EXAMPLE_X, EXAMPLE_LAYER).queries
    exact = bool((merge_heads(split_heads(fused, EXAMPLE_HEADS)) == fused).all())
    return Evidence(exact, exact, f"All {fused.size} numbers are back in their places.")
