"""User text on its way into Markdown."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

ISOLATE, END = "\u2068", "\u2069"
JOINER = "\u2060"  # shows nothing and parts no words
_TURNING = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_ESCAPED = str.maketrans(
    {c: f"\\{c}" for c in r"\`*_{}[]()<>#+-.!|$~:&"} | dict.fromkeys("\n\r", " ")
)
_UNTURNED = str.maketrans("", "", _TURNING)
# What the browser looks for after all escapes are undone: links, Streamlit's icons, and signs that
# it sets as one.
_SOUGHT = re.compile(
    r":(?=//|material|streamlit:)|[Ww]{3}(?=\.)|@(?=\w)|(?<!\S)(?:<?->|<-|--|[<>~]=)(?!\S)"
)


def plain(text: str) -> str:
    """User text for Markdown: every character that means something to it is escaped.

    Text from right to left stands apart, so that it does not turn the words and numbers around it;
    marks that would turn them all the same are left out.
    """
    unread = _SOUGHT.sub(
        lambda found: f"{found[0][:1]}{JOINER}{found[0][1:]}", text.translate(_UNTURNED)
    )
    escaped = unread.translate(_ESCAPED)
    turns = not text.isascii() and any(unicodedata.bidirectional(c) in ("R", "AL") for c in text)
    return f"{ISOLATE}{escaped}{END}" if turns else escaped


def plain_quotations(words: str) -> str:
    r"""Words of ours that quote the user's, for Markdown: a quotation from right to left turns
    nothing after it.

    >>> plain_quotations("“we” (1), “שלום” (2)") == rf"“we” \(1\), “{ISOLATE}שלום{END}” \(2\)"
    True
    """
    return "".join(map(plain, re.split("(?<=“)|(?=”)", words)))


def quote_token(tokens: Sequence[str], place: int) -> str:
    """A token in quotation marks, for Markdown, with its place where the same one stands at another
    place, too.

    >>> quote_token(["the", "cat", "the"], 1), quote_token(["the", "cat", "the"], 2)
    ('“cat”', '“the” (2)')
    """
    token = tokens[place]
    which = f" ({place})" if sum(token == other for other in tokens) > 1 else ""
    return f"“{plain(token)}”{which}"
