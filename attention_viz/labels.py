"""Words in pictures: shortened tokens, tokens with their places."""

from collections.abc import Iterable, Sequence
from html import unescape
from unicodedata import east_asian_width

from attention_core.checks import Array
from attention_lab.words.numbers import without_noise

from .pieces import label_of

MAX_LABEL_LENGTH = 14


def shorten(token: str) -> str:
    """A token cut to the length of a label, without the space that begins a word, with markup
    escaped.

    >>> shorten("internationalisation"), shorten(" frog"), shorten("<s>")
    ('international…', 'frog', 'start')
    """
    token = label_of(token)
    if len(token) > MAX_LABEL_LENGTH:
        token = token[: MAX_LABEL_LENGTH - 1] + "…"
    return token.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def numbered_labels(labels: Sequence[str]) -> tuple[str, ...]:
    """Shortened tokens with their places, so that repeated tokens stay apart.

    >>> numbered_labels(["the", "the"])
    ('0 the', '1 the')
    """
    return tuple(f"{place} {shorten(label)}" for place, label in enumerate(labels))


def label_width(labels: Iterable[str], size: int = 11) -> float:
    """The width of the longest label in px at a type size. Capitals count more, East Asian
    characters and emoji double.

    >>> label_width(["it", "animal"]) < label_width(["動物動物動物"])
    True
    """
    wide = [sum(map(_breadth, unescape(label))) for label in labels]
    return 0.55 * size * max(wide, default=0)


def _breadth(character: str) -> float:
    """How wide a character is in the app's typeface; 1 for most letters."""
    if east_asian_width(character) in "WF":
        return 2
    if character in "MWmw@%—…":
        return 1.5
    if character.isupper():
        return 1.2
    return 1


def shown_numbers(numbers: Array, kind: str) -> Array:
    """What is drawn of an array: no noise of rounding. A share is never noise, however small."""
    if kind == "probability":
        return numbers
    return without_noise(numbers)
