"""Claims of the GeometricMachineLearning.jl manual, whose tokens are columns: Z is N × T,
softmax runs down columns.

P is the matrix of one head, N × (N ÷ n_heads), and makes PᵀZ: as the package keeps it, and as the
Stiefel manifold has it. The manual up to version 0.4.0 gives P this size and writes P Z; since
0.4.1 its formula has P as (N ÷ n_heads) × N. Source: src/layers/multi_head_attention.jl, version
0.4.8, and docs/src/layers/multihead_attention_layer.md, versions 0.4.0, 0.4.1 and 0.4.8.
"""

from dataclasses import replace

import numpy as np

from attention_core.attention import attend
from attention_core.checks import Array
from attention_core.formulas import softmax
from attention_core.projections import Projections

from ..geometry import in_hull
from ..token_matrices import gaussian_tokens
from .record import (
    Evidence,
    are_equal,
    fits,
    format_gap,
    format_shape,
    max_difference,
    score_deviations,
)

# N features, T tokens, heads of width N ÷ n_heads.
N, T, HEADS, WIDTH = 12, 5, 3, 4


def _head_matrix(weights: Projections) -> Array:
    """P of the first head. Shapes: (N, N ÷ n_heads)."""
    return weights.w_q[:, : weights.d_k]


def projection_size() -> Evidence:
    """The two products with a matrix of the stated size, and the queries of the layer."""
    weights, z = Projections.stiefel(N, HEADS), gaussian_tokens(T, N).T
    p = _head_matrix(weights)
    p_shape, z_shape, product = map(format_shape, (p, z, p.T @ z))
    queries = attend(z.T, weights).query_heads[0, 0].T
    sentence = (
        f"P is {p_shape}, Z is {z_shape}; only PᵀZ fits. It is {product}, the queries of head 0."
    )
    return Evidence(fits(p, z), fits(p.T, z) and are_equal(p.T @ z, queries), sentence)


def columns_span() -> Evidence:
    """The rank of P's columns, also with one head; and the queries of the part of the tokens in
    their span, and of the rest.
    """
    weights, x = Projections.random(N, HEADS), gaussian_tokens(T, N)
    p, alone = (_head_matrix(one) for one in (weights, Projections.random(N, 1)))
    inside = x @ p @ np.linalg.pinv(p)
    queries, of_part, of_rest = (
        attend(tokens, weights).query_heads[0, 0] for tokens in (x, inside, x - inside)
    )
    ranks = [int(np.linalg.matrix_rank(one)) for one in (p, alone)]
    sentence = (
        f"P is {format_shape(p)}: its columns have as many numbers as a token and span"
        f" {ranks[0]} of {N} dimensions, {ranks[1]} with one head. The part of the tokens in this"
        f" span has the same queries (difference {format_gap(max_difference(of_part, queries))});"
        f" the queries of the rest are at most {format_gap(float(np.abs(of_rest).max()))}."
    )
    smaller = len(p) == N and ranks == [WIDTH, N] and WIDTH < N
    kept = are_equal(of_part, queries) and are_equal(of_rest, np.zeros_like(queries))
    return Evidence(smaller and kept, smaller and kept, sentence)


def projections() -> Evidence:
    """PPᵀ twice, for a Gaussian and for an orthonormal P."""
    both = [
        _head_matrix(one) for one in (Projections.random(N, HEADS), Projections.stiefel(N, HEADS))
    ]
    loose, normal = (max_difference(p @ p.T @ p @ p.T, p @ p.T) for p in both)
    sentence = (
        f"P is {format_shape(both[0])}, so P P does not exist. PPᵀ PPᵀ differs from PPᵀ by up to"
        f" {loose:.2f} for a random P and by {format_gap(normal)} for an orthonormal P."
    )
    return Evidence(loose < 1e-9, normal < 1e-9, sentence)


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


def scores_are_correlations() -> Evidence:
    """The largest score of Gaussian tokens beside their largest true correlation."""
    trace = attend(gaussian_tokens(T, N), Projections.weightless(N))
    largest = float(np.abs(trace.scores).max())
    correlated = float(np.abs(np.corrcoef(trace.keys[0])).max())
    sentence = (
        f"The largest score is {largest:.1f}; a correlation of the same vectors never exceeds"
        f" {correlated:.1f}."
    )
    return Evidence(largest <= 1, correlated <= 1 + 1e-12, sentence)


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


def one_letter() -> Evidence:
    """The same weights on two sentences."""
    weights = Projections.random(N, HEADS)
    one, other = (attend(gaussian_tokens(T, N, seed), weights) for seed in (0, 1))
    kept = are_equal(one.projections.w_q, other.projections.w_q)
    moved = max_difference(one.probabilities, other.probabilities)
    sentence = (
        f"P is {N} × {WIDTH}, the probabilities are {T} × {T}. A new sentence changes"
        f" only the probabilities, by up to {moved:.2f}."
    )
    return Evidence(one.probabilities[0, 0].shape == (N, WIDTH), kept and moved > 0, sentence)


def root_of_n() -> Evidence:
    """The standard deviation of Gaussian scores of width N ÷ n_heads, which should be 1."""
    by_n, by_width = score_deviations(WIDTH, N**0.5, WIDTH**0.5)
    sentence = (
        f"With {HEADS} heads the scores have standard deviation {by_n:.2f} after √N and"
        f" {by_width:.2f} after √(N ÷ n_heads)."
    )
    return Evidence(abs(by_n - 1) < 0.1, abs(by_width - 1) < 0.1, sentence)


def code_and_manual() -> Evidence:
    """One head in columns, as the code has it, against the manual, and against the manual with
    the two changes.
    """
    p, z = Projections.random(N, HEADS), gaussian_tokens(T, N).T
    query, key, value = (matrix[:, :WIDTH].T @ z for matrix in (p.w_q, p.w_k, p.w_v))
    code = value @ softmax(query.T @ key / np.sqrt(N), axis=0)
    manual = value @ softmax(key.T @ query / np.sqrt(WIDTH), axis=0)
    other = attend(z.T, replace(p, w_q=p.w_k, w_k=p.w_q), scale=1 / np.sqrt(N))
    exchanged = other.head_outputs[0, 0].T
    sentence = (
        f"The code and the manual differ by up to {max_difference(code, manual):.2f}. If the manual"
        " exchanges P_Q and P_K and divides by √N, they differ by"
        f" {format_gap(max_difference(code, exchanged))}."
    )
    return Evidence(are_equal(code, manual), are_equal(code, exchanged), sentence)


def same_size() -> Evidence:
    """The merged width for values of N ÷ n_heads and of N numbers."""
    x, layers = gaussian_tokens(T, N), (Projections.random(N, HEADS, d_v=d_v) for d_v in (WIDTH, N))
    widths = [attend(x, weights).merged.shape[2] for weights in layers]
    sentence = (
        f"Values of {WIDTH} numbers give {widths[0]} features, like the input. Values of {N}"
        f" numbers give {widths[1]}."
    )
    return Evidence(widths[1] == N, widths[0] == N, sentence)


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


def less_general() -> Evidence:
    """The largest probability with orthonormal weights and with the same weights times 8."""
    x, p = gaussian_tokens(T, N), Projections.stiefel(N, HEADS)
    bounded, free = (attend(x, replace(p, w_q=c * p.w_q, w_k=c * p.w_k)) for c in (1, 8))
    length = np.linalg.norm(x, axis=1)
    bound = np.outer(length, length) / np.sqrt(WIDTH) + 1e-12
    capped = bool((np.abs(bounded.scaled_scores[0]) <= bound).all())
    tops = [float(trace.probabilities.max(axis=-1).mean()) for trace in (bounded, free)]
    sentence = (
        f"The largest share of a row is {tops[0]:.2f} on average. With 8 times larger weights,"
        f" which do not have orthonormal columns, it is {tops[1]:.2f}."
    )
    return Evidence(tops[0] >= tops[1], capped, sentence)


def convex_combination() -> Evidence:
    """Every head output against the hull of its head's values."""
    trace = attend(gaussian_tokens(T, N), Projections.random(N, HEADS))
    pairs = zip(trace.head_outputs[0], trace.value_heads[0], strict=True)
    inside = sum(in_hull(row, values) for outputs, values in pairs for row in outputs)
    sentence = f"{inside} of {HEADS * T} outputs lie in the hull of their values."
    return Evidence(inside == HEADS * T, inside == HEADS * T, sentence)
