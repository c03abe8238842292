"""Claims that are made in many places about scores and the softmax."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from attention_core.attention import attend
from attention_core.checks import Array
from attention_core.formulas import softmax
from attention_core.initialisation import Stream, generator

from .record import (
    ALWAYS,
    CONDITION,
    EXAMPLE_HEADS,
    EXAMPLE_LAYER,
    EXAMPLE_TOKENS,
    EXAMPLE_WIDTH,
    EXAMPLE_X,
    FALSE,
    Evidence,
    claims_of,
    format_gap,
    max_difference,
)

claim = claims_of("popular")


@claim(
    "A large dot product means that two tokens are similar.",
    CONDITION,
    "This holds for tokens of equal norm. Otherwise one of them may just be long.",
)
def dot_product_is_similarity() -> Evidence:
    """Scores of (1, 0) with itself and with (3, 3), also after all vectors get the same length."""
    token, other = np.array([1.0, 0.0]), np.array([3.0, 3.0])
    cosine = float(token @ other / np.linalg.norm(other))
    sentence = (
        f"(1, 0) scores {token @ token:.0f} with itself and {token @ other:.0f} with (3, 3). If"
        f" both have length 1, the scores are 1 and {cosine:.2f}."
    )
    return Evidence(bool(token @ token > token @ other), cosine < 1, sentence)


@claim(
    "Every bias of the projections matters.",
    CONDITION,
    "b_V matters, and b_Q matters where a query sees more than one key. The key bias b_K adds the"
    " same number to all scores of a row, which does not change the softmax. It matters only with a"
    " soft cap, or where keys are rotated by their position (RoPE).",
)
def key_bias() -> Evidence:
    """How far the output moves with a bias on queries, keys or values; with b_q if a query sees one
    key; with b_k if scores are capped. And how far shares move with b_k if keys are rotated.
    """
    bias = generator(0, Stream.W_Q).standard_normal(EXAMPLE_WIDTH)

    def moved(name: str, keys: int = EXAMPLE_TOKENS, softcap: float | None = None) -> float:
        biased = replace(EXAMPLE_LAYER, **{name: bias})  # type: ignore[arg-type]
        outputs = [
            attend(EXAMPLE_X, p, memory=EXAMPLE_X[:keys], softcap=softcap).output
            for p in (EXAMPLE_LAYER, biased)
        ]
        return max_difference(*outputs)

    moves = {name: moved(name) for name in ("b_q", "b_k", "b_v")}
    one_key, capped, turned = moved("b_q", keys=1), moved("b_k", softcap=1.0), _turned_keys(bias)
    moved_by = ", ".join(f"{format_gap(move)} with {name}" for name, move in moves.items())
    sentence = (
        f"The output moves by {moved_by}. It moves by {format_gap(one_key)} with b_q if there is"
        f" one key, and by {capped:.2f} with b_k under a soft cap of 1. If keys are rotated by"
        f" their position, b_k moves the shares by {turned:.2f}."
    )
    plain = moves["b_k"] < 1e-9 < min(moves["b_q"], moves["b_v"])
    return Evidence(
        min(moves.values()) > 1e-9, plain and one_key < 1e-9 < min(capped, turned), sentence
    )


def _turned_keys(bias: Array) -> float:
    """How far shares move with a key bias. The query and key of token i, as complex numbers, are
    turned by i radians.
    """
    turn_T1 = np.exp(1j * np.arange(EXAMPLE_TOKENS))[:, np.newaxis]
    query, key, shift = (
        pairs[..., 0::2] + 1j * pairs[..., 1::2] for pairs in (EXAMPLE_X, EXAMPLE_X[::-1], bias)
    )
    shares = [
        softmax(((query * turn_T1) @ (keys * turn_T1).conj().T).real) for keys in (key, key + shift)
    ]
    return max_difference(*shares)


@claim(
    "The temperature decides which token gets the most attention.",
    FALSE,
    "It decides how much more attention that token gets. A temperature above 0 that divides"
    " everything in the softmax does not change the order within a row. A bias that is added"
    " afterwards, as in ALiBi, is not divided. It counts more at a higher temperature and may"
    " change the order.",
)
def temperature_decides() -> Evidence:
    """The largest weight of each row and its key at the temperatures ¼, 1 and 4: without a bias,
    and with a bias that falls with the distance.
    """
    scaled, place = attend(EXAMPLE_X, EXAMPLE_LAYER).scaled_scores[0], np.arange(EXAMPLE_TOKENS)
    distance_bias = -np.abs(place[:, np.newaxis] - place) / 2
    best_keys = []
    for bias in (0 * distance_bias, distance_bias):
        shares = [softmax(scaled / temperature + bias) for temperature in (4.0, 1.0, 0.25)]
        best_keys.append([row.argmax(axis=-1).ravel() for row in shares])
    tops = ", ".join(
        f"{softmax(scaled / temperature).max(axis=-1).mean():.2f}"
        for temperature in (0.25, 1.0, 4.0)
    )
    free, biased = (int((cold != hot).sum()) for hot, _, cold in best_keys)
    sentence = (
        "At the temperatures ¼, 1 and 4 the key with the largest weight is the same in all"
        f" {EXAMPLE_HEADS * EXAMPLE_TOKENS} rows. The largest weight is {tops} on average. With a"
        f" bias that falls with the distance, the key changes in {biased} rows."
    )
    return Evidence(free > 0, free == 0 < biased, sentence)


@claim(
    "Masking with −1e9 is as good as −∞.",
    CONDITION,
    "This holds in float32 and float64, in a row where the score of some visible key is far above"
    " −1e9. In a row without a visible key, −1e9 in place of the scores gives uniform attention to"
    " hidden keys; −1e9 added to the scores in float64 gives the attention without a mask. float16"
    " ends at −65,504: there −1e9 is −∞ or an error.",
)
def minus_a_billion() -> Evidence:
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
    sentence = (
        f"The weights differ by {format_gap(some)} in a row with visible keys, by {none:.2f} in a"
        f" row without, and by {low:.2f} if all visible keys score below −1e9. The smallest number"
        f" of float16 is {least:,.0f}, and −1e9 becomes {half}."
    )
    right = some < 1e-9 < min(none, low) and least == -65504 and np.isneginf(half)
    return Evidence(max(none, low) < 1e-9, bool(right), sentence)


@claim(
    "Adding the same number to all scores of a row changes nothing.",
    ALWAYS,
    "The softmax depends only on differences of scores. That is why the maximum may be subtracted"
    " first.",
)
def shift_of_a_row() -> Evidence:
    """The softmax of scores, and of scores plus 100."""
    scores = attend(EXAMPLE_X, EXAMPLE_LAYER).scaled_scores
    gap = max_difference(softmax(scores + 100), softmax(scores))
    return Evidence(
        gap < 1e-9, gap < 1e-9, f"All scores + 100: the weights differ by {format_gap(gap)}."
    )
