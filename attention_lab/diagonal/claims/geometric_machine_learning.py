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
    Measured,
    are_equal,
    fits,
    format_shape,
    max_difference,
    score_deviations,
)

# N features, T tokens, heads of width N ÷ n_heads.
N, T, HEADS, WIDTH = 12, 5, 3, 4


def _head_matrix(weights: Projections) -> Array:
    """P of the first head. Shapes: (N, N ÷ n_heads)."""
    return weights.w_q[:, : weights.d_k]


def projection_size() -> Measured:
    """The two products with a matrix of the stated size, and the queries of the layer."""
    weights, z = Projections.stiefel(N, HEADS), gaussian_tokens(T, N).T
    p = _head_matrix(weights)
    p_shape, z_shape, product = map(format_shape, (p, z, p.T @ z))
    queries = attend(z.T, weights).query_heads[0, 0].T
    return Measured(
        fits(p, z), fits(p.T, z) and are_equal(p.T @ z, queries), p_shape, z_shape, product
    )


def columns_span() -> Measured:
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
    smaller = len(p) == N and ranks == [WIDTH, N] and WIDTH < N
    kept = are_equal(of_part, queries) and are_equal(of_rest, np.zeros_like(queries))
    right = smaller and kept
    return Measured(right, right, p, ranks, N, max_difference(of_part, queries), abs(of_rest).max())


def projections() -> Measured:
    """PPᵀ twice, for a Gaussian and for an orthonormal P."""
    both = [
        _head_matrix(one) for one in (Projections.random(N, HEADS), Projections.stiefel(N, HEADS))
    ]
    loose, normal = (max_difference(p @ p.T @ p @ p.T, p @ p.T) for p in both)
    return Measured(loose < 1e-9, normal < 1e-9, both[0], loose, normal)


def queries_and_vectors() -> Measured:
    """Scores of a layer with one head against Q Xᵀ and Q Kᵀ."""
    x = gaussian_tokens(T, N)
    trace = attend(x, Projections.random(N, 1))
    vectors, keys = (
        max_difference(trace.queries[0] @ other.T, trace.scores[0, 0])
        for other in (x, trace.keys[0])
    )
    return Measured(vectors < 1e-9, keys < 1e-9, vectors, keys)


def scores_are_correlations() -> Measured:
    """The largest score of Gaussian tokens beside their largest true correlation."""
    trace = attend(gaussian_tokens(T, N), Projections.weightless(N))
    largest = float(np.abs(trace.scores).max())
    correlated = float(np.abs(np.corrcoef(trace.keys[0])).max())
    return Measured(largest <= 1, correlated <= 1 + 1e-12, largest, correlated)


def softmax_sum() -> Measured:
    """One column, divided by the sum of all its exponentials, and by that of all but the last."""
    exponentials = np.exp(gaussian_tokens(T, 1)[:, 0])
    short, whole = (
        float((exponentials / exponentials[:limit].sum()).sum()) for limit in (T - 1, T)
    )
    return Measured(abs(short - 1) < 1e-9, abs(whole - 1) < 1e-9, T, whole, short)


def one_letter() -> Measured:
    """The same weights on two sentences."""
    weights = Projections.random(N, HEADS)
    one, other = (attend(gaussian_tokens(T, N, seed), weights) for seed in (0, 1))
    kept = are_equal(one.projections.w_q, other.projections.w_q)
    moved = max_difference(one.probabilities, other.probabilities)
    return Measured(
        one.probabilities[0, 0].shape == (N, WIDTH), kept and moved > 0, N, WIDTH, T, moved
    )


def root_of_n() -> Measured:
    """The standard deviation of Gaussian scores of width N ÷ n_heads, which should be 1."""
    by_n, by_width = score_deviations(WIDTH, N**0.5, WIDTH**0.5)
    return Measured(abs(by_n - 1) < 0.1, abs(by_width - 1) < 0.1, HEADS, by_n, by_width)


def code_and_manual() -> Measured:
    """One head in columns, as the code has it, against the manual, and against the manual with
    the two changes.
    """
    p, z = Projections.random(N, HEADS), gaussian_tokens(T, N).T
    query, key, value = (matrix[:, :WIDTH].T @ z for matrix in (p.w_q, p.w_k, p.w_v))
    code = value @ softmax(query.T @ key / np.sqrt(N), axis=0)
    manual = value @ softmax(key.T @ query / np.sqrt(WIDTH), axis=0)
    other = attend(z.T, replace(p, w_q=p.w_k, w_k=p.w_q), scale=1 / np.sqrt(N))
    exchanged = other.head_outputs[0, 0].T
    gaps = [max_difference(code, other) for other in (manual, exchanged)]
    return Measured(are_equal(code, manual), are_equal(code, exchanged), gaps)


def same_size() -> Measured:
    """The merged width for values of N ÷ n_heads and of N numbers."""
    x, layers = gaussian_tokens(T, N), (Projections.random(N, HEADS, d_v=d_v) for d_v in (WIDTH, N))
    widths = [attend(x, weights).merged.shape[2] for weights in layers]
    return Measured(widths[1] == N, widths[0] == N, WIDTH, widths, N)


def heads_combined() -> Measured:
    """Which features of the output change when the values of one head change."""
    p, x = Projections.random(N, HEADS), gaussian_tokens(T, N)
    other_v = p.w_v.copy()
    other_v[:, :WIDTH] += 1
    joined, other = (attend(x, replace(p, w_v=w_v, w_o=None)).output[0] for w_v in (p.w_v, other_v))
    plain = int((np.abs(joined - other).max(axis=0) > 1e-9).sum())
    mixed = int((np.abs((joined - other) @ np.asarray(p.w_o)).max(axis=0) > 1e-9).sum())
    return Measured(plain == N, plain == WIDTH and mixed == N, plain, N, mixed)


def less_general() -> Measured:
    """The largest probability with orthonormal weights and with the same weights times 8."""
    x, p = gaussian_tokens(T, N), Projections.stiefel(N, HEADS)
    bounded, free = (attend(x, replace(p, w_q=c * p.w_q, w_k=c * p.w_k)) for c in (1, 8))
    length = np.linalg.norm(x, axis=1)
    bound = np.outer(length, length) / np.sqrt(WIDTH) + 1e-12
    capped = bool((np.abs(bounded.scaled_scores[0]) <= bound).all())
    tops = [float(trace.probabilities.max(axis=-1).mean()) for trace in (bounded, free)]
    return Measured(tops[0] >= tops[1], capped, tops)


def convex_combination() -> Measured:
    """Every head output against the hull of its head's values."""
    trace = attend(gaussian_tokens(T, N), Projections.random(N, HEADS))
    pairs = zip(trace.head_outputs[0], trace.value_heads[0], strict=True)
    inside = sum(in_hull(row, values) for outputs, values in pairs for row in outputs)
    return Measured(inside == HEADS * T, inside == HEADS * T, inside, HEADS * T)
