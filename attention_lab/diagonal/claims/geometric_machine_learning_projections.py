"""Claims of the GeometricMachineLearning.jl manual about its projection matrices P."""

from __future__ import annotations

import numpy as np

from attention_core.attention import attend
from attention_core.projections import Projections

from ..token_matrices import gaussian_tokens
from .record import (
    CONDITION,
    FALSE,
    Evidence,
    are_equal,
    claims_of,
    fits,
    format_gap,
    format_shape,
    max_difference,
)

claim = claims_of("gml")
# N features, T tokens, heads of width N ÷ n_heads.
N, T, HEADS, WIDTH = 12, 5, 3, 4


@claim(
    "Each head's projection P_i has size N × (N ÷ n_heads) and is applied as P_i Z.",
    FALSE,
    "These sizes do not fit. Either an N × (N ÷ n_heads) matrix is applied as PᵀZ, or P is (N ÷"
    " n_heads) × N, as in the manual since version 0.4.1 (2025).",
)
def projection_size() -> Evidence:
    """The two products with a matrix of the stated size."""
    p, z = Projections.stiefel(N, HEADS).w_q[:, :WIDTH], gaussian_tokens(T, N).T
    return Evidence(
        fits(p, z),
        fits(p.T, z),
        f"P is {format_shape(p)}, Z is {format_shape(z)}; only PᵀZ fits and is"
        f" {format_shape(p.T @ z)}.",
    )


@claim(
    "The columns of the projection matrices span smaller spaces.",
    FALSE,
    "In P Z the rows of P span a subspace of the tokens' space. With more than one head the columns"
    " of P do not even lie in that space.",
)
def columns_span() -> Evidence:
    """P times Z and P times the part of Z in the span of P's rows; and the length of P's columns,
    also with one head.
    """
    p, z = Projections.random(N, HEADS).w_q[:, :WIDTH].T, gaussian_tokens(T, N).T
    onto_rows = np.linalg.pinv(p) @ p
    kept = are_equal(p @ (onto_rows @ z), p @ z) and np.linalg.matrix_rank(p) == WIDTH < N
    alone = Projections.random(N, 1).w_q.T
    return Evidence(
        p.shape[0] == N,
        bool(kept) and len(alone) == N,
        f"A column of P has {p.shape[0]} numbers, a token {N}; with one head both have"
        f" {len(alone)}. Z and its part in the span of the {WIDTH} rows give the same P Z"
        f" (difference {format_gap(max_difference(p @ (onto_rows @ z), p @ z))}).",
    )


@claim(
    "The matrices P are projections.",
    CONDITION,
    "A rectangular P is not a projection. If its rows are orthonormal, PᵀP is one, and P gives"
    " coordinates in its range.",
)
def projections() -> Evidence:
    """PᵀP twice, for a Gaussian and for an orthonormal P."""
    loose = [
        weights.w_q[:, :WIDTH]
        for weights in (Projections.random(N, HEADS), Projections.stiefel(N, HEADS))
    ]
    errors = [max_difference(p @ p.T @ p @ p.T, p @ p.T) for p in loose]
    return Evidence(
        errors[0] < 1e-9,
        errors[1] < 1e-9,
        f"P is {WIDTH} × {N}, so P P does not exist. PᵀP PᵀP differs from PᵀP by up to"
        f" {errors[0]:.2f} for a random P and by {format_gap(errors[1])} for an orthonormal P.",
    )


@claim(
    "P_i is the projection matrix (called W elsewhere) and also the matrix of probabilities.",
    FALSE,
    "These are two different things: weights are the same for every sentence, probabilities are"
    " computed from each sentence.",
)
def one_letter() -> Evidence:
    """The same weights on two sentences."""
    weights = Projections.random(N, HEADS)
    one, other = (attend(gaussian_tokens(T, N, seed), weights) for seed in (0, 1))
    kept = are_equal(one.projections.w_q, other.projections.w_q)
    moved = max_difference(one.probabilities, other.probabilities)
    sentence = (
        f"The projection is {N} × {WIDTH}, the probabilities are {T} × {T}. A new sentence changes"
        f" only the probabilities, by up to {moved:.2f}."
    )
    return Evidence(
        format_shape(one.projections.w_q[:, :WIDTH]) == format_shape(one.probabilities[0, 0]),
        kept and moved > 0,
        sentence,
    )


@claim(
    "The weights do not and should not have maximum generality: orthonormal columns suffice.",
    CONDITION,
    "This is an opinion. Orthonormal columns limit the scores to |x_i||x_j|/√d_k, and so limit how"
    " sharp attention can be.",
)
def less_general() -> Evidence:
    """The largest probability with orthonormal weights and with the same weights times 8."""
    x, p = gaussian_tokens(T, N), Projections.stiefel(N, HEADS)
    bounded, free = (
        attend(x, Projections(c * p.w_q, c * p.w_k, p.w_v, n_heads=HEADS)) for c in (1, 8)
    )
    length = np.linalg.norm(x, axis=1)
    capped = bool(
        (
            np.abs(bounded.scaled_scores[0]) <= np.outer(length, length) / np.sqrt(WIDTH) + 1e-12
        ).all()
    )
    tops = [float(trace.probabilities.max(axis=-1).mean()) for trace in (bounded, free)]
    sentence = (
        f"The largest share of a row is {tops[0]:.2f} on average. With 8 times larger weights,"
        f" which do not have orthonormal columns, it is {tops[1]:.2f}."
    )
    return Evidence(tops[0] >= tops[1], capped, sentence)
