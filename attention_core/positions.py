"""Where a token stands, told to the heads: rotary positions, which turn queries and keys, and
ALiBi, which lowers the scores of distant keys.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .checks import Array, check_choice, number_between, whole_number
from .errors import SettingsError
from .numbers import MAX_SCORES, check_room

PAIRS = ("neighbours", "halves")
MAX_BASE = 1e12
MAX_START = 2**31


@dataclass(frozen=True)
class Rotary:
    """Rotary positions: the features of a query or key form pairs, and each pair is turned by an
    angle that grows with the position.

    Pair p of a head of width K turns by position / base^(2p/K) radians. pairs: "neighbours" pairs
    features 2p and 2p + 1 (the paper, GPT-J); "halves" pairs p and p + K/2 (Llama, Qwen, Gemma in
    Hugging Face). start: the position of the first query and of the first key. Raises:
    SettingsError.
    Source: Su et al. 2021 (RoFormer), equations 14, 15 and 34.
    """

    base: float = 10_000.0
    pairs: str = "neighbours"
    start: int = 0

    def __post_init__(self) -> None:
        number_between("base", self.base, 1.0, MAX_BASE)
        check_choice("pairs", self.pairs, PAIRS)
        whole_number("start", self.start, -MAX_START, MAX_START)


def pair_members(d_k: int, pairs: str) -> tuple[Array, Array]:
    """For every feature, the first and the second feature of its pair.

    >>> [members.tolist() for members in pair_members(4, "halves")]
    [[0, 1, 0, 1], [2, 3, 2, 3]]
    """
    feature_K = np.arange(d_k)
    if pairs == "neighbours":
        first_K = feature_K // 2 * 2
        return first_K, first_K + 1
    first_K = feature_K % (d_k // 2)
    return first_K, first_K + d_k // 2


def rotation(rotary: Rotary, n_tokens: int, d_k: int, dtype: Any = np.float64) -> Array:
    """What each member of its pair counts in a turned feature: cos and -sin for the first feature
    of a pair, sin and cos for the second.

    Shapes: (T, 2, K), for position, member, turned feature.

    >>> rotation(Rotary(start=1), 1, 2).round(2).tolist()
    [[[0.54, 0.84], [-0.84, 0.54]]]
    """
    first_K, _ = pair_members(d_k, rotary.pairs)
    is_first_K = first_K == np.arange(d_k)
    pair_K = first_K // 2 if rotary.pairs == "neighbours" else first_K
    position_T1 = np.arange(rotary.start, rotary.start + n_tokens)[:, np.newaxis]
    angle_TK = position_T1 / float(rotary.base) ** (2 * pair_K / d_k)
    cosine_TK, sine_TK = np.cos(angle_TK), np.sin(angle_TK)
    of_first_TK = np.where(is_first_K, cosine_TK, sine_TK)
    of_second_TK = np.where(is_first_K, -sine_TK, cosine_TK)
    rotation_T2K: Array = np.stack([of_first_TK, of_second_TK], axis=1).astype(dtype)
    return rotation_T2K


def turn(heads_BHTK: Array, rotary: Rotary) -> Array:
    """Turn every pair of features by the angle of its position. No vector becomes longer.

    Shapes: (B, H, T, K), kept.
    """
    n_tokens, d_k = heads_BHTK.shape[2:]
    rotation_T2K = rotation(rotary, n_tokens, d_k, heads_BHTK.dtype)
    members = (slice(0, None, 2), slice(1, None, 2))
    if rotary.pairs == "halves":
        members = (slice(0, d_k // 2), slice(d_k // 2, None))
    first_BHTP, second_BHTP = (heads_BHTK[..., member] for member in members)
    turned = np.empty(heads_BHTK.shape, heads_BHTK.dtype)
    for member in members:
        of_first_TP, of_second_TP = rotation_T2K[..., member].swapaxes(0, 1)
        turned[..., member] = first_BHTP * of_first_TP + second_BHTP * of_second_TP
    return turned


def pair_order(d_k: int, to: str = "halves") -> Array:
    """The order of a head's features in the other layout of pairs: vector[order] has its pairs
    where `to` expects them.

    Shapes: (K,) whole numbers. Raises: SettingsError.

    >>> pair_order(6).tolist(), pair_order(6, "neighbours").tolist()
    ([0, 2, 4, 1, 3, 5], [0, 3, 1, 4, 2, 5])
    """
    check_choice("to", to, PAIRS)
    check_even(whole_number("d_k", d_k, 1))
    check_room(d_k=d_k)
    pairs = (-1, 2) if to == "halves" else (2, -1)
    return np.arange(d_k).reshape(pairs).T.ravel()


def check_even(d_k: int) -> None:
    """Raises: SettingsError where the features of a head do not form pairs."""
    if d_k % 2:
        raise SettingsError(
            f"rotary positions turn pairs of features, but a query of these projections has {d_k};"
            " choose an even d_k"
        )


def alibi_slopes(n_heads: int) -> Array:
    """By how much each head lowers a score for every step of distance.

    For a power of 2 they are a geometric row that ends at 1/256; for other counts that of the next
    lower power, then every second slope of twice that power. Shapes: (H,). Raises: SettingsError.
    Source: Press, Smith and Lewis 2022 (ALiBi), section 3, and `get_slopes` of their code.

    >>> alibi_slopes(3).tolist()
    [0.0625, 0.00390625, 0.25]
    """
    count = whole_number("n_heads", n_heads, 1)
    check_room(n_heads=count)
    power = 2 ** int(math.log2(count))
    between_H = 2.0 ** (-8 * np.arange(1, 2 * power + 1, 2) / (2 * power))
    slopes_H = 2.0 ** (-8 * np.arange(1, power + 1) / power)
    return np.concatenate([slopes_H, between_H])[:count]


def alibi_bias(n_heads: int, T: int, S: int | None = None) -> Array:
    """ALiBi: a bias that lowers each score by the head's slope times the distance of query and key.

    Shapes: (H, T, S); S is T when not given. Raises: SettingsError.
    Source: Press, Smith and Lewis 2022, section 3; without a causal mask both sides are lowered.

    >>> alibi_bias(8, 2)[0].tolist()
    [[0.0, -0.5], [-0.5, 0.0]]
    """
    n_queries = whole_number("T", T, 0)
    n_keys = n_queries if S is None else whole_number("S", S, 0)
    slopes_H11 = alibi_slopes(n_heads)[:, np.newaxis, np.newaxis]
    check_room(MAX_SCORES, n_heads=len(slopes_H11), T=n_queries, S=n_keys)
    distance_TS = np.abs(np.arange(n_queries)[:, np.newaxis] - np.arange(n_keys))
    bias_HTS: Array = -slopes_H11 * distance_TS
    return bias_HTS + 0.0  # no negative zeros
