"""Claims of Doshi's text on multi-head attention, part 3 of Transformers explained visually."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from attention_core.attention import attend
from attention_core.formulas import merge_heads, softmax, split_heads
from attention_core.masks import causal_mask, padding_mask

from ...heads.layout_mistakes import merge_without_swap
from ...trained.decoder import DecoderLayer
from ...trained.language_model import language_model
from ..token_matrices import gaussian_tokens
from .language import FROG
from .record import (
    HEADS,
    LAYER,
    TOKENS,
    WIDTH,
    Measured,
    X,
    are_equal,
    fits,
    format_shape,
    max_difference,
)


def embedding_is_split() -> Measured:
    """How many input features change the queries of head 0."""
    before, section = attend(X, LAYER).query_heads[0, 0], WIDTH // HEADS
    after = (attend(X + step, LAYER).query_heads[0, 0] for step in np.eye(WIDTH))
    moves = sum(max_difference(queries, before) > 1e-9 for queries in after)
    return Measured(moves == section, moves == WIDTH, HEADS, moves, WIDTH, section)


def attention_score() -> Measured:
    """Shapes and row sums of all arrays that have this name."""
    trace = attend(X, LAYER)
    named = [trace.scores[0], trace.probabilities[0], trace.head_outputs[0], trace.merged[0]]
    sums_to_1 = [are_equal(array.sum(axis=-1), 1.0) for array in named]
    sizes = ", ".join(map(format_shape, named))
    one_shape = len({array.shape for array in named}) == 1
    return Measured(one_shape, sums_to_1 == [False, True, False, False], sizes)


def q_times_k() -> Measured:
    """The two products of one head: for five tokens, and for a square of tokens and features."""
    trace, square = attend(X, LAYER), attend(X[: WIDTH // HEADS], LAYER)
    query, key = trace.query_heads[0, 0], trace.key_heads[0, 0]
    right = fits(query, key.T) and are_equal(query @ key.T, trace.scores[0, 0])
    silent, scores = square.query_heads[0, 0] @ square.key_heads[0, 0], square.scores[0, 0]
    wrong = silent.shape == scores.shape and not are_equal(silent, scores)
    claimed, gap = fits(query, key) or are_equal(silent, scores), max_difference(silent, scores)
    return Measured(claimed, right and wrong, query, query @ key.T, len(silent), silent, gap)


# The tokens after the last one changes.
OTHER_X = X + np.eye(TOKENS)[:, [-1]]


def mask_before_scale() -> Measured:
    """Both orders for a causal mask of −∞ and for a bias that falls with distance."""
    trace = attend(X, LAYER)
    hidden, place = np.where(causal_mask(TOKENS), 0.0, -np.inf), np.arange(float(TOKENS))
    with_mask, with_bias = (
        max_difference(
            softmax((trace.scores + added) * trace.scale), softmax(trace.scaled_scores + added)
        )
        for added in (hidden, -np.abs(np.subtract.outer(place, place)))
    )
    return Measured(with_bias < 1e-9, with_mask < 1e-12 and with_bias > 0.01, with_mask, with_bias)


def earlier_outputs_move(**options: Any) -> float:
    """How far outputs of earlier tokens move when the last token changes. options: of the layer."""
    before, after = (attend(x, LAYER, **options).output[0, :-1] for x in (X, OTHER_X))
    return max_difference(before, after)


def reshape_merges() -> Measured:
    """The merged matrix with and without the swap."""
    trace = attend(X, LAYER)
    bare, swapped = merge_without_swap(trace.head_outputs), merge_heads(trace.head_outputs)
    moved = int((bare != swapped).sum())
    return Measured(moved == 0, are_equal(swapped, trace.merged), moved, bare.size)


def look_ahead_across() -> Measured:
    """How far earlier outputs move when the last target token changes, in cross-attention and in
    self-attention without that mask.
    """
    source = gaussian_tokens(TOKENS, WIDTH, seed=1)
    across, within = earlier_outputs_move(memory=source), earlier_outputs_move()
    return Measured(across > 1e-9, across < 1e-12 and within > 0.01, across, within)


def decoder_like_encoder() -> Measured:
    """How far earlier outputs move when the last token changes, without and with a causal mask."""
    free, causal = earlier_outputs_move(), earlier_outputs_move(causal=True)
    return Measured(are_equal(free, causal), free > 0.01 and causal < 1e-12, free, causal)


def cell_of_all_keys() -> Measured:
    """What changes in row 0 when the key and the value of the last token change."""
    before, after = (attend(X, LAYER, memory=memory) for memory in (X, OTHER_X))
    cells = np.abs(after.scores - before.scores)[0, 0, 0] > 1e-9
    output = max_difference(before.output[0, 0], after.output[0, 0])
    last_alone = cells.tolist() == [False] * (TOKENS - 1) + [True]
    return Measured(
        bool(cells.all()), last_alone and output > 0.01, int(cells.sum()), TOKENS, output
    )


def merging_mixes() -> Measured:
    """The merged matrix against the output, also of layers whose W_O does not change the merged
    rows.
    """
    trace = attend(X, LAYER)
    seen = trace.merged[0, :2]
    onto_seen = np.linalg.pinv(seen) @ seen
    agree = []
    for rows, w_o in ((X, np.eye(WIDTH)), (X[:2], onto_seen)):
        other = attend(rows, replace(LAYER, w_o=w_o), memory=X)
        agree.append(are_equal(other.merged, other.output))
    gap = max_difference(trace.merged, trace.output)
    apart = max_difference(onto_seen, np.eye(WIDTH))
    return Measured(gap < 1e-9, gap > 0.01 and all(agree) and apart > 0.1, gap, apart)


def padding_is_gone() -> Measured:
    """The attention to and from the two padded of five tokens."""
    real = TOKENS - 2
    shares = attend(X, LAYER, mask=padding_mask([real], TOKENS)).probabilities[0]
    to_padding, from_padding = shares[..., real:].sum(), shares[:, real:].sum() / HEADS
    is_right = to_padding == 0 and abs(from_padding - 2) < 1e-9
    return Measured(bool(from_padding == 0), bool(is_right), to_padding, from_padding)


def merge_reverses_split() -> Measured:
    """Split, merge, compare."""
    fused = attend(X, LAYER).queries
    exact = bool((merge_heads(split_heads(fused, HEADS)) == fused).all())
    return Measured(exact, exact, fused.size)


def entire_architecture() -> Measured:
    """The share of the next piece in a language model, without W_O and without the feed-forward
    part of all layers; and the weights of a layer.
    """
    model = language_model()
    ids = model.encode(FROG)
    piece = int(model.run(ids).probabilities().argmax())

    def share(changed: Callable[[DecoderLayer], DecoderLayer]) -> float:
        decoder = replace(model.decoder, layers=tuple(map(changed, model.decoder.layers)))
        return float(replace(model, decoder=decoder).run(ids).probabilities()[piece])

    def without_feed_forward(layer: DecoderLayer) -> DecoderLayer:
        fed = layer.feed_forward
        return replace(layer, feed_forward=replace(fed, w_out=np.zeros_like(fed.w_out)))

    whole = share(lambda layer: layer)
    joined = share(lambda layer: replace(layer, attention=replace(layer.attention, w_o=None)))
    alone = share(without_feed_forward)
    layer, told = model.decoder.layers[0], model.decoder.layers[0].attention
    in_text = told.w_q.size + told.w_k.size + told.w_v.size
    in_all = told.n_weights + layer.feed_forward.n_weights
    parts_count = max(joined, alone) < whole / 100
    claimed, corrected = min(joined, alone) > whole / 2, parts_count and in_text < in_all / 2
    word = model.pieces([piece])[0].strip()
    return Measured(claimed, corrected, FROG, word, whole, joined, alone, in_text, in_all)
