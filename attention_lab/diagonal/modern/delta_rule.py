"""The delta rule: attention without a softmax, whose memory is a matrix that every token corrects.

A token reads with its key what the state holds for it, and writes β times the difference to its
value. Three forms give the same output: the recurrence, the causal product of queries and keys with
what was written, and one inverse.
"""

from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array, number_between
from attention_core.errors import SettingsError
from attention_core.numbers import check_range


@dataclass(frozen=True)
class DeltaRule:
    """beta: which part of the difference a token writes, 0 to 1. decay: which part of the state is
    kept from one token to the next, 0 to 1; below 1 the rule is gated.

    Raises: SettingsError. Source: Schlag, Irie and Schmidhuber 2021; with a decay Yang et al. 2025
    (Gated DeltaNet).
    """

    beta: float = 1.0
    decay: float = 1.0

    def __post_init__(self) -> None:
        number_between("beta", self.beta, 0.0, 1.0)
        number_between("decay", self.decay, 0.0, 1.0)


@dataclass(frozen=True, eq=False)
class Correction:
    """What one token does to the state. Shapes: state before (decayed) and after (K, V), key and
    query (K,), value, read, change and output (V,).

    read: what the state holds for the key, and what is erased; change: the value minus that.
    """

    before: Array
    key: Array
    query: Array
    value: Array
    read: Array
    change: Array
    after: Array
    output: Array


def unit_vectors(x_TD: Array) -> Array:
    """Every vector divided by its length; a vector of zeros stays. Shapes: (T, D). Raises:
    SettingsError for squares that leave the range of float.

    >>> unit_vectors(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    with np.errstate(over="ignore"):
        length_T1 = np.linalg.norm(x_TD, axis=-1, keepdims=True)
    check_range(length_T1)
    unit_TD: Array = x_TD / np.where(length_T1 > 0, length_T1, 1.0)
    return unit_TD


def corrections(
    query_TK: Array, key_TK: Array, value_TV: Array, rule: DeltaRule
) -> list[Correction]:
    """The recurrence: S ← decay · S, then S ← S + β k (v − kᵀS); the token reads o = Sᵀ q.

    Shapes: (T, K), (T, K), (T, V). Keys are unit vectors.
    """
    state_KV = np.zeros((key_TK.shape[1], value_TV.shape[1]))
    by_token = []
    for query, key, value in zip(query_TK, key_TK, value_TV, strict=True):
        before = rule.decay * state_KV
        read = key @ before
        change = value - read
        state_KV = before + rule.beta * np.outer(key, change)
        made = (before, key, query, value, read, change, state_KV, query @ state_KV)
        by_token.append(Correction(*made))
    return by_token


def kept(n_tokens: int, decay: float) -> Array:
    """Which part of what token j wrote is left at token i: decay^(i − j), 0 for later tokens.

    Shapes: (T, T).

    >>> kept(3, 0.5).tolist()
    [[1.0, 0.0, 0.0], [0.5, 1.0, 0.0], [0.25, 0.5, 1.0]]
    """
    place_T = np.arange(n_tokens)
    age_TT = place_T[:, np.newaxis] - place_T
    parts: Array = np.where(age_TT >= 0, float(decay) ** np.maximum(age_TT, 0), 0.0)
    return parts


def delta_weights(query_TK: Array, key_TK: Array, rule: DeltaRule) -> Array:
    """How much of every value each token's output holds: β L (I + β N)⁻¹ with L the causal part of
    Q Kᵀ and N that of K Kᵀ below the diagonal, both with the decay.

    Shapes: (T, K), (T, K) -> (T, T), 0 above the diagonal. Raises: SettingsError for lengths other
    than 1 of keys that are not 0.
    """
    squares_T = np.square(key_TK).sum(axis=-1)
    if not np.allclose(squares_T[squares_T > 0], 1.0):
        raise SettingsError("the keys of the delta rule must have length 1: divide each by its own")
    parts_TT = kept(len(key_TK), rule.decay)
    read_TT = parts_TT * (query_TK @ key_TK.T)
    earlier_TT = np.tril(parts_TT * (key_TK @ key_TK.T), -1)
    inverse_TT = np.linalg.inv(np.eye(len(key_TK)) + rule.beta * earlier_TT)
    weights: Array = rule.beta * read_TT @ inverse_TT
    return weights


def closed_form(key_TK: Array, rule: DeltaRule) -> Array:
    """The same weights where every query is its key: I − (1 − β)(I + β N)⁻¹. Shapes: (T, K) -> (T,
    T). Keys are unit vectors.
    """
    earlier_TT = np.tril(kept(len(key_TK), rule.decay) * (key_TK @ key_TK.T), -1)
    inverse_TT = np.linalg.inv(np.eye(len(key_TK)) + rule.beta * earlier_TT)
    weights: Array = np.eye(len(key_TK)) - (1 - rule.beta) * inverse_TT
    return weights
