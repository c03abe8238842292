"""Claims of Doshi's text on multi-head attention, part 3 of Transformers explained visually."""

from __future__ import annotations

import numpy as np

from attention_core.attention import attend
from attention_core.formulas import merge_heads, split_heads
from attention_core.projections import Projections

from ...heads.layout_mistakes import merge_without_swap
from .doshi_masks import decoder_like_encoder, look_ahead_across, mask_before_scale, padding_is_gone
from .record import (
    ALWAYS,
    EXAMPLE_HEADS,
    EXAMPLE_LAYER,
    EXAMPLE_TOKENS,
    EXAMPLE_WIDTH,
    EXAMPLE_X,
    FALSE,
    Evidence,
    are_equal,
    claims_of,
    fits,
    format_shape,
    max_difference,
)

claim = claims_of("doshi")


@claim(
    "The input data is partitioned across the heads: each has its section of the embedding.",
    FALSE,
    "Every head reads the whole embedding. Only Q, K and V are cut into sections, after the"
    " projection.",
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


@claim(
    "Attention Score is the name of the weights, of the heads' outputs and of the merged output.",
    FALSE,
    "These are different things: raw score, scaled and masked score, weight, output. Only weights"
    " sum to 1.",
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


@claim(
    "A matrix multiplication is done between Q and K.",
    FALSE,
    "The product is between Q and Kᵀ. Without the transpose it exists only if the number of tokens"
    " equals the number of features of a head. Then its shape is right and its numbers are wrong.",
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


@claim(
    "Merging is simply reshaping to eliminate the Head dimension.",
    FALSE,
    "First swap Head and Sequence, then reshape. A reshape alone mixes up tokens and heads.",
)
def reshape_merges() -> Evidence:
    """The merged matrix with and without the swap."""
    trace = attend(EXAMPLE_X, EXAMPLE_LAYER)
    bare, swapped = merge_without_swap(trace.head_outputs), merge_heads(trace.head_outputs)
    moved = int((bare != swapped).sum())
    sentence = f"Without the swap {moved} of {bare.size} numbers are in the wrong place."
    return Evidence(moved == 0, are_equal(swapped, trace.merged), sentence)


@claim(
    "Each cell of the scores is one query with all keys and all values.",
    FALSE,
    "A cell is one query with one key. A row of scores is one query with all keys. Only a row of"
    " outputs also has all values.",
)
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


@claim(
    "Merging the heads' results gives the layer's output.",
    FALSE,
    "Merging only puts the heads side by side. W_O, which the text leaves out, mixes them.",
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


@claim(
    "Merging is the reverse of splitting.",
    ALWAYS,
    "To split is to reshape and then swap. To merge is to swap and then reshape. Together they"
    " change nothing.",
)
def merge_reverses_split() -> Evidence:
    """Split, merge, compare."""
    fused = attend(EXAMPLE_X, EXAMPLE_LAYER).queries
    exact = bool((merge_heads(split_heads(fused, EXAMPLE_HEADS)) == fused).all())
    return Evidence(exact, exact, f"All {fused.size} numbers are back in their places.")


DOSHI_CLAIMS = (
    embedding_is_split,
    attention_score,
    q_times_k,
    mask_before_scale,
    reshape_merges,
    look_ahead_across,
    decoder_like_encoder,
    cell_of_all_keys,
    merging_mixes,
    padding_is_gone,
    merge_reverses_split,
)
