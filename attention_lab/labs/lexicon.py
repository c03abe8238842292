"""A lexicon made by hand: 51 word forms whose vectors have named sections, and sentences composed
of them.

Source: the idea that parts of an embedding carry gender, number and so on is Doshi's (part 3); in a
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

from attention_core.checks import Array, as_list, as_mapping, check_switch, check_text, short_repr
from attention_core.errors import SettingsError, TextError
from attention_core.text import tokenize

_DATA = json.loads(Path(__file__).with_name("lexicon.json").read_text(encoding="utf-8"))
SECTIONS: dict[str, tuple[str, ...]] = {
    name: tuple(features) for name, features in _DATA["sections"].items()
}
FEATURES: tuple[str, ...] = tuple(feature for features in SECTIONS.values() for feature in features)
LEXICON: dict[str, tuple[str, ...]] = {
    word: tuple(features.split()) for word, features in _DATA["words"].items()
}
SENTENCES: tuple[str, ...] = tuple(_DATA["sentences"])
PARTS_OF_SPEECH = SECTIONS["part of speech"]
START = "<s>"
# Features that an own word may have: the sentence gives the position, and there is one start token.
TICKABLE = tuple(feature for feature in FEATURES if feature not in ("START", *SECTIONS["position"]))
# Positions go around a circle once; more tokens would stand on the places of the first ones.
MAX_TOKENS = 16
LONGEST_WORD = 24
_MARKS = ".,;:!?"


@dataclass(frozen=True, eq=False)
class LexiconSentence:
    """The tokens of a sentence, the start token first unless left out, and their vectors.
    Shapes: vectors (T, 16).
    """

    tokens: tuple[str, ...]
    vectors: Array


def section_slices() -> dict[str, slice]:
    """Which dimensions belong to each section.

    >>> section_slices()["number"]
    slice(3, 5, None)
    """
    ends = np.cumsum([len(features) for features in SECTIONS.values()]).tolist()
    return {
        name: slice(end - len(SECTIONS[name]), end)
        for name, end in zip(SECTIONS, ends, strict=True)
    }


def own_word(word: str, features: Iterable[str]) -> tuple[str, tuple[str, ...]]:
    """A word of one's own with its ticked features, checked: lower case, one part of speech, at
    most one of a kind.

    Raises: TextError for what is no word, SettingsError for features that exclude each other.

    >>> own_word("Horse", ["neut", "sg", "anim", "NOUN"])
    ('horse', ('neut', 'sg', 'anim', 'NOUN'))
    """
    spelled = _spelling(word)
    chosen = _known(spelled, features)
    for section in ("gender", "number", "part of speech", "tense"):
        if len(ticked := [feature for feature in SECTIONS[section] if feature in chosen]) > 1:
            raise SettingsError(
                f"{spelled!r} has {' and '.join(ticked)}, but only one {section} is possible:"
                " untick one"
            )
    if not chosen & set(PARTS_OF_SPEECH):
        raise SettingsError(
            f"{spelled!r} has no part of speech: tick one of {', '.join(PARTS_OF_SPEECH[:-1])}"
        )
    return spelled, tuple(feature for feature in FEATURES if feature in chosen)


def compose(
    text: str, own_words: Mapping[str, tuple[str, ...]] | None = None, *, start: bool = True
) -> LexiconSentence:
    """A sentence made of the lexicon's words and one's own, as vectors; . , ; : ! ? are left out.

    Raises: TextError for a word that is not in the lexicon, and for more than 16 tokens.

    >>> compose("The dogs saw her.").tokens
    ('<s>', 'the', 'dogs', 'saw', 'her')
    """
    check_switch("start", start)
    known = LEXICON | _own(own_words)
    words = [token.lower() for token in tokenize(text).tokens if token not in _MARKS]
    if not words:
        raise TextError("The sentence holds no word: use at least one of the lexicon")
    for word in words:
        if word not in known:
            said = word[:LONGEST_WORD]
            raise TextError(
                f"{said!r} is not in the lexicon: use one of its words, or add it with its features"
            )
    tokens = (START, *words) if start else tuple(words)
    if len(tokens) > MAX_TOKENS:
        raise TextError(
            f"The sentence has {len(tokens)} tokens, but only {MAX_TOKENS} have a place of their"
            " own: use fewer"
        )
    return LexiconSentence(
        tokens, np.stack([_vector(known[word], place) for place, word in enumerate(tokens)])
    )


def _own(own_words: Mapping[str, tuple[str, ...]] | None) -> dict[str, tuple[str, ...]]:
    """Checked own words by their spelling. Raises: TextError, SettingsError."""
    given = as_mapping("own_words", {} if own_words is None else own_words)
    return {_spelling(word): tuple(_known(word, features)) for word, features in given.items()}


def _known(word: str, features: Iterable[str]) -> set[str]:
    """The features of a word, none that it may not have. Raises: SettingsError."""
    for feature in (chosen := as_list("features", features)):
        if not isinstance(feature, str) or feature not in TICKABLE:
            raise SettingsError(
                f"{word!r} cannot have the feature {short_repr(feature)}: choose from"
                f" {', '.join(TICKABLE)}"
            )
    return set(chosen)


def _vector(features: Iterable[str], place: int) -> Array:
    """1 in every named dimension, and the place as an angle on a circle of 16."""
    vector = np.array([float(name in set(features)) for name in FEATURES])
    angle = 2 * math.pi * place / MAX_TOKENS
    vector[section_slices()["position"]] = math.cos(angle), math.sin(angle)
    return vector


def _spelling(word: str) -> str:
    """A word in lower case. Raises: TextError when it holds anything but letters, inner
    apostrophes and hyphens.
    """
    check_text("word", word)
    spelled = word.strip().lower()
    if not spelled or len(spelled) > LONGEST_WORD:
        raise TextError(
            f"A word has 1 to {LONGEST_WORD} letters, but this one has {len(spelled)}: type another"
        )
    for character in spelled:
        if not character.isalpha() and character not in "'’-":
            raise TextError(
                f"A word is made of letters, but {spelled!r} holds {character!r}: take it out"
            )
    if not spelled[0].isalpha() or tokenize(spelled).tokens != (spelled,):
        raise TextError(
            f"{spelled!r} is not one word: letters, with apostrophes and hyphens only between them"
        )
    return spelled
