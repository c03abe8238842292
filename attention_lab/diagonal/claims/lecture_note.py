"""Claims of the lecture note on self-attention, whose elements are rows: X is n × s."""

import numpy as np

from attention_core.attention import attend
from attention_core.formulas import softmax
from attention_core.projections import Projections

from ..token_matrices import gaussian_tokens
from .record import (
    Measured,
    are_equal,
    fits,
    max_difference,
    score_deviations,
)

# Length n, width s, width d of a query, width d_o of a value.
N, S, D, D_O = 5, 6, 4, 3
NOTE_X = gaussian_tokens(N, S)
NOTE_LAYER = Projections.random(S, 1, d_k=D, d_v=D_O)
NOTE_TRACE = attend(NOTE_X, NOTE_LAYER)
A, VALUES, HEAD = (
    NOTE_TRACE.probabilities[0, 0],
    NOTE_TRACE.values[0],
    NOTE_TRACE.head_outputs[0, 0],
)


def output_without_sum() -> Measured:
    """Element i's own value, and the sum over all values, against the head's output."""
    own = A.sum(axis=1, keepdims=True) * VALUES
    summed = [sum(A[i, j] * VALUES[j] for j in range(N)) for i in range(N)]
    alone, over_j = (max_difference(y, HEAD) for y in (own, summed))
    return Measured(alone < 1e-9, over_j < 1e-9, alone, over_j)


def size_of_the_value_matrix() -> Measured:
    """X times a matrix of either size."""
    stated = np.zeros((N, S))
    right = fits(NOTE_X, NOTE_LAYER.w_v) and NOTE_TRACE.values.shape[2] == D_O
    return Measured(fits(NOTE_X, stated), right, NOTE_X, NOTE_LAYER.w_v, stated, D_O, D)


def rows_or_columns() -> Measured:
    """Which products of a row, or of a column, with W^q exist, and the score of two rows."""
    row, other = NOTE_X[:1], NOTE_X[1:2]
    right = (row @ NOTE_LAYER.w_q) @ (other @ NOTE_LAYER.w_k).T
    matches = are_equal(right, NOTE_TRACE.scores[0, 0, 0, 1])
    w_q = NOTE_LAYER.w_q
    return Measured(fits(w_q, row.T), fits(row, w_q) and matches, w_q, row, row.T)


def root_and_softmax() -> Measured:
    """The row sums, the smallest share and the largest share of a row, for inner products divided
    by √d and by other numbers; and the row sums of the inner products, and of those divided by √d.
    """
    scores = NOTE_TRACE.scores[0, 0]
    spreads = {"√d": D**0.5, "1": 1.0, "d": float(D)}
    shares = {name: softmax(scores / divisor) for name, divisor in spreads.items()}
    proper = all(
        weights.min() > 0 and are_equal(weights.sum(axis=1), 1) for weights in shares.values()
    )
    tops = [float(weights.max(axis=1).mean()) for weights in shares.values()]
    said = ", ".join(f"{top:.2f} ({name})" for name, top in zip(shares, tops, strict=True))
    alone = scores / D**0.5
    set_by_root = tops[2] < tops[0] < tops[1] and not are_equal(alone.sum(axis=1), 1)
    claimed, row = are_equal(shares["√d"], A) and proper, alone[0]
    return Measured(claimed, claimed and set_by_root, D**0.5, D, N, said, row.sum(), row.min())


def formula_without_softmax() -> Measured:
    """Values weighted with scaled scores, and with their softmax, against the head's output."""
    scaled = NOTE_TRACE.scaled_scores[0, 0]
    raw, soft = (max_difference(w @ VALUES, HEAD) for w in (scaled, softmax(scaled)))
    return Measured(raw < 1e-9, soft < 1e-9, raw, scaled[0].sum(), soft)


def divided_by_d() -> Measured:
    """The spread of Gaussian scores of width 64, divided by d and by √d."""
    by_d, by_root = score_deviations(64, 64, 8)
    return Measured(abs(by_d - 1) < 0.1, abs(by_root - 1) < 0.1, by_d, by_root)


def head_without_values() -> Measured:
    """The sizes of the softmax and of the softmax times the values."""
    right = HEAD.shape == (N, D_O) and are_equal(A @ VALUES, HEAD)
    return Measured(A.shape == (N, D), right, A, HEAD)


def size_of_the_output_matrix() -> Measured:
    """The joined heads of a layer whose d_v is not d, before matrices of either size."""
    heads = 2
    trace = attend(NOTE_X, Projections.random(S, heads, d_k=D, d_v=D_O))
    joined, right = trace.merged[0], np.asarray(trace.projections.w_o)
    stated = np.zeros((D * heads, S))
    return Measured(fits(joined, stated), fits(joined, right), D, D_O, heads, joined, right, stated)


def two_alphas() -> Measured:
    """The row sums of α in the note and of α in the slides."""
    note, slides = NOTE_TRACE.scaled_scores[0, 0].sum(axis=1), A.sum(axis=1)
    return Measured(are_equal(note, 1.0), are_equal(slides, 1.0), note[0], slides[0])


def direction_of_a_weight() -> Measured:
    """How much output 1 grows when value 4 grows by 1 in all features."""
    gained = (A @ (VALUES + np.eye(N)[:, [3]]) - HEAD)[0, 0]
    return Measured(
        are_equal(gained, A[3, 0]), are_equal(gained, A[0, 3]), gained, A[0, 3], A[3, 0]
    )


def divided_into() -> Measured:
    """√d divided by the inner products, and the reverse, against the scaled scores."""
    into, by = (
        max_difference(q, NOTE_TRACE.scaled_scores)
        for q in (D**0.5 / NOTE_TRACE.scores, NOTE_TRACE.scores / D**0.5)
    )
    return Measured(into < 1e-9, by < 1e-9, into, by)


def weights_from_0_to_1() -> Measured:
    """The smallest and largest weight, and the row sums; the weights of two tokens 30 and −30,
    and of two scores that are 745, 746, 36 and 37 apart.
    """
    far = attend([[30.0], [-30.0]], Projections.weightless(1)).probabilities
    inside = all(
        0 <= weights.min() <= weights.max() <= 1 and are_equal(weights.sum(axis=-1), 1.0)
        for weights in (A, far)
    )
    last, gone, near, one = (softmax(np.array([0.0, -lead])) for lead in (745.0, 746.0, 36.0, 37.0))
    ends = last[1] > 0 == gone[1] and near[0] < 1 == one[0]
    row = far[0, 0, 0]
    return Measured(
        inside, inside and bool(ends) and row.tolist() == [1, 0], A.min(), A.max(), N, row
    )
