"""Claims that are made in many places about scores and the softmax."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from attention_core.attention import attend
from attention_core.formulas import softmax
from attention_core.initialisation import Stream, generator

from .example_layer import HEADS, LAYER, TOKENS, WIDTH, X
from .record import ALWAYS, CONDITION, FALSE, Evidence, claims_of, difference, shown

claim = claims_of("popular")


@claim(
    "A large dot product means that two tokens are similar.",
    CONDITION,
    "With equal norms. Otherwise it may just mean that one of them is long.",
)
def dot_product_is_similarity() -> Evidence:
    """Scores of (1, 0) with itself and with (3, 3), and the same after all vectors are made
    equally long.
    """
    token, other = np.array([1.0, 0.0]), np.array([3.0, 3.0])
    cosine = float(token @ other / np.linalg.norm(other))
    says = (
        f"(1, 0) scores {token @ token:.0f} with itself and {token @ other:.0f} with (3, 3); at"
        f" equal length 1 and {cosine:.2f}."
    )
    return Evidence(bool(token @ token > token @ other), cosine < 1, says)


@claim(
    "Every bias of the projections matters.",
    FALSE,
    "The key bias adds the same number to all scores of a row, which the softmax takes away again."
    " b_Q and b_V matter.",
)
def key_bias() -> Evidence:
    """How far the output moves with a bias on queries, keys or values."""
    plain, bias = attend(X, LAYER).output, generator(0, Stream.W_Q).standard_normal(WIDTH)
    moves = {
        name: difference(attend(X, replace(LAYER, **{name: bias})).output, plain)  # type: ignore[arg-type]
        for name in ("b_q", "b_k", "b_v")
    }
    says = (
        "The output moves by "
        + ", ".join(f"{shown(move)} with {name}" for name, move in moves.items())
        + "."
    )
    return Evidence(
        min(moves.values()) > 1e-9, moves["b_k"] < 1e-9 < min(moves["b_q"], moves["b_v"]), says
    )


@claim(
    "The temperature decides which token gets the most attention.",
    FALSE,
    "It decides how much more. No temperature above 0 changes the order within a row.",
)
def temperature_decides() -> Evidence:
    """The favourites and the largest shares at temperatures ¼, 1 and 4."""
    scaled = attend(X, LAYER).scaled_scores[0]
    shares = [softmax(scaled / temperature) for temperature in (0.25, 1.0, 4.0)]
    favourites = {tuple(row.argmax(axis=-1).ravel().tolist()) for row in shares}
    tops = ", ".join(f"{row.max(axis=-1).mean():.2f}" for row in shares)
    says = (
        f"The favourites of all {HEADS * TOKENS} rows stay; the largest share is {tops} on average."
    )
    return Evidence(len(favourites) > 1, len(favourites) == 1, says)


@claim(
    "Masking with −1e9 is as good as −∞.",
    CONDITION,
    "In every row in which some key is visible. Where none is, −1e9 in place of the scores gives"
    " uniform attention to what must not be seen; added to them in float64, it gives that without a"
    " mask.",
)
def minus_a_billion() -> Evidence:
    """Both maskings of a row with two visible keys, and of a row with none."""
    scores = np.array([0.3, -1.2, 0.8, 0.1])
    visible = np.array([True, True, False, False])
    some, none = (
        difference(softmax(np.where(seen, scores, -1e9)), softmax(np.where(seen, scores, -np.inf)))
        for seen in (visible, visible & False)
    )
    says = (
        f"The shares differ by {shown(some)} in a row that sees something, by {none:.2f} in a row"
        " that sees nothing."
    )
    return Evidence(none < 1e-9, some < 1e-9, says)


@claim(
    "Adding the same number to all scores of a row changes nothing.",
    ALWAYS,
    "The softmax sees differences only; that is why the maximum may be subtracted first.",
)
def shift_of_a_row() -> Evidence:
    """The softmax of scores, and of scores plus 100."""
    scores = attend(X, LAYER).scaled_scores
    gap = difference(softmax(scores + 100), softmax(scores))
    return Evidence(
        gap < 1e-9, gap < 1e-9, f"All scores + 100: the weights differ by {shown(gap)}."
    )
