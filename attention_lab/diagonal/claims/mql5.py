"""Claims of the MQL5 book, whose layer keeps the heads of Query and Key in one fused vector
each.
"""

from __future__ import annotations

import numpy as np

from attention_core.attention import attend
from attention_core.projections import Projections
from attention_core.trace import Trace

from ..token_matrices import gaussian_tokens
from .record import (
    ALWAYS,
    CONDITION,
    FALSE,
    Evidence,
    are_equal,
    claims_of,
    format_gap,
    format_shape,
    max_difference,
    score_deviations,
)

claim = claims_of("mql5")

# Sequence elements, their size nI, heads, and the size nK of one head's Query and Key.
N, NI, HEADS, NK = 5, 12, 3, 4


def mql5_trace(d_v: int = NK) -> Trace:
    """Attention with three heads over Gaussian tokens."""
    return attend(gaussian_tokens(N, NI), Projections.random(NI, HEADS, d_k=NK, d_v=d_v))


@claim(
    "We always end up with a concatenated tensor larger than the input.",
    CONDITION,
    "This holds only if the values of all heads together are wider than nI. With nI/h numbers per"
    " head the sizes are equal.",
)
def larger_than_the_input() -> Evidence:
    """The width of the joined heads for values of nI and of nI/h numbers."""
    wide, narrow = (mql5_trace(d_v).merged.shape[2] for d_v in (NI, NI // HEADS))
    sentence = (
        f"Values of {NI} numbers give {wide} after joining, values of {NI // HEADS} give {narrow};"
        f" the input has {NI}."
    )
    return Evidence(narrow > NI, wide > NI and narrow == NI, sentence)


@claim(
    "The scores are divided by the root of the dimension of the Key vector.",
    CONDITION,
    "The divisor is the root of the size of one head's Key vector, √nK. It stays √nK if the vectors"
    " of all heads are joined to one of h·nK numbers.",
)
def root_of_the_key_size() -> Evidence:
    """The standard deviation of Gaussian scores, divided by the root of the fused size and of one
    head's size.
    """
    fused, own = score_deviations(NK, (HEADS * NK) ** 0.5, NK**0.5)
    sentence = (
        f"The standard deviation is {fused:.2f} with √(h·nK) and {own:.2f} with √nK; it should be"
        " 1."
    )
    return Evidence(abs(fused - 1) < 0.1, abs(own - 1) < 0.1, sentence)


@claim(
    "Query times transposed Key, each as h × nK, is a square matrix whose diagonal holds the heads'"
    " scores.",
    ALWAYS,
    "The rest of the matrix is not used. The product takes h²·nK multiplications, but only h·nK are"
    " needed.",
)
def diagonal_of_the_square() -> Evidence:
    """The h × h product for one pair of elements against the scores of the heads."""
    trace = mql5_trace()
    product = trace.query_heads[0, :, 0] @ trace.key_heads[0, :, 1].T
    error = max_difference(np.diagonal(product), trace.scores[0, :, 0, 1])
    sentence = (
        f"The diagonal differs from the {HEADS} scores by {format_gap(error)}. The product takes"
        f" {HEADS**2 * NK} multiplications, its diagonal alone {HEADS * NK}."
    )
    return Evidence(error < 1e-9, error < 1e-9, sentence)


@claim(
    "The Hadamard product and a sum over rows are two operations instead of one.",
    CONDITION,
    "This is true of library calls. The number of multiplications is h times smaller than in the"
    " full product, and the same as in one matrix product per head. (A Hadamard product multiplies"
    " two arrays number by number.)",
)
def two_operations() -> Evidence:
    """Scores by Q ⊙ K and row sums, and the multiplications of both methods."""
    trace = mql5_trace()
    hadamard = (trace.query_heads[0, :, 0] * trace.key_heads[0, :, 1]).sum(axis=1)
    square, own = HEADS**2 * NK, HEADS * NK
    correct = are_equal(hadamard, trace.scores[0, :, 0, 1]) and own * HEADS == square
    sentence = f"{own} multiplications instead of {square}, for the same {HEADS} scores."
    return Evidence(own == 2 * square, correct, sentence)


@claim(
    "The number of operations does not depend on the number of heads.",
    CONDITION,
    "The number of calls does not depend on it. The multiplications grow with h·nK. They stay the"
    " same only if nK shrinks as nI/h. The softmax still works on h·N² numbers.",
)
def regardless_of_heads() -> Evidence:
    """Multiplications of all scores, N²·h·nK, and their number, for one and for three heads."""
    one, three, shared = (
        N**2 * heads * width for heads, width in ((1, NK), (HEADS, NK), (HEADS, NI // HEADS))
    )
    sentence = (
        f"One head with nK = {NK} takes {one} multiplications, three take {three}. Three with nK ="
        f" {NI}/3 take {shared}, the same as one with nK = {NI}, but have"
        f" {mql5_trace().scores.size} scores instead of {N**2}."
    )
    more = three == HEADS * one and mql5_trace().scores.size == HEADS * N**2
    return Evidence(one == three, more and shared == N**2 * NI, sentence)


@claim(
    "The coefficients show how elements depend on each other (coefficients of interdependence).",
    FALSE,
    "They have a direction. In general, the weight of i for j is not the weight of j for i, even if"
    " the scores are symmetric.",
)
def interdependence() -> Evidence:
    """A against its transpose, with free and with tied weights."""
    x = gaussian_tokens(N, NI)
    free, tied = (
        attend(x, weights(NI, HEADS)) for weights in (Projections.random, Projections.tied)
    )
    gaps = [
        max_difference(trace.probabilities, trace.probabilities.swapaxes(-1, -2))
        for trace in (free, tied)
    ]
    symmetric = are_equal(tied.scores, tied.scores.swapaxes(-1, -2))
    sentence = (
        f"A_ij and A_ji differ by up to {gaps[0]:.2f}. With tied weights, whose scores are"
        f" symmetric, they still differ by up to {gaps[1]:.2f}."
    )
    return Evidence(gaps[0] < 1e-9, gaps[0] > 0.01 and gaps[1] > 0.01 and symmetric, sentence)


@claim(
    "The transposed matrix needs resources, which the Hadamard form (number by number) saves.",
    FALSE,
    "A transpose is usually a view or a flag of the matrix product. No number is copied.",
)
def resources_of_the_transpose() -> Evidence:
    """Whether Kᵀ has memory of its own."""
    keys = mql5_trace().key_heads[0, 0]
    shared = bool(np.shares_memory(keys, keys.T))
    sentence = f"Kᵀ shares all of its {keys.nbytes} bytes with K." if shared else "Kᵀ is a copy."
    return Evidence(not shared, shared, sentence)


@claim(
    "Three heads' matrices laid side by side give all three Queries (Keys, Values) at once.",
    ALWAYS,
    "[W_Q1 | W_Q2 | W_Q3] has size nI × 3nK, and block h of X times it is X times W_Qh.",
)
def three_heads() -> Evidence:
    """The fused product against three products, block by block."""
    x, p = gaussian_tokens(N, NI), Projections.random(NI, HEADS, d_k=NK)
    heads = [p.w_q[:, start : start + NK] for start in range(0, HEADS * NK, NK)]
    error = max_difference(x @ np.hstack(heads), np.hstack([x @ head for head in heads]))
    right = error < 1e-9 and p.w_q.shape == (NI, HEADS * NK)
    sentence = (
        f"W_QC is {format_shape(p.w_q)}; the blocks of X W_QC differ from the three products by"
        f" {format_gap(error)}."
    )
    return Evidence(right, right, sentence)


@claim(
    "The dot product of the fused vectors gives only one number for all heads.",
    ALWAYS,
    "This number is the sum of the heads' scores: the score of one wide head.",
)
def one_number() -> Evidence:
    """QC KCᵀ against the sum of the scores over the heads."""
    trace = mql5_trace()
    error = max_difference(trace.queries[0] @ trace.keys[0].T, trace.scores[0].sum(axis=0))
    return Evidence(
        error < 1e-9,
        error < 1e-9,
        f"QC KCᵀ differs from the sum of the {HEADS} scores by {format_gap(error)}.",
    )


MQL5_CLAIMS = (
    larger_than_the_input,
    root_of_the_key_size,
    diagonal_of_the_square,
    two_operations,
    regardless_of_heads,
    interdependence,
    resources_of_the_transpose,
    three_heads,
    one_number,
)
