"""One value in a URL: what its text means, what it is written as, and how it is refused."""

import math
from collections.abc import Collection
from typing import Any

from attention_core.errors import SettingsError

from .user_data.edits import MAX_INDEX

MAX_SEED = 9999  # of a page's own random numbers
MAX_QUOTED = 40  # characters of a text that is refused
MAX_NUMBER_LENGTH = 40  # characters; thousands of digits would take Python long
SWITCH_LABELS = ("off", "on")
REFUSAL = "The URL asks for “{asked}” under “{label}”{answer}."


def quoted(asked: str) -> str:
    """A text of a URL for the sentence that refuses it: cut, with invisible characters as codes."""
    shown = asked[:MAX_QUOTED]
    return shown if shown.isprintable() else repr(shown)[1:-1]


def url_text(value: object) -> str:
    """A value as the URL holds it: true and false in small letters.

    >>> url_text(True), url_text(4), url_text("causal")
    ('true', '4', 'causal')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)


def parse_switch(text: str) -> bool:
    """Whether a text means on. Raises: SettingsError."""
    if (name := text.casefold()) not in ("true", "false"):
        raise SettingsError("It is “true” or “false”")
    return name == "true"


def parse_option(text: str, options: Collection[str]) -> str:
    """The option that a text names, in small or capital letters. Raises: SettingsError."""
    for option in options:
        if option.casefold() == text.casefold():
            return option
    raise SettingsError(f"It is one of {', '.join(options)}")


def parse_number(text: str, low: float, high: float, whole: bool) -> Any:
    """The number that a text means, within bounds. Raises: SettingsError.

    >>> parse_number("4.0", 1, 16, True), parse_number("-0.5", -100, 100, False)
    (4, -0.5)
    """
    try:
        number = float(text) if len(text) <= MAX_NUMBER_LENGTH else math.nan
    except ValueError:
        number = math.nan
    if not low <= number <= high or (whole and number != int(number)):
        kind = "a whole number" if whole else "a number"
        raise SettingsError(f"It is {kind} from {low:,g} to {high:,g}")
    return int(number) if whole else number


def parse_place(text: str) -> int:
    """The place that a text in a URL means; a number beyond `MAX_INDEX` becomes `MAX_INDEX`.

    Raises: SettingsError for anything but a whole number from 0.
    """
    if text.isascii() and text.isdigit():
        # Five digits are enough; thousands would take Python long.
        return min(int(text.lstrip("0")[:5] or 0), MAX_INDEX)
    raise SettingsError("A place is a whole number from 0, so what was chosen stays")
