"""Claims of the GeometricMachineLearning.jl manual, whose tokens are columns: Z is N × T,
softmax runs down columns.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from attention_core.attention import attend
from attention_core.formulas import softmax
from attention_core.projections import Projections

from ..convex_hull import in_hull
from ..token_matrices import gaussian_tokens
from .geometric_machine_learning_projections import (
    HEADS,
    WIDTH,
    N,
    T,
    columns_span,
    less_general,
    one_letter,
    projection_size,
    projections,
)
from .record import (
    ALWAYS,
    CONDITION,
    FALSE,
    Evidence,
    are_equal,
    claims_of,
    format_gap,
    max_difference,
    score_deviations,
)

claim = claims_of("gml")


@claim(
    "The product is a similarity between the queries and the vectors.",
    FALSE,
    "The product compares queries with keys. It compares queries with the token vectors only if"
    " there is no W_K.",
)
def queries_and_vectors() -> Evidence:
    """Scores of a layer with one head against Q Xᵀ and Q Kᵀ."""
    x = gaussian_tokens(T, N)
    trace = attend(x, Projections.random(N, 1))
    vectors, keys = (
        max_difference(trace.queries[0] @ other.T, trace.scores[0, 0])
        for other in (x, trace.keys[0])
    )
    sentence = (
        f"The scores differ from Q Xᵀ by up to {vectors:.2f} and from Q Kᵀ by {format_gap(keys)}."
    )
    return Evidence(vectors < 1e-9, keys < 1e-9, sentence)


@claim(
    "KᵀQ is a matrix of correlations.",
    FALSE,
    "Its cells are inner products. They are neither centred nor normalised and can exceed 1. The"
    " right word is score.",
)
def scores_are_correlations() -> Evidence:
    """The largest score of Gaussian tokens beside their largest true correlation."""
    trace = attend(gaussian_tokens(T, N), Projections.weightless(N))
    largest = float(np.abs(trace.scores).max())
    correlated = float(np.abs(np.corrcoef(trace.keys[0])).max())
    return Evidence(
        largest <= 1,
        correlated <= 1 + 1e-12,
        f"The largest score is {largest:.1f}; a correlation of the same vectors never exceeds"
        f" {correlated:.1f}.",
    )


@claim(
    "The softmax divides by a sum over j = 1, 2, … (without an upper limit).",
    CONDITION,
    "The sum must run over all T entries of the column. Otherwise the probabilities do not sum to"
    " 1.",
)
def softmax_sum() -> Evidence:
    """One column, divided by the sum of all its exponentials, and by that of all but the last."""
    exponentials = np.exp(gaussian_tokens(T, 1)[:, 0])
    short, whole = (
        float((exponentials / exponentials[:limit].sum()).sum()) for limit in (T - 1, T)
    )
    sentence = (
        f"With T = {T} terms in the divisor the column sums to {whole:.3f}, with one term fewer to"
        f" {short:.3f}."
    )
    return Evidence(abs(short - 1) < 1e-9, abs(whole - 1) < 1e-9, sentence)


@claim(
    "The scores are divided by √N.",
    CONDITION,
    "They are divided by the root of the number of products that a score adds up: √(N ÷ n_heads) in"
    " every head. This is √N only with one head.",
)
def root_of_n() -> Evidence:
    """The standard deviation of Gaussian scores of width N ÷ n_heads, which should be 1."""
    by_n, by_width = score_deviations(WIDTH, N**0.5, WIDTH**0.5)
    sentence = (
        f"With {HEADS} heads the scores have standard deviation {by_n:.2f} after √N and"
        f" {by_width:.2f} after √(N ÷ n_heads)."
    )
    return Evidence(abs(by_n - 1) < 0.1, abs(by_width - 1) < 0.1, sentence)


@claim(
    "The package's code computes the manual's formula.",
    FALSE,
    "The code uses QᵀK and √N where the manual has KᵀQ and √(N ÷ n_heads). So queries and keys"
    " change roles.",
)
def code_and_manual() -> Evidence:
    """One head in columns, as the code has it, against the manual, and against the manual with
    the two changes.
    """
    p, z = Projections.random(N, HEADS), gaussian_tokens(T, N).T
    query, key, value = (matrix[:, :WIDTH].T @ z for matrix in (p.w_q, p.w_k, p.w_v))
    code = value @ softmax(query.T @ key / np.sqrt(N), axis=0)
    manual = value @ softmax(key.T @ query / np.sqrt(WIDTH), axis=0)
    exchanged = (
        attend(z.T, Projections(p.w_k, p.w_q, p.w_v, n_heads=HEADS), scale=1 / np.sqrt(N))
        .head_outputs[0, 0]
        .T
    )
    sentence = (
        f"The code and the manual differ by up to {max_difference(code, manual):.2f}. If the manual"
        " exchanges P_Q and P_K and divides by √N, they differ by"
        f" {format_gap(max_difference(code, exchanged))}."
    )
    return Evidence(are_equal(code, manual), are_equal(code, exchanged), sentence)


@claim(
    "The concatenated heads have the size of the input again.",
    CONDITION,
    "This holds if every value has N ÷ n_heads numbers. Other widths give another size.",
)
def same_size() -> Evidence:
    """The merged width for values of N ÷ n_heads and of N numbers."""
    x, layers = (
        gaussian_tokens(T, N),
        (Projections.random(N, HEADS, d_k=WIDTH, d_v=d_v) for d_v in (WIDTH, N)),
    )
    widths = [attend(x, weights).merged.shape[2] for weights in layers]
    sentence = (
        f"Values of {WIDTH} numbers give {widths[0]} features, like the input. Values of {N}"
        f" numbers give {widths[1]}."
    )
    return Evidence(widths[1] == N, widths[0] == N, sentence)


@claim(
    "Concatenation combines what the heads found.",
    FALSE,
    "Concatenation only puts the heads side by side. This layer has no W_O, so no number of one"
    " head is mixed with a number of another.",
)
def heads_combined() -> Evidence:
    """Which features of the output change when the values of one head change."""
    p, x = Projections.random(N, HEADS), gaussian_tokens(T, N)
    other_v = p.w_v.copy()
    other_v[:, :WIDTH] += 1
    joined, other = (attend(x, replace(p, w_v=w_v, w_o=None)).output[0] for w_v in (p.w_v, other_v))
    plain = int((np.abs(joined - other).max(axis=0) > 1e-9).sum())
    mixed = int((np.abs((joined - other) @ np.asarray(p.w_o)).max(axis=0) > 1e-9).sum())
    sentence = (
        f"Other values in head 0 change {plain} of {N} output features without W_O, and {mixed}"
        " with it."
    )
    return Evidence(plain == N, plain == WIDTH and mixed == N, sentence)


@claim(
    "Each output column is a convex combination of the value columns.",
    ALWAYS,
    "Its coefficients are one column of probabilities. In every head they are at least 0 and sum to"
    " 1.",
)
def convex_combination() -> Evidence:
    """Every head output against the hull of its head's values."""
    trace = attend(gaussian_tokens(T, N), Projections.random(N, HEADS))
    pairs = zip(trace.head_outputs[0], trace.value_heads[0], strict=True)
    inside = sum(in_hull(row, values) for outputs, values in pairs for row in outputs)
    sentence = f"{inside} of {HEADS * T} outputs lie in the hull of their values."
    return Evidence(inside == HEADS * T, inside == HEADS * T, sentence)


GML_CLAIMS = (
    projection_size,
    columns_span,
    projections,
    queries_and_vectors,
    scores_are_correlations,
    softmax_sum,
    one_letter,
    root_of_n,
    code_and_manual,
    same_size,
    heads_combined,
    less_general,
    convex_combination,
)
