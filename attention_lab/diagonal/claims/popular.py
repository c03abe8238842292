"""Claims that are made in many places."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from attention_core.attention import attend
from attention_core.checks import Array
from attention_core.formulas import softmax
from attention_core.initialisation import Stream, generator
from attention_core.projections import Projections

from ...heads.weight_blocks import head_contributions
from ...labs.backward import layer_gradients
from ...labs.circuit_settings import N_LETTERS, N_STEPS, CircuitSettings
from ...labs.training_runs import circuit_score
from ..geometry import in_hull
from ..token_matrices import gaussian_tokens
from .record import (
    HEADS,
    LAYER,
    TOKENS,
    WIDTH,
    Measured,
    X,
    are_equal,
    format_gap,
    head_0_of,
    max_difference,
    multiplications,
    shuffling_gaps,
)

ORDER = np.array([2, 0, 4, 1, 3])


def permutation_invariant() -> Measured:
    """The output of shuffled tokens against the output, and against the shuffled output."""
    plain, shuffled = attend(X, LAYER).output[0], attend(X[ORDER], LAYER).output[0]
    gaps = max_difference(shuffled, plain), max_difference(shuffled, plain[ORDER])
    return Measured(gaps[0] < 1e-9, gaps[1] < 1e-9, gaps)


def blind_to_order() -> Measured:
    """The output of shuffled tokens against the shuffled output, without and with a causal mask."""
    free, causal = shuffling_gaps(X, LAYER, ORDER)
    return Measured(causal < 1e-9, free < 1e-9 and causal > 0.01, free, causal)


def weights_explain() -> Measured:
    """Attention moved between two tokens with the same value, and between two with different
    ones.
    """
    values, A = X[[0, 0, 1, 2, 3]], attend(X, LAYER).probabilities[0, 0]
    moved, elsewhere = A[:, [1, 0, 2, 3, 4]], A[:, [2, 1, 0, 3, 4]]
    same_values = max_difference(moved @ values, A @ values)
    other_values = max_difference(elsewhere @ values, A @ values)
    weights = max_difference(moved, A)
    is_right = weights > 0.01 and same_values < 1e-9 < other_values
    return Measured(same_values > 1e-9, is_right, weights, same_values, other_values)


def dot_product_is_similarity() -> Measured:
    """Scores of (1, 0) with itself and with (3, 3), also after all vectors get the same length."""
    token, other = np.array([1.0, 0.0]), np.array([3.0, 3.0])
    cosine = float(token @ other / np.linalg.norm(other))
    return Measured(
        bool(token @ token > token @ other), cosine < 1, token @ token, token @ other, cosine
    )


def key_bias() -> Measured:
    """How far the output moves with a bias on queries, keys or values, and with b_q if a query sees
    one key. And how far shares move with b_k in each layer where it matters.
    """
    bias = generator(0, Stream.W_Q).standard_normal(WIDTH)

    def moved(name: str, keys: int = TOKENS) -> float:
        biased = replace(LAYER, **{name: bias})  # type: ignore[arg-type]
        return max_difference(*(attend(X, p, memory=X[:keys]).output for p in (LAYER, biased)))

    moves = {name: moved(name) for name in ("b_q", "b_k", "b_v")}
    one_key = moved("b_q", keys=1)
    queries, keys = X / np.sqrt(WIDTH), X[::-1]
    shares_move = {
        name: max_difference(shares(queries, keys), shares(queries, keys + bias))
        for name, shares in KEY_BIAS_MATTERS.items()
    }
    moved_by = ", ".join(f"{format_gap(move)} with {name}" for name, move in moves.items())
    exceptions = ", ".join(f"{move:.2f} with {name}" for name, move in shares_move.items())
    plain = moves["b_k"] < 1e-9 < min(moves["b_q"], moves["b_v"])
    is_right = plain and one_key < 1e-9 and min(shares_move.values()) > 0.01
    return Measured(min(moves.values()) > 1e-9, is_right, moved_by, one_key, exceptions)


def _turned(tokens: Array) -> Array:
    """Tokens as complex numbers, token i turned by i radians."""
    turn_T1 = np.exp(1j * np.arange(len(tokens)))[:, np.newaxis]
    return np.asarray((tokens[:, 0::2] + 1j * tokens[:, 1::2]) * turn_T1)


def _with_sink(scores: Array) -> Array:
    """Shares of the scores beside one more score of 0 in each row, whose share is left out."""
    return softmax(np.pad(scores, ((0, 0), (0, 1))))[:, :-1]


# Layers in which the shares depend on a key bias: shares from queries, already
# scaled, and keys, (T, d) each.
KEY_BIAS_MATTERS: dict[str, Callable[[Array, Array], Array]] = {
    "a soft cap of 1": lambda q, k: softmax(np.tanh(q @ k.T)),
    "turned keys": lambda q, k: softmax((_turned(q) @ _turned(k).conj().T).real),
    "normalised keys": lambda q, k: softmax(q @ (k / np.linalg.norm(k, axis=1, keepdims=True)).T),
    "a sink": lambda q, k: _with_sink(q @ k.T),
    "a key of zeros": lambda q, k: softmax(q @ np.pad(k, ((0, 1), (0, 0))).T),
    "a sigmoid": lambda q, k: 1 / (1 + np.exp(-q @ k.T)),
}


def temperature_decides() -> Measured:
    """The largest weight of each row and its key at the temperatures ¼, 1 and 4: without a bias,
    and with a bias that falls with the distance.
    """
    scaled, place = attend(X, LAYER).scaled_scores[0], np.arange(TOKENS)
    changed, largest = [], []
    for bias in (0.0, -np.abs(place[:, np.newaxis] - place) / 2):
        shares = [softmax(scaled / temperature + bias) for temperature in (0.25, 1.0, 4.0)]
        cold, _, hot = (one.argmax(axis=-1) for one in shares)
        changed.append(int((cold != hot).sum()))
        largest.append(", ".join(f"{one.max(axis=-1).mean():.2f}" for one in shares))
    (free, biased), tops = changed, largest[0]
    return Measured(free > 0, free == 0 < biased, HEADS * TOKENS, tops, biased)


def adding_heads() -> Measured:
    """The sum of the heads' contributions against the output."""
    trace = attend(X, LAYER)
    gap = max_difference(head_contributions(trace).sum(axis=1), trace.output)
    return Measured(gap > 1e-9, gap < 1e-9, HEADS, gap)


def heads_differ() -> Measured:
    """How far the gradients of two heads' W_Q differ: for equal heads, for heads that differ only
    in their rows of W_O, and for different heads.
    """
    first, w_o = head_0_of(LAYER), np.asarray(LAYER.w_o)
    alike = Projections.from_heads([first, first], np.vstack([w_o[:3]] * HEADS))
    own_rows = Projections.from_heads([first, first], w_o)
    gaps = []
    for weights in (alike, own_rows, LAYER):
        trace = attend(X, weights)
        gradient = np.asarray(layer_gradients(trace, trace.output - X)["w_q"])
        gaps.append(max_difference(gradient[:, :3], gradient[:, 3:]))
    return Measured(min(gaps) > 1e-9, gaps[0] < 1e-9 < min(gaps[1:]), gaps)


def minus_a_billion() -> Measured:
    """Both masks in a row with two visible keys, in a row with none, and in a row whose two visible
    keys score −2e9; and −1e9 in float16.
    """
    scores = np.array([0.3, -1.2, 0.8, 0.1])
    visible = np.array([True, True, False, False])
    some, none, low = (
        max_difference(softmax(np.where(seen, row, -1e9)), softmax(np.where(seen, row, -np.inf)))
        for row, seen in ((scores, visible), (scores, visible & False), (scores - 2e9, visible))
    )
    with np.errstate(over="ignore"):
        half = float(np.float16(-1e9))
    least = float(np.finfo(np.float16).min)
    right = some < 1e-9 < min(none, low) and least == -65504 and np.isneginf(half)
    return Measured(max(none, low) < 1e-9, bool(right), some, none, low, least, half)


def twice_as_long() -> Measured:
    """The ratio of multiplications for a doubled length, C = 512."""
    short, long = (
        multiplications(2 * n, 512, 512) / multiplications(n, 512, 512) for n in (128, 131_072)
    )
    return Measured(short > 3.9, long > 3.9 and short < 2.5, short, long)


def average_of_the_input() -> Measured:
    """Head outputs in the hull of the values; outputs of a layer with a residual connection in the
    hull of the inputs.
    """
    trace = attend(gaussian_tokens(16, 4), Projections.random(4, 1), residual=True)
    heads = sum(in_hull(row, trace.values[0]) for row in trace.head_outputs[0, 0])
    outputs = sum(in_hull(row, trace.inputs[0]) for row in trace.output[0])
    return Measured(outputs == 16, heads == 16, heads, outputs)


def learned_matrices() -> Measured:
    """Queries and W_Q of two sentences."""
    one, other = attend(X, LAYER), attend(X[::-1] + 1, LAYER)
    moved = max_difference(one.queries, other.queries)
    kept = are_equal(one.projections.w_q, other.projections.w_q)
    return Measured(moved < 1e-9, kept and moved > 0.01, moved)


def shift_of_a_row() -> Measured:
    """The softmax of scores, and of scores plus 100."""
    scores = attend(X, LAYER).scaled_scores
    gap = max_difference(softmax(scores + 100), softmax(scores))
    return Measured(gap < 1e-9, gap < 1e-9, gap)


def one_layer_cannot() -> Measured:
    """The stored models of one and of two layers on letters that repeat."""
    one, two = (circuit_score(CircuitSettings(n_layers, 2), N_STEPS).right for n_layers in (1, 2))
    return Measured(one < 1 / N_LETTERS, one < 0.5 < 0.9 < two, 100 * one, 100 * two)
