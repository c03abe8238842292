"""Words and numbers as they stand in pictures: shortened tokens, numbers of equal precision,
indices.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from html import escape, unescape
from unicodedata import east_asian_width

from attention_core.counting import counted as counted
from attention_core.text import PADDING_TOKEN, Tokens

MAX_LABEL_LENGTH = 14


def shorten(token: str) -> str:
    """A token that fits a label; what a picture would take for markup stays text.

    >>> shorten("internationalisation")
    'international…'
    """
    cut = token if len(token) <= MAX_LABEL_LENGTH else token[: MAX_LABEL_LENGTH - 1] + "…"
    return cut.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def numbered_labels(labels: Sequence[str]) -> tuple[str, ...]:
    """Tokens with their places, so that repeated ones stay apart; shortened, and markup stays text.

    >>> numbered_labels(["the", "the"])
    ('0 the', '1 the')
    """
    return tuple(f"{place} {shorten(label)}" for place, label in enumerate(labels))


def label_width(labels: Iterable[str], size: int = 11) -> float:
    """The width of the longest label in px at a type size: capitals count more, East Asian signs
    and emoji double.

    >>> label_width(["it", "animal"]) < label_width(["動物動物動物"])
    True
    """
    wide = [sum(map(_breadth, unescape(label))) for label in labels]
    return 0.55 * size * max(wide, default=0)


def _breadth(sign: str) -> float:
    """How wide a sign is in the app's typeface, for most letters 1."""
    if east_asian_width(sign) in "WF":
        return 2
    return 1.5 if sign in "MWmw@%—…" else 1.2 if sign.isupper() else 1


def number(value: float, digits: int = 3) -> str:
    """A number for reading: a true minus sign, "−∞" for a masked score, an exponent only where it
    is needed.

    >>> number(-0.12345), number(float("-inf")), number(0.00000123), number(12345678.0)
    ('−0.123', '−∞', '1.23e−06', '1.23e+07')
    """
    if value != 0 and math.isfinite(value) and not 10**-digits <= abs(value) < 10**6:
        return f"{value:.2e}".replace("-", "−")
    return format_decimals(value, digits)


def format_decimals(value: float, digits: int) -> str:
    """A number with so many decimals whatever its size, for a reader who calculates with what is
    shown.

    >>> format_decimals(-0.0099999998, 2), format_decimals(12345678.9, 2), format_decimals(-0.001,
    ...     2), format_decimals(float("-inf"), 2)
    ('−0.01', '12345678.90', '0.00', '−∞')
    """
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    rounded = round(float(value), digits) + 0.0  # which turns a negative zero into zero
    return f"{rounded:.{digits}f}".replace("-", "−")


def is_rounded(value: float, digits: int = 3) -> bool:
    """Whether `number` leaves digits off, beyond those that computers round away themselves (of
    float32 the eighth).

    >>> [is_rounded(n) for n in (0.5, 0.1 + 0.2, 1 / 3, float("-inf"))], is_rounded(-3.081097, 4)
    ([False, False, True, False], True)
    """
    shown = float(number(value, digits).replace("−", "-").replace("∞", "inf"))
    return not math.isclose(shown, value, rel_tol=1e-7)


def with_minus_signs(text: str) -> str:
    """Numbers in a text with the minus sign that `number` gives them.

    >>> with_minus_signs("S3-01: -0.15, up to 7e-16")
    'S3-01: −0.15, up to 7e−16'
    """
    return re.sub(r"(?<![\w)-])-(?=[\d.])|(?<=\de)-(?=\d)", "−", text)


def format_agreement(gap: float, rounding: float) -> str:
    """How far numbers are apart that were computed in two ways: by rounding alone they are equal.

    >>> format_agreement(4.4e-16, 1e-13), format_agreement(0.25, 1e-13)
    ('are equal', 'differ by at most 0.250')
    """
    return "are equal" if gap <= rounding else f"differ by at most {number(gap)}"


def format_span(places: slice, thing: str) -> str:
    """Which of several things, in words.

    >>> format_span(slice(4, 8), "column"), format_span(slice(4, 5), "column")
    ('columns 4 to 7', 'column 4')
    """
    first, last = places.start, places.stop - 1
    return f"{thing} {first}" if first == last else f"{thing}s {first} to {last}"


def percent(value: float) -> str:
    """A probability in percent.

    >>> percent(0.2447)
    '24.5 %'
    """
    return f"{100 * value:.1f} %"


def token_chips(tokens: Tokens, chosen: int) -> str:
    """The tokens as a row of chips, each with its number below; the chosen one is lit, padding is
    dashed.

    Tokens are escaped and kept apart from the direction of their neighbours, so that no script
    disturbs the order.

    >>> "&lt;b&gt;" in token_chips(Tokens(("<b>",), 1), 0)
    True
    """
    chips = []
    for place, token in enumerate(tokens.tokens):
        kinds = (
            ["token"]
            + ["padding"] * (token == PADDING_TOKEN and place >= tokens.n_real)
            + ["chosen"] * (place == chosen)
        )
        inside = f"<bdi>{escape(token)}</bdi><small>{place}</small>"
        chips.append(f'<span role="listitem" class="{" ".join(kinds)}">{inside}</span>')
    return f'<div class="tokens" role="list">{"".join(chips)}</div>'
