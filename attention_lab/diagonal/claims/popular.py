"""Claims that are made in many places."""

from __future__ import annotations

import numpy as np

from attention_core.attention import attend
from attention_core.projections import Projections

from ...heads.contributions import head_contributions
from ...labs.backward import layer_gradients
from ..convex_hull import in_hull
from ..token_matrices import gaussian_tokens
from .popular_softmax import (
    dot_product_is_similarity,
    key_bias,
    minus_a_billion,
    shift_of_a_row,
    temperature_decides,
)
from .record import (
    CONDITION,
    EXAMPLE_HEADS,
    EXAMPLE_LAYER,
    EXAMPLE_X,
    FALSE,
    Evidence,
    are_equal,
    claims_of,
    format_gap,
    max_difference,
)

claim = claims_of("popular")

ORDER = np.array([2, 0, 4, 1, 3])


@claim(
    "Self-attention is permutation-invariant.",
    FALSE,
    "It is equivariant: shuffled tokens give the same outputs, shuffled in the same way. Each token"
    " keeps its own output.",
)
def permutation_invariant() -> Evidence:
    """The output of shuffled tokens against the output, and against the shuffled output."""
    plain, shuffled = (
        attend(EXAMPLE_X, EXAMPLE_LAYER).output[0],
        attend(EXAMPLE_X[ORDER], EXAMPLE_LAYER).output[0],
    )
    gaps = max_difference(shuffled, plain), max_difference(shuffled, plain[ORDER])
    sentence = (
        f"The output of shuffled tokens differs from the output by up to {gaps[0]:.2f} and from the"
        f" shuffled output by {format_gap(gaps[1])}."
    )
    return Evidence(gaps[0] < 1e-9, gaps[1] < 1e-9, sentence)


@claim(
    "Without positional encodings attention cannot know the order of the words.",
    CONDITION,
    "This is true without a mask. A causal mask breaks the symmetry: the first token sees one"
    " token, the last sees all.",
)
def blind_to_order() -> Evidence:
    """The output of shuffled tokens against the shuffled output, without and with a causal mask."""
    free, causal = (
        max_difference(
            attend(EXAMPLE_X[ORDER], EXAMPLE_LAYER, causal=mask).output[0],
            attend(EXAMPLE_X, EXAMPLE_LAYER, causal=mask).output[0][ORDER],
        )
        for mask in (False, True)
    )
    sentence = (
        f"The output of shuffled tokens differs from the shuffled output by {format_gap(free)}"
        f" without a mask and by up to {causal:.2f} with a causal mask."
    )
    return Evidence(causal < 1e-9, free < 1e-9 and causal > 0.01, sentence)


@claim(
    "Attention weights show how important a word is for the output.",
    CONDITION,
    "They show it only together with the values. Other weights can give the same output, and a"
    " value of 0 adds nothing, whatever its weight. (Jain and Wallace 2019; for the opposite view"
    " Wiegreffe and Pinter 2019.)",
)
def weights_explain() -> Evidence:
    """Attention moved between two tokens with the same value, and between two with different
    ones.
    """
    values, A = EXAMPLE_X[[0, 0, 1, 2, 3]], attend(EXAMPLE_X, EXAMPLE_LAYER).probabilities[0, 0]
    moved, elsewhere = A.copy(), A.copy()
    moved[:, [0, 1]] = A[:, [1, 0]]
    elsewhere[:, [0, 2]] = A[:, [2, 0]]
    same_values, other_values = (
        max_difference(moved @ values, A @ values),
        max_difference(elsewhere @ values, A @ values),
    )
    weights = max_difference(moved, A)
    sentence = (
        f"Weights move between two tokens, by up to {weights:.2f}: the output changes by"
        f" {format_gap(same_values)} if their values are equal, and by up to {other_values:.2f} if"
        " not."
    )
    return Evidence(
        same_values > 1e-9, weights > 0.01 and same_values < 1e-9 < other_values, sentence
    )


@claim(
    "Heads must be concatenated; adding them up is a mistake.",
    FALSE,
    "Concatenation times W_O is a sum over heads: each head's output times its own rows of W_O.",
)
def adding_heads() -> Evidence:
    """The sum of the heads' contributions against the output."""
    trace = attend(EXAMPLE_X, EXAMPLE_LAYER)
    gap = max_difference(head_contributions(trace).sum(axis=1), trace.output)
    sentence = (
        f"The sum of the {EXAMPLE_HEADS} contributions differs from the output by"
        f" {format_gap(gap)}."
    )
    return Evidence(gap > 1e-9, gap < 1e-9, sentence)


@claim(
    "Each head learns to look at something different.",
    CONDITION,
    "Nothing in the layer enforces it. Heads with equal W_Q, W_K, W_V and equal rows of W_O stay"
    " equal without dropout. Different initial weights and tasks that need several patterns make"
    " heads differ. Heads that a task does not need copy each other.",
)
def heads_differ() -> Evidence:
    """How far the gradients of two heads' W_Q differ: for equal heads, for heads that differ only
    in their rows of W_O, and for different heads.
    """
    first = (EXAMPLE_LAYER.w_q[:, :3], EXAMPLE_LAYER.w_k[:, :3], EXAMPLE_LAYER.w_v[:, :3])
    w_o = np.asarray(EXAMPLE_LAYER.w_o)
    alike = Projections.from_heads([first, first], np.vstack([w_o[:3]] * EXAMPLE_HEADS))
    own_rows = Projections.from_heads([first, first], w_o)
    gaps = []
    for weights in (alike, own_rows, EXAMPLE_LAYER):
        trace = attend(EXAMPLE_X, weights)
        gradient = np.asarray(layer_gradients(trace, trace.output - EXAMPLE_X)["w_q"])
        gaps.append(max_difference(gradient[:, :3], gradient[:, 3:]))
    sentence = (
        "Trained to return the tokens, two equal heads get gradients that differ by"
        f" {format_gap(gaps[0])}: they stay equal. With different rows of W_O the gradients differ"
        f" by up to {gaps[1]:.2f}, with different weights everywhere by up to {gaps[2]:.2f}."
    )
    return Evidence(min(gaps) > 1e-9, gaps[0] < 1e-9 < min(gaps[1:]), sentence)


@claim(
    "A sentence twice as long costs four times as much.",
    CONDITION,
    "The n² part costs four times as much, the projections only twice as much. The matrix products"
    " of a layer take 4nC² + 2n²C multiplications, so n must be far above 2C.",
)
def twice_as_long() -> Evidence:
    """The ratio of multiplications for a doubled length, C = 512."""

    def multiplications(n: int, c: int = 512) -> int:
        return 4 * n * c**2 + 2 * n**2 * c

    short, long = (multiplications(2 * n) / multiplications(n) for n in (128, 131_072))
    sentence = (
        f"C = 512: 256 tokens cost {short:.2f} times as much as 128, and 262,144 tokens cost"
        f" {long:.2f} times as much as 131,072."
    )
    return Evidence(short > 3.9, long > 3.9 and short < 2.5, sentence)


@claim(
    "The output of attention is a weighted average of the input.",
    CONDITION,
    "The output of a head is a weighted average of its values. W_V, W_O and the residual connection"
    " take the output of the layer out of the convex hull of the inputs.",
)
def average_of_the_input() -> Evidence:
    """Head outputs in the hull of the values; outputs of a layer with a residual connection in the
    hull of the inputs.
    """
    trace = attend(gaussian_tokens(16, 4), Projections.random(4, 1), residual=True)
    heads = sum(in_hull(row, trace.values[0]) for row in trace.head_outputs[0, 0])
    outputs = sum(in_hull(row, trace.inputs[0]) for row in trace.output[0])
    sentence = (
        f"{heads} of 16 head outputs lie in the hull of the values, {outputs} of 16 outputs in the"
        " hull of the inputs."
    )
    return Evidence(outputs == 16, heads == 16, sentence)


@claim(
    "Q, K and V are the learned matrices.",
    FALSE,
    "W_Q, W_K and W_V are learned. Q, K and V are computed from them for each sentence.",
)
def learned_matrices() -> Evidence:
    """Queries and W_Q of two sentences."""
    one, other = attend(EXAMPLE_X, EXAMPLE_LAYER), attend(EXAMPLE_X[::-1] + 1, EXAMPLE_LAYER)
    moved = max_difference(one.queries, other.queries)
    kept = are_equal(one.projections.w_q, other.projections.w_q)
    sentence = f"Another sentence changes Q by up to {moved:.2f}, W_Q not at all."
    return Evidence(moved < 1e-9, kept and moved > 0.01, sentence)


POPULAR_CLAIMS = (
    permutation_invariant,
    blind_to_order,
    weights_explain,
    dot_product_is_similarity,
    key_bias,
    temperature_decides,
    adding_heads,
    heads_differ,
    minus_a_billion,
    twice_as_long,
    average_of_the_input,
    learned_matrices,
    shift_of_a_row,
)
