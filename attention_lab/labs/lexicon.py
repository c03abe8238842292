"""A lexicon made by hand: 51 word forms whose vectors have named sections, and sentences of these
words.

Source: Doshi (part 3) has the idea that parts of an embedding carry gender, number and so on. In a
trained model such parts are neither pure nor in fixed places, and every head reads the whole
vector.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from attention_core.checks import Array
from attention_core.errors import SettingsError, TextError, short_repr

from ..words.text import tokenize

_DATA = json.loads(Path(__file__).with_name("lexicon.json").read_text(encoding="utf-8"))
FEATURE_SECTIONS: dict[str, tuple[str, ...]] = {
    name: tuple(features) for name, features in _DATA["sections"].items()
}
LEXICON_FEATURES: tuple[str, ...] = tuple(
    feature for features in FEATURE_SECTIONS.values() for feature in features
)
LEXICON: dict[str, tuple[str, ...]] = {
    word: tuple(features.split()) for word, features in _DATA["words"].items()
}
LEXICON_SENTENCES: tuple[str, ...] = tuple(_DATA["sentences"])
PARTS_OF_SPEECH = FEATURE_SECTIONS["part of speech"]
START_TOKEN = "<s>"
# The features of an own word: no position, which the sentence decides, and not that of the start
# token.
OWN_WORD_FEATURES = tuple(
    feature
    for feature in LEXICON_FEATURES
    if feature not in ("START", *FEATURE_SECTIONS["position"])
)
# The positions lie on a circle of 16 places; later tokens would have the places of the first ones.
MAX_LEXICON_TOKENS = 16
MAX_WORD_LENGTH = 24
_MARKS = ".,;:!?"


@dataclass(frozen=True, eq=False)
class LexiconSentence:
    """The tokens of a sentence, by default with the start token first, and their vectors. Shapes:
    vectors (T, 16).
    """

    tokens: tuple[str, ...]
    vectors: Array


def section_slices() -> dict[str, slice]:
    """The features of each section, as a slice of the vector.

    >>> section_slices()["number"]
    slice(3, 5, None)
    """
    ends = np.cumsum([len(features) for features in FEATURE_SECTIONS.values()]).tolist()
    return {
        name: slice(end - len(FEATURE_SECTIONS[name]), end)
        for name, end in zip(FEATURE_SECTIONS, ends, strict=True)
    }


def check_own_word(word: str, features: Iterable[str]) -> tuple[str, tuple[str, ...]]:
    """An own word with its chosen features, checked: lower case, one part of speech, at most one
    gender, number and tense.

    Raises: TextError if it is not a word, SettingsError for features that exclude each other.

    >>> check_own_word("Horse", ["neut", "sg", "anim", "NOUN"])
    ('horse', ('neut', 'sg', 'anim', 'NOUN'))
    """
    spelled = _spelling(word)
    chosen = set(features)
    if unknown := sorted(chosen.difference(OWN_WORD_FEATURES)):
        raise SettingsError(
            f"{spelled!r} cannot have the feature {short_repr(unknown[0])}: choose from"
            f" {', '.join(OWN_WORD_FEATURES)}"
        )
    for section in ("gender", "number", "part of speech", "tense"):
        if len(both := [feature for feature in FEATURE_SECTIONS[section] if feature in chosen]) > 1:
            raise SettingsError(
                f"{spelled!r} has {' and '.join(both)}, but only one {section} is possible: remove"
                " one"
            )
    if not chosen & set(PARTS_OF_SPEECH):
        raise SettingsError(
            f"{spelled!r} has no part of speech: choose one of {', '.join(PARTS_OF_SPEECH[:-1])}"
        )
    return spelled, tuple(feature for feature in LEXICON_FEATURES if feature in chosen)


def compose_sentence(
    text: str, own_words: Mapping[str, tuple[str, ...]] | None = None, *, start: bool = True
) -> LexiconSentence:
    """A sentence of words of the lexicon and own words, as vectors. The marks . , ; : ! ? are left
    out.

    own_words: checked by `check_own_word`. Raises: TextError for a word that is not in the lexicon,
    and for more than 16 tokens.

    >>> compose_sentence("The dogs saw her.").tokens
    ('<s>', 'the', 'dogs', 'saw', 'her')
    """
    known = LEXICON | dict(own_words or {})
    words = [token.lower() for token in tokenize(text).tokens if token not in _MARKS]
    if not words:
        raise TextError("The sentence has no word: use at least one of the lexicon")
    for word in words:
        if word not in known:
            raise TextError(
                f"{word[:MAX_WORD_LENGTH]!r} is not in the lexicon: use one of its words, or add it"
                " with its features"
            )
    tokens = (START_TOKEN, *words) if start else tuple(words)
    if len(tokens) > MAX_LEXICON_TOKENS:
        raise TextError(
            f"The sentence has {len(tokens)} tokens, but at most {MAX_LEXICON_TOKENS} are possible:"
            " use fewer words"
        )
    return LexiconSentence(
        tokens, np.stack([_vector(known[word], place) for place, word in enumerate(tokens)])
    )


def _vector(features: Iterable[str], place: int) -> Array:
    """1 for each feature of a word, and its place in the sentence as an angle on a circle of 16."""
    vector = np.array([float(name in set(features)) for name in LEXICON_FEATURES])
    angle = 2 * math.pi * place / MAX_LEXICON_TOKENS
    vector[section_slices()["position"]] = math.cos(angle), math.sin(angle)
    return vector


def _spelling(word: str) -> str:
    """A word in lower case. Raises: TextError if it has anything but letters, and apostrophes and
    hyphens between them.
    """
    spelled = word.strip().lower()
    if not spelled or len(spelled) > MAX_WORD_LENGTH:
        raise TextError(
            f"A word has 1 to {MAX_WORD_LENGTH} letters, but this one has {len(spelled)}: type"
            " another word"
        )
    for character in spelled:
        if not character.isalpha() and character not in "'’-":
            raise TextError(
                f"A word consists of letters, but {spelled!r} has {character!r}: remove it"
            )
    if not spelled[0].isalpha() or tokenize(spelled).tokens != (spelled,):
        raise TextError(
            f"{spelled!r} is not one word: use letters, with apostrophes and hyphens only between"
            " them"
        )
    return spelled
