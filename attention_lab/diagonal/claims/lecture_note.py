"""Claims of the lecture note on self-attention, whose elements are rows: X is n × s."""

from __future__ import annotations

import numpy as np

from attention_core.attention import attend
from attention_core.formulas import softmax
from attention_core.projections import Projections

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

claim = claims_of("note")

# Length n, width s, width d of a query, width d_o of a value.
N, S, D, D_O = 5, 6, 4, 3
X = gaussian_tokens(N, S)
LAYER = Projections.random(S, 1, d_k=D, d_v=D_O)


@claim(
    "y_i = w_i W^ν x_i.",
    FALSE,
    "y_i = Σ_j w_ij (x_j W^ν). It is a sum over all elements j, with the value of x_j.",
)
def output_without_sum() -> Evidence:
    """Element i's own value with its weights, and the sum over all values, against the head's
    output.
    """
    trace = attend(X, LAYER)
    weights, values = trace.probabilities[0, 0], trace.values[0]
    own = weights.sum(axis=1, keepdims=True) * values
    summed = np.array([sum(weights[i, j] * values[j] for j in range(N)) for i in range(N)])
    gaps = [difference(candidate, trace.head_outputs[0, 0]) for candidate in (own, summed)]
    says = (
        f"Its own value alone misses y_i by up to {gaps[0]:.2f}; the sum over j by"
        f" {shown(gaps[1])}."
    )
    return Evidence(gaps[0] < 1e-9, gaps[1] < 1e-9, says)


@claim(
    "W^ν has size n × s, and ν_i is in ℝ^d.",
    FALSE,
    "W^ν is s × d_o, as later in the note. It turns an element of width s into a value of width"
    " d_o. (The note writes both d_0 and d_o for it.)",
)
def size_of_the_value_matrix() -> Evidence:
    """X times a matrix of either size."""
    stated = np.zeros((N, S))
    says = (
        f"X is {size(X)}: it fits {size(LAYER.w_v)}, not {size(stated)}. Values have {D_O} numbers,"
        f" queries {D}."
    )
    return Evidence(
        fits(X, stated), fits(X, LAYER.w_v) and attend(X, LAYER).values.shape[2] == D_O, says
    )


@claim(
    "q_i = x_i W^q, and the score is W^q x_i W^k x_j.",
    FALSE,
    "The two formulas mix rows and columns. For rows, q_i = x_i W^q, and the score is (x_i"
    " W^q)(x_j W^k)ᵀ with a transpose.",
)
def rows_or_columns() -> Evidence:
    """Which products of a row, or of a column, with W^q exist, and the score of two rows."""
    row, other = X[:1], X[1:2]
    right = (row @ LAYER.w_q) @ (other @ LAYER.w_k).T
    matches = same(right, attend(X, LAYER).scores[0, 0, 0, 1])
    says = (
        f"W^q is {size(LAYER.w_q)}: it can follow a row ({size(row)}), but not precede a column"
        f" ({size(row.T)})."
    )
    return Evidence(fits(LAYER.w_q, row.T), fits(row, LAYER.w_q) and matches, says)


@claim(
    "The element-wise formula weights the values with the scores.",
    FALSE,
    "The weights are the softmax of the scores, which the last formula leaves out. Weights are"
    " not negative and sum to 1.",
)
def formula_without_softmax() -> Evidence:
    """Values weighted with scaled scores, and with their softmax, against the head's output."""
    trace = attend(X, LAYER)
    scaled, values = trace.scaled_scores[0, 0], trace.values[0]
    raw, soft = (
        difference(w @ values, trace.head_outputs[0, 0]) for w in (scaled, softmax(scaled))
    )
    says = (
        f"Scores as weights miss the output by up to {raw:.2f} (row 1 sums to"
        f" {scaled[0].sum():.2f}), their softmax by {shown(soft)}."
    )
    return Evidence(raw < 1e-9, soft < 1e-9, says)


@claim(
    "Attention is softmax(QKᵀ/d) V.",
    FALSE,
    "It is softmax(QKᵀ/√d) V, as in the note's own α_ij. Only the root keeps the standard"
    " deviation of the scores at 1.",
)
def divided_by_d() -> Evidence:
    """The spread of Gaussian scores of width 64, divided by d and by √d."""
    query, key = gaussian_tokens(200, 64, seed=1), gaussian_tokens(200, 64, seed=2)
    by_d, by_root = (float((query @ key.T).std() / divisor) for divisor in (64, 8))
    says = (
        f"d = 64: the standard deviation of the scores is {by_d:.2f} after d and {by_root:.2f}"
        " after √d."
    )
    return Evidence(abs(by_d - 1) < 0.1, abs(by_root - 1) < 0.1, says)


@claim(
    "A head is H^(i) = softmax(Q^(i) K^(i)ᵀ/√d), of size n × d.",
    FALSE,
    "The softmax alone is n × n. H^(i) = softmax(Q^(i) K^(i)ᵀ/√d) V^(i) is n × d_v.",
)
def head_without_values() -> Evidence:
    """The sizes of the softmax and of the softmax times the values."""
    trace = attend(X, LAYER)
    A, head = trace.probabilities[0, 0], trace.head_outputs[0, 0]
    says = f"The softmax is {size(A)}; times V it is {size(head)}."
    return Evidence(
        A.shape == (N, D), head.shape == (N, D_O) and same(A @ trace.values[0], head), says
    )


@claim(
    "W_0 has size d·d_h × d_0, with d_h heads.",
    CONDITION,
    "It has d_h·d_v rows, one for each number of the joined heads. This equals d·d_h only if"
    " values are as wide as queries.",
)
def size_of_the_output_matrix() -> Evidence:
    """The joined heads of a layer with d_v other than d, before matrices of either size."""
    heads = 2
    trace = attend(X, Projections.random(S, heads, d_k=D, d_v=D_O))
    joined, stated, right = (
        trace.merged[0],
        np.zeros((D * heads, S)),
        np.asarray(trace.projections.w_o),
    )
    says = (
        f"d = {D}, d_v = {D_O}, {heads} heads: joined they are {size(joined)}, so W_0 is"
        f" {size(right)}, not {size(stated)}."
    )
    return Evidence(fits(joined, stated), fits(joined, right), says)


@claim(
    "α_ij are the attention weights.",
    CONDITION,
    "This is so in the slides. In the note α_ij = q_i·k_j/√d is the scaled score, and the weights"
    " are softmax(α).",
)
def two_alphas() -> Evidence:
    """The row sums of what the note, and of what the slides call α."""
    trace = attend(X, LAYER)
    note, slides = trace.scaled_scores[0, 0].sum(axis=1), trace.probabilities[0, 0].sum(axis=1)
    says = f"Row 1 of the note's α sums to {note[0]:.2f}, of the slides' α to {slides[0]:.2f}."
    return Evidence(same(note, 1.0), same(slides, 1.0), says)


@claim(
    "w_ij tells how the meaning of j is revealed by i.",
    FALSE,
    "It is the other way round: row i tells how much query i draws from key j.",
)
def direction() -> Evidence:
    """What output 1 gains when value 4 grows by 1 in all features."""
    trace = attend(X, LAYER)
    A, grown = trace.probabilities[0, 0], trace.values[0].copy()
    grown[3] += 1
    gained = (A @ grown)[0, 0] - trace.head_outputs[0, 0, 0, 0]
    says = (
        f"Value 4 grows by 1, and output 1 by {gained:.3f}: that is w_14 = {A[0, 3]:.3f}; w_41 is"
        f" {A[3, 0]:.3f}."
    )
    return Evidence(same(gained, A[3, 0]), same(gained, A[0, 3]), says)


@claim("Divide the inner products into √d.", FALSE, "Divide them by √d.")
def divided_into() -> Evidence:
    """√d divided by the inner products, and the reverse, against the scaled scores."""
    trace = attend(X, LAYER)
    into, by = (
        difference(q, trace.scaled_scores) for q in (D**0.5 / trace.scores, trace.scores / D**0.5)
    )
    says = f"√d divided by them misses the scaled scores by {into:.1f}, the reverse by {shown(by)}."
    return Evidence(into < 1e-9, by < 1e-9, says)


@claim(
    "After the row-wise softmax all weights lie in [0, 1].",
    ALWAYS,
    "Every row also sums to 1. In exact arithmetic no key with a finite score gets exactly 0, and"
    " none gets exactly 1 if another key also has a finite score. In 64-bit numbers a key whose"
    " score is 746 below the best gets exactly 0, and the best of two keys gets exactly 1 from a"
    " lead of 37 on.",
)
def weights_from_0_to_1() -> Evidence:
    """The smallest and largest weight, and the row sums; the weights of two tokens 30 and −30,
    and of two scores that are 745, 746, 36 and 37 apart.
    """
    A = attend(X, LAYER).probabilities
    far = attend([[30.0], [-30.0]], Projections.weightless(1)).probabilities
    inside = all(
        bool((weights >= 0).all() and (weights <= 1).all()) and same(weights.sum(axis=-1), 1.0)
        for weights in (A, far)
    )
    last, gone, near, one = (softmax(np.array([0.0, -lead])) for lead in (745.0, 746.0, 36.0, 37.0))
    ends = last[1] > 0 == gone[1] and near[0] < 1 == one[0]
    row = far[0, 0, 0]
    return Evidence(
        inside,
        inside and bool(ends) and row.tolist() == [1, 0],
        f"The weights go from {A.min():.3f} to {A.max():.3f}, and all {N} rows sum to 1. Of two"
        f" tokens 30 and −30 without weights, row 1 is exactly {row[0]:.0f}, {row[1]:.0f}.",
    )


CLAIMS = (
    output_without_sum,
    size_of_the_value_matrix,
    rows_or_columns,
    formula_without_softmax,
    divided_by_d,
    head_without_values,
    size_of_the_output_matrix,
    two_alphas,
    direction,
    divided_into,
    weights_from_0_to_1,
)
