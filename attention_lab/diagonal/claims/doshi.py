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
    ALWAYS,
    CONDITION,
    FALSE,
    Evidence,
    claims_of,
    difference,
    fits,
    same,
    shown,
    size,
)

claim = claims_of("doshi")

TOKENS, WIDTH, HEADS = 5, 6, 2
X = gaussian_tokens(TOKENS, WIDTH)
LAYER = Projections.random(WIDTH, HEADS)


def with_last_changed(causal: bool) -> tuple[Trace, Trace]:
    """The layer before and after the last token changes."""
    other = X.copy()
    other[-1] += 1
    return attend(X, LAYER, causal=causal), attend(other, LAYER, causal=causal)


@claim(
    "The input data is partitioned across the heads: each has its section of the embedding.",
    FALSE,
    "Every head reads the whole embedding. What is cut into sections is Q, K and V, after the"
    " projection.",
)
def embedding_is_split() -> Evidence:
    """How many of the input features change head 0's queries when they change."""
    before = attend(X, LAYER).query_heads[0, 0]
    moves = [
        difference(attend(X + step, LAYER).query_heads[0, 0], before) > 1e-9
        for step in np.eye(WIDTH)
    ]
    says = (
        f"Head 0 of {HEADS} reacts to {sum(moves)} of {WIDTH} input features; its section would"
        f" have {WIDTH // HEADS}."
    )
    return Evidence(sum(moves) == WIDTH // HEADS, sum(moves) == WIDTH, says)


@claim(
    "Attention Score is the name of the weights, of the heads' outputs and of the merged output.",
    FALSE,
    "Four different things: raw score, scaled and masked score, weight, output. Only weights sum"
    " to 1.",
)
def attention_score() -> Evidence:
    """Shapes and row sums of what bears the name."""
    trace = attend(X, LAYER)
    named = [trace.scores[0], trace.probabilities[0], trace.head_outputs[0], trace.merged[0]]
    sums_to_1 = [same(array.sum(axis=-1), 1.0) for array in named]
    sizes = ", ".join(map(size, named))
    says = f"Scores, weights, head outputs and merged output are {sizes}; only weights sum to 1."
    return Evidence(
        len({array.shape for array in named}) == 1, sums_to_1 == [False, True, False, False], says
    )


@claim(
    "A matrix multiplication is done between Q and K.",
    FALSE,
    "Between Q and Kᵀ: K must be transposed, or the widths do not even fit.",
)
def q_times_k() -> Evidence:
    """The two products of one head."""
    trace = attend(X, LAYER)
    query, key = trace.query_heads[0, 0], trace.key_heads[0, 0]
    right = fits(query, key.T) and same(query @ key.T, trace.scores[0, 0])
    says = f"Q and K are both {size(query)}; only Q Kᵀ fits and is {size(query @ key.T)}."
    return Evidence(fits(query, key), right, says)


@claim(
    "The mask is added before scaling.",
    CONDITION,
    "For −∞ the order does not matter. A finite bias must be added after scaling, or it is scaled,"
    " too.",
)
def mask_before_scale() -> Evidence:
    """Both orders for a causal mask of −∞ and for a bias that falls with distance."""
    trace = attend(X, LAYER)
    hidden = np.where(causal_mask(TOKENS), 0.0, -np.inf)
    distance = -np.abs(np.subtract.outer(np.arange(TOKENS), np.arange(TOKENS))).astype(float)
    gaps = [
        difference(
            softmax((trace.scores + added) * trace.scale), softmax(trace.scaled_scores + added)
        )
        for added in (hidden, distance)
    ]
    says = (
        f"The weights differ by {shown(gaps[0])} for −∞ and by up to {gaps[1]:.2f} for a bias of −1"
        " per position."
    )
    return Evidence(gaps[1] < 1e-9, gaps[0] < 1e-12 and gaps[1] > 0.01, says)


@claim(
    "Merging is simply reshaping to eliminate the Head dimension.",
    FALSE,
    "First swap Head and Sequence, then reshape; a bare reshape mixes up tokens and heads.",
)
def reshape_merges() -> Evidence:
    """The merged matrix with and without the swap."""
    trace = attend(X, LAYER)
    bare, swapped = merge_without_swap(trace.head_outputs), merge_heads(trace.head_outputs)
    moved = int((bare != swapped).sum())
    says = f"Without the swap {moved} of {bare.size} numbers are in the wrong place."
    return Evidence(moved == 0, same(swapped, trace.merged), says)


@claim(
    "The look-ahead mask belongs to the encoder-decoder attention.",
    FALSE,
    "It belongs to the decoder's self-attention. Cross-attention needs the padding mask of the"
    " source, and no other.",
)
def look_ahead_across() -> Evidence:
    """What a later target token does to earlier ones, in cross-attention and in self-attention,
    without that mask.
    """
    source, other = gaussian_tokens(TOKENS, WIDTH, seed=1), X.copy()
    other[-1] += 1
    across, within = (
        difference(
            attend(X, LAYER, memory=one).output[0, :-1],
            attend(other, LAYER, memory=two).output[0, :-1],
        )
        for one, two in ((source, source), (X, other))
    )
    says = (
        f"A later target token moves earlier outputs by {shown(across)} across and by {within:.2f}"
        " within the decoder."
    )
    return Evidence(across > 1e-9, across < 1e-12 and within > 0.01, says)


@claim(
    "The decoder's self-attention works just like the encoder's.",
    CONDITION,
    "Except that it is causal: a token must not see later ones.",
)
def decoder_like_encoder() -> Evidence:
    """How far earlier outputs move when the last token changes, without and with a causal mask."""
    free, causal = (
        difference(*(t.output[0, :-1] for t in with_last_changed(hiding)))
        for hiding in (False, True)
    )
    says = (
        f"Another last token moves earlier outputs by {free:.2f} in an encoder and by"
        f" {shown(causal)} in a decoder."
    )
    return Evidence(same(free, causal), free > 0.01 and causal < 1e-12, says)


@claim(
    "Each cell of the scores is one query with all keys and all values.",
    FALSE,
    "A cell is one query with one key. A row has one query and all keys; a row of outputs has all"
    " values, too.",
)
def cell_of_all_keys() -> Evidence:
    """What changes in row 0 when the last token, as a key and value only, changes."""
    memory = X.copy()
    memory[-1] += 1
    before, after = attend(X, LAYER, memory=X), attend(X, LAYER, memory=memory)
    cells = np.abs(after.scores - before.scores)[0, 0, 0] > 1e-9
    output = difference(before.output[0, 0], after.output[0, 0])
    says = (
        f"Another last key changes {int(cells.sum())} of {TOKENS} cells of a row, and the row's"
        f" output by {output:.2f}."
    )
    return Evidence(
        bool(cells.all()), cells.tolist() == [False] * (TOKENS - 1) + [True] and output > 0.01, says
    )


@claim(
    "Merging the heads' results gives the layer's output.",
    FALSE,
    "Merging only lays the heads side by side; W_O, which the text leaves out, mixes them.",
)
def merging_mixes() -> Evidence:
    """The merged matrix against the output, and against the output of a layer whose W_O is the
    identity.
    """
    trace = attend(X, LAYER)
    identity = attend(X, Projections(LAYER.w_q, LAYER.w_k, LAYER.w_v, np.eye(WIDTH), n_heads=HEADS))
    gap = difference(trace.merged, trace.output)
    says = (
        f"Merged and output differ by up to {gap:.2f}; they agree only where W_O is the identity."
    )
    return Evidence(gap < 1e-9, gap > 0.01 and same(identity.merged, identity.output), says)


@claim(
    "The padding mask takes padding out of the attention.",
    CONDITION,
    "It hides padded keys. Padded queries still give rows, which must be ignored later.",
)
def padding_is_gone() -> Evidence:
    """The attention to and from the two padded of five tokens."""
    real = TOKENS - 2
    shares = attend(X, LAYER, mask=padding_mask([real], TOKENS)).probabilities[0]
    to_padding, from_padding = (
        float(shares[..., real:].sum()),
        float(shares[:, real:].sum() / HEADS),
    )
    says = (
        f"All queries together give padded keys {shown(to_padding)}; the 2 padded queries still"
        f" give away {from_padding:.0f}."
    )
    return Evidence(from_padding == 0, to_padding == 0 and abs(from_padding - 2) < 1e-9, says)


@claim(
    "Merging is the reverse of splitting.",
    ALWAYS,
    "Split is reshape, then swap; merge is swap, then reshape: together they change nothing.",
)
def merge_reverses_split() -> Evidence:
    """Split, merge, compare."""
    fused = attend(X, LAYER).queries
    exact = bool((merge_heads(split_heads(fused, HEADS)) == fused).all())
    return Evidence(exact, exact, f"All {fused.size} numbers are back in their places.")


CLAIMS = (
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
