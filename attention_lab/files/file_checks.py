"""What a text or a file from outside may hold: numbers, shapes, characters."""

import math
import re
from collections.abc import Sequence

import numpy as np

from attention_core.checks import Array
from attention_core.errors import FileError, TextError

MAX_AXES = 8
# The user's own numbers. The board shows float32: scores of such inputs and weights stay below its
# largest number, 3.4e38.
MAX_VALUE = 1e6
VALUE_RANGE = f"between {-MAX_VALUE:,.0f} and {MAX_VALUE:,.0f}"  # in words


@np.errstate(invalid="ignore")  # a signalling NaN, which is refused
def check_numbers(name: str, array: Array) -> None:
    """Every number is finite and none is beyond `MAX_VALUE`. Raises: FileError naming the first
    that is not.

    name: what an error calls the array.
    """
    if max(array.max(initial=0), -array.min(initial=0)) <= MAX_VALUE:  # false for NaN
        return
    first = int(np.argmax(~(np.abs(array) <= MAX_VALUE)))
    place = tuple(int(number) for number in np.unravel_index(first, array.shape))
    where = f"place {', '.join(map(str, place))}"
    if len(place) == 2:
        where = f"row {place[0]}, column {place[1]}"
    raise FileError(
        f"{name} holds {array[place]} in {where} (counted from 0), but every number must lie"
        f" {VALUE_RANGE}: replace it"
    )


def is_possible_shape(shape: Sequence[int], itemsize: int) -> bool:
    """Whether NumPy can make an array of this shape, with at most 8 axes; an axis of length 0 does
    not excuse the others.

    >>> is_possible_shape((0, 2**62), 4), is_possible_shape((0, 2**60), 4)
    (False, True)
    """
    return len(shape) <= MAX_AXES and math.prod(size or 1 for size in shape) * itemsize < 2**63


def typed_number(text: str) -> float:
    """The number that was typed, NaN for any other text. `float` alone would accept 1_0 and the
    digits of every script.

    >>> typed_number("-2e1"), typed_number("1_0"), typed_number("ten")
    (-20.0, nan, nan)
    """
    try:
        return float(text) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        return math.nan


# Control characters besides tab and line breaks, lone surrogates, and two that are no characters.
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def fits_xml(text: str) -> bool:
    """Whether XML 1.0 can hold a text. Source: its section 2.2.

    >>> fits_xml("\\u200dé😀"), fits_xml("\\x08"), fits_xml("\\ud800")
    (True, False, False)
    """
    return not _NOT_IN_XML.search(text)


def has_half_character(text: str) -> bool:
    """Whether a text holds a lone surrogate, which no file and no page can hold."""
    return any("\ud800" <= character <= "\udfff" for character in text)


def check_characters(text: str) -> None:
    """A text of whole characters. Raises: TextError."""
    if has_half_character(text):
        raise TextError(
            "text holds half a character (a lone surrogate), which no tokenizer can read: type or"
            " paste it again"
        )


def check_length(text: str, most: int) -> None:
    """At most so many characters. Raises: TextError."""
    if len(text) > most:
        raise TextError(
            f"The text has {len(text):,} characters, but at most {most:,} are read: shorten it"
        )
