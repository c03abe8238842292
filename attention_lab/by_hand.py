"""Two layers made by hand: named features, and heads whose weights can be read.

A token's vector holds its part of speech, a 1, and its position as an angle. In the first layer
head 0 finds the noun that a pronoun stands for, head 1 the token before. In the second layer words
have a gender and a number, too, and a head matches each; so a verb finds the word it agrees with.
`attend` runs them like any other weights.
The idea that parts of an embedding carry gender and number is that of Doshi (part 3); in a trained
model such parts are neither pure nor in fixed places.

Every number is a whole number of halves or eighths, so that all products and sums are exact: what
cancels on paper is 0 here, too. The shares of the first example add up to 1 as they are shown, with
two decimals.

At the end: the cell that a page first looks at, a query and a key worth explaining.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from attention_core.checks import Array
from attention_core.projections import Projections
from attention_core.trace import Trace

from .words.embeddings import Embedding
from .words.text import PADDING_TOKEN

HANDMADE_FEATURES = ("noun", "animate", "pronoun", "verb", "other", "one", "cos", "sin")
HEAD_WIDTH = 4
N_POSITIONS = 12  # a token has the same angle as the one twelve before it
UNUSED_COLUMN = "unused"
NAME, OTHER = ("animate", "noun"), ("other",)  # of words that the lexicon lacks


# I, you and we stand for whoever speaks or listens: they are animate themselves. The other pronouns
# get this from the noun that they stand for.
def _words_of_kinds(name: str) -> list[tuple[str, str]]:
    """The words of a table, each with its kind."""
    table = json.loads(Path(__file__).with_name(f"{name}.json").read_text(encoding="utf-8"))
    return [(word, kind) for kind, lines in table.items() for word in " ".join(lines).split()]


WORD_FEATURES: Mapping[str, tuple[str, ...]] = {
    word: tuple(kind.split()) for word, kind in _words_of_kinds("by_hand")
}
_OF_WORDS: dict[str, tuple[str, ...]] = {}  # gender and number
for _word, _kind in _words_of_kinds("by_hand_gender_number"):
    _OF_WORDS[_word] = (*_OF_WORDS.get(_word, ()), _kind)
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


# The query is about 40 times the cosine and sine of the token's angle, rotated one position back.
_WORD_BEFORE: tuple[Mapping[str, Mix], Mapping[str, Mix]] = (
    {"before cos": {"cos": _ALONG, "sin": _ACROSS}, "before sin": {"cos": -_ACROSS, "sin": _ALONG}},
    {"cos": {"cos": 1}, "sin": {"sin": 1}},
)
HANDMADE_HEADS = (
    # The scaled score of a pronoun is 5 with a noun, and 2 more with an animate noun.
    HandmadeHead(
        {"noun?": {"pronoun": 10, "verb": 3}, "animate?": {"pronoun": 4, "verb": 3}},
        {"noun": {"noun": 1}, "animate": {"animate": 1}},
        ("noun", "animate", "pronoun", "verb"),
        {"noun": 1, "animate": 1},
    ),
    HandmadeHead(
        *_WORD_BEFORE,
        ("noun", "animate", "verb", "other"),
        {"verb": 0.5, "other": 0.5},
        asks_for="the word before",
    ),
)


@dataclass(frozen=True)
class HandmadeHidden:
    """A hidden feature of the feed-forward part: what it reads, what is added to that, and what it
    gives back.
    """

    reads: Mix
    bias: float
    gives: Mix


def _matching(features: Sequence[str]) -> tuple[Mapping[str, Mix], Mapping[str, Mix]]:
    """Queries and keys of a head that matches features: its scaled score is 6 where both words have
    one of them, 4 more for a noun than for a pronoun, and 2 more for a pronoun than for a verb, so
    that a verb looks for its noun or pronoun, and not at itself.
    """
    asks: dict[str, Mix] = {f"{name}?": {name: 12.0} for name in features} | {"noun?": {"one": 4.0}}
    answers: dict[str, Mix] = {name: {name: 1.0} for name in features}
    return asks, answers | {"noun": {"noun": 1.0, "pronoun": -1.0, "verb": -2.0}}


@dataclass(frozen=True)
class HandmadeLayer:
    """A layer made by hand. features: of a token, in order. heads: each `HEAD_WIDTH` wide. hidden:
    the features of the feed-forward part that follows in a block, by their names.
    """

    features: tuple[str, ...]
    heads: tuple[HandmadeHead, ...]
    hidden: Mapping[str, HandmadeHidden]

    @property
    def sizes(self) -> tuple[int, int]:
        """The embedding size and the number of heads."""
        return len(self.features), len(self.heads)

    def features_of(self, token: str) -> dict[str, float]:
        """The features of a word."""
        of_word = (*part_of_speech(token), *_OF_WORDS.get(token.casefold(), ()), "one")
        return {name: 1.0 for name in self.features if name in of_word}

    def asks(self, tokens: Sequence[str]) -> bool:
        """Whether a token asks for something in head 0."""
        return self._has(tokens, self.heads[0].queries)

    def answers(self, tokens: Sequence[str]) -> bool:
        """Whether a token answers something in head 0."""
        return self._has(tokens, self.heads[0].keys)

    def _has(self, tokens: Sequence[str], side: Mapping[str, Mix]) -> bool:
        features = {name for token in tokens for name in self.features_of(token)}
        return any(features & mix.keys() for mix in side.values())


# They read vectors after LayerNorm, in which a feature that a token has is near 1, and one that it
# lacks below 0. Each is above 0 only where two features come together, one from the word itself and
# one that a head has brought.
HANDMADE_HIDDEN = {
    "lives?": HandmadeHidden(
        {"pronoun": 1, "animate": 1}, -1, {"animate": 1, "noun": 1, "pronoun": -1}
    ),
    "a thing?": HandmadeHidden(
        {"pronoun": 1, "noun": 1, "animate": -1}, -1.5, {"noun": 1, "pronoun": -1}
    ),
    "who acts?": HandmadeHidden({"verb": 1, "noun": 1}, -1, {"verb": 1}),
}
FIRST_LAYER = HandmadeLayer(HANDMADE_FEATURES, HANDMADE_HEADS, HANDMADE_HIDDEN)
GENDER_AND_NUMBER = HandmadeLayer(
    ("masc", "fem", "neut", "sg", "pl", "noun", "pronoun", "verb", "other", "one", "cos", "sin"),
    (
        HandmadeHead(
            *_matching(("masc", "fem", "neut")),
            ("sg", "pl", "noun", "pronoun"),
            {"sg": 1, "pl": 1, "noun": 1},
        ),
        HandmadeHead(
            *_matching(("sg", "pl")),
            ("masc", "fem", "neut", "noun"),
            {"masc": 1, "fem": 1, "neut": 1},
        ),
        HandmadeHead(
            *_WORD_BEFORE,
            ("noun", "pronoun", "verb", "other"),
            {"verb": 0.5, "other": 0.5},
            asks_for="the word before",
        ),
    ),
    {
        "for whom?": HandmadeHidden({"pronoun": 2, "noun": 1}, -1, {"noun": 1, "pronoun": -1}),
        "a woman?": HandmadeHidden({"fem": 1, "sg": 1}, -2, {"fem": 1}),
        "men?": HandmadeHidden({"masc": 1, "pl": 1}, -2, {"pl": 1}),
    },
)
HANDMADE_LAYERS = {layer.sizes: layer for layer in (FIRST_LAYER, GENDER_AND_NUMBER)}


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


def finds_something(tokens: Sequence[str], layer: HandmadeLayer = FIRST_LAYER) -> bool:
    """Whether head 0 has a score that is not 0: a token asks, and a token answers.

    >>> finds_something(["dogs", "bark"]), finds_something(["hello"]), finds_something(["it"])
    (True, False, False)
    """
    return layer.asks(tokens) and layer.answers(tokens)


def _in_lexicon(token: str) -> tuple[str, ...]:
    """The parts of speech of a word in the lexicon, also with 's or n't at its end; else none."""
    word = token.casefold().replace("’", "'")
    forms = (word, word.removesuffix("n't"), _stem(word))
    return next((WORD_FEATURES[form] for form in forms if form in WORD_FEATURES), ())


def _stem(token: str) -> str:
    """What stands before an apostrophe."""
    return token.replace("’", "'").partition("'")[0]


def named_vectors(tokens: Sequence[str], layer: HandmadeLayer = FIRST_LAYER) -> Embedding:
    """The vectors of tokens: the features of their words, plus the cosine and sine of their
    positions, rounded to eighths.

    Shapes: T tokens -> three times (T, D).

    >>> named_vectors(["the", "cat"]).words[1].tolist()
    [1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]
    """
    words_TD = np.stack([_vector(layer.features_of(token), layer) for token in tokens])
    angles_T = 2 * math.pi / N_POSITIONS * np.arange(len(tokens))
    places_TD = np.zeros_like(words_TD)
    places_TD[:, layer.features.index("cos")] = _in_eighths(np.cos(angles_T))
    places_TD[:, layer.features.index("sin")] = _in_eighths(np.sin(angles_T))
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


def handmade_projections(layer: HandmadeLayer = FIRST_LAYER) -> Projections:
    """The weights of all heads. Shapes: W_Q, W_K, W_V (D, 4·H), W_O (4·H, D)."""
    triples, rows = [], []
    for head in layer.heads:
        copied = np.stack([_vector({feature: 1.0}, layer) for feature in head.copies])
        triples.append((_columns(head.queries, layer), _columns(head.keys, layer), copied.T))
        given = np.array([head.gives.get(feature, 0.0) for feature in head.copies])
        rows.append(given[:, np.newaxis] * copied)
    return Projections.from_heads(triples, np.vstack(rows))


def _columns(mixes: Mapping[str, Mix], layer: HandmadeLayer) -> Array:
    """A head's columns side by side. Shapes: (D, 4)."""
    columns = [*mixes.values(), *({} for _ in range(HEAD_WIDTH - len(mixes)))]
    return np.stack([_vector(mix, layer) for mix in columns], axis=1)


def _vector(mix: Mapping[str, float], layer: HandmadeLayer) -> Array:
    return np.array([float(mix.get(feature, 0)) for feature in layer.features])


# Tokens that stand for no word; the trained model adds some of its own.
SPECIAL_TOKENS = (PADDING_TOKEN, "[PAD]", "[CLS]", "[SEP]")


class Cell(NamedTuple):
    """A head, a query, a key and a feature, as the pages look into them."""

    head: int = 0
    query: int = 0
    key: int = 0
    feature: int = 0


def choose_example_cell(trace: Trace, head: int = 0) -> Cell:
    """The first pronoun that stands for a noun, and the key with its largest share; without such a
    pronoun, the query with the largest share of another token.

    A token and itself are chosen only if there is no other pair.

    >>> from attention_lab.scenario import Scenario, trace_of
    >>> choose_example_cell(trace_of(Scenario("we saw the cat", weights="weightless", n_heads=1)))
    Cell(head=0, query=1, key=2, feature=0)
    """
    shares_TS = _shares_of_others(trace, head)
    strongest_T = shares_TS.max(axis=1)
    pronouns = [
        query
        for query, token in enumerate(trace.labels("T"))
        if part_of_speech(token) == ("pronoun",) and strongest_T[query] > 0
    ]
    query = pronouns[0] if pronouns else int(strongest_T.argmax())
    return Cell(head, query, int(shares_TS[query].argmax()))


def _shares_of_others(trace: Trace, head: int) -> Array:
    """The shares of other tokens in a head; −1 for a token itself, and for tokens that stand for no
    word. Shapes: (T, S).
    """
    shares_TS: Array = trace.probabilities[0, head].copy()
    for axis, letter in enumerate("TS"):
        words = np.array([label not in SPECIAL_TOKENS for label in trace.labels(letter)])
        if words.sum() > 1:
            shares_TS[(slice(None),) * axis + (~words,)] = -1
    if shares_TS.shape[1] > 1:
        np.fill_diagonal(shares_TS, -1)
    return shares_TS
