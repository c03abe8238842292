"""A layer made by hand: eight named features, and two heads whose weights can be read.

A token's vector holds its part of speech, a 1, and its position as an angle. Head 0 finds the noun
that a pronoun stands for, head 1 the token before. `attend` runs them like any other weights.

Every number is a whole number of halves or eighths, so that all products and sums are exact: what
cancels on paper is 0 here, too. The shares of the first example add up to 1 as they are shown, with
two decimals.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from attention_core.checks import Array
from attention_core.projections import Projections

from .words.embeddings import Embedding
from .words.text import PADDING_TOKEN

HANDMADE_FEATURES = ("noun", "animate", "pronoun", "verb", "other", "one", "cos", "sin")
D_MODEL, N_HEADS, HEAD_WIDTH = 8, 2, 4
N_POSITIONS = 12  # a token has the same angle as the one twelve before it
UNUSED_COLUMN = "unused"
NAME, OTHER = ("animate", "noun"), ("other",)  # of words that the lexicon lacks

# I, you and we stand for whoever speaks or listens: they are animate themselves. The other pronouns
# get this from the noun that they stand for.
WORD_FEATURES: Mapping[str, tuple[str, ...]] = {
    word: tuple(kind.split())
    for kind, lines in json.loads(
        Path(__file__).with_name("by_hand.json").read_text(encoding="utf-8")
    ).items()
    for word in " ".join(lines).split()
}
Mix = dict[str, float]  # features and their weights

_ACROSS, _ALONG = 20.0, 36.0  # about 40 times the sine and cosine of one step of the circle


@dataclass(frozen=True)
class HandmadeHead:
    """The weights of a head, column by column; columns that are not listed hold zeros.

    queries, keys: the features in each named column. copies: the features that the values hold.
    gives: the weight of each in the output. asks_for: what every query asks for, in words, where
    the names of the columns do not say it.
    """

    queries: Mapping[str, Mix]
    keys: Mapping[str, Mix]
    copies: tuple[str, ...]
    gives: Mix
    asks_for: str = ""


HANDMADE_HEADS = (
    # The scaled score of a pronoun is 5 with a noun, and 2 more with an animate noun.
    HandmadeHead(
        {"noun?": {"pronoun": 10, "verb": 3}, "animate?": {"pronoun": 4, "verb": 3}},
        {"noun": {"noun": 1}, "animate": {"animate": 1}},
        ("noun", "animate", "pronoun", "verb"),
        {"noun": 1, "animate": 1},
    ),
    # The query is about 40 times the cosine and sine of the token's angle, rotated one position
    # back.
    HandmadeHead(
        {
            "before cos": {"cos": _ALONG, "sin": _ACROSS},
            "before sin": {"cos": -_ACROSS, "sin": _ALONG},
        },
        {"cos": {"cos": 1}, "sin": {"sin": 1}},
        ("noun", "animate", "verb", "other"),
        {"verb": 0.5, "other": 0.5},
        asks_for="the word before",
    ),
)


def part_of_speech(token: str) -> tuple[str, ...]:
    """The parts of speech of a token. A word that is not in the lexicon is a name if it begins with
    a capital letter, else "other".

    >>> part_of_speech("Cat"), part_of_speech("Alice’s"), part_of_speech("zorp")
    (('animate', 'noun'), ('animate', 'noun'), ('other',))
    """
    return _in_lexicon(token) or (NAME if _stem(token).istitle() else OTHER)


def unknown_words(tokens: Sequence[str]) -> tuple[str, ...]:
    """The different words that count as "other" because the lexicon lacks them; numbers, marks and
    emoji are no words.

    >>> unknown_words(["the", "zorp", "and", "Alice", "zorp", "7", "[pad]"])
    ('zorp',)
    """
    words = dict.fromkeys(t for t in tokens if t != PADDING_TOKEN and any(map(str.isalpha, t)))
    return tuple(t for t in words if not _in_lexicon(t) and part_of_speech(t) == OTHER)


def finds_something(tokens: Sequence[str]) -> bool:
    """Whether head 0 has a score that is not 0: a token asks, and a token answers.

    >>> finds_something(["dogs", "bark"]), finds_something(["hello"]), finds_something(["it"])
    (True, False, False)
    """
    found = {part for token in tokens for part in part_of_speech(token)}
    sides = (HANDMADE_HEADS[0].queries, HANDMADE_HEADS[0].keys)
    return all(any(found & mix.keys() for mix in side.values()) for side in sides)


def _in_lexicon(token: str) -> tuple[str, ...]:
    """The parts of speech of a word in the lexicon, also with 's or n't at its end; else none."""
    word = token.casefold().replace("’", "'")
    forms = (word, word.removesuffix("n't"), _stem(word))
    return next((WORD_FEATURES[form] for form in forms if form in WORD_FEATURES), ())


def _stem(token: str) -> str:
    """What stands before an apostrophe."""
    return token.replace("’", "'").partition("'")[0]


def named_vectors(tokens: Sequence[str]) -> Embedding:
    """The vectors of tokens: their parts of speech, plus the cosine and sine of their positions,
    rounded to eighths.

    Shapes: T tokens -> three times (T, 8).

    >>> named_vectors(["the", "cat"]).words[1].tolist()
    [1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]
    """
    words_TD = np.stack(
        [_vector(dict.fromkeys((*part_of_speech(token), "one"), 1.0)) for token in tokens]
    )
    angles_T = 2 * math.pi / N_POSITIONS * np.arange(len(tokens))
    places_TD = np.zeros_like(words_TD)
    places_TD[:, HANDMADE_FEATURES.index("cos")] = _in_eighths(np.cos(angles_T))
    places_TD[:, HANDMADE_FEATURES.index("sin")] = _in_eighths(np.sin(angles_T))
    return Embedding(words_TD, places_TD, words_TD + places_TD)


def _in_eighths(numbers: Array) -> Array:
    """Numbers rounded to eighths; 0 has no sign."""
    rounded: Array = np.rint(8 * numbers) / 8 + 0.0
    return rounded


def position_notes(n_tokens: int) -> tuple[str, ...]:
    """A note for sentences that are longer than the circle of positions."""
    if n_tokens < N_POSITIONS - 1:
        return ()
    return (
        f"Weights by hand know {N_POSITIONS} positions, which lie on a circle. The first token"
        " takes the last position for the one before it, and a longer sentence goes round again.",
    )


def handmade_projections() -> Projections:
    """The weights of both heads. Shapes: each of the four matrices (8, 8)."""
    triples, rows = [], []
    for head in HANDMADE_HEADS:
        copied = np.stack([_vector({feature: 1.0}) for feature in head.copies])
        triples.append((_columns(head.queries), _columns(head.keys), copied.T))
        given = np.array([head.gives.get(feature, 0.0) for feature in head.copies])
        rows.append(given[:, np.newaxis] * copied)
    return Projections.from_heads(triples, np.vstack(rows))


def _columns(mixes: Mapping[str, Mix]) -> Array:
    """A head's columns side by side. Shapes: (8, 4)."""
    columns_DK = np.zeros((D_MODEL, HEAD_WIDTH))
    for column, mix in enumerate(mixes.values()):
        columns_DK[:, column] = _vector(mix)
    return columns_DK


def _vector(mix: Mapping[str, float]) -> Array:
    return np.array([float(mix.get(feature, 0)) for feature in HANDMADE_FEATURES])
