"""User text on its way into Markdown."""

from __future__ import annotations

import re
import unicodedata

ISOLATE, END = "\u2068", "\u2069"
JOINER = "\u2060"  # shows nothing and parts no words
_TURNING = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_ESCAPED = str.maketrans({c: f"\\{c}" for c in r"\`*_{}[]()<>#+-.!|$~:&"} | dict.fromkeys("\n\r", " "))
_UNTURNED = str.maketrans("", "", _TURNING)
# What the browser looks for after all escapes are undone: links, Streamlit's icons, and signs that it sets as one.
_SOUGHT = re.compile(r":(?=//|material|streamlit:)|[Ww]{3}(?=\.)|@(?=\w)|(?<!\S)(?:<?->|<-|--|[<>~]=)(?!\S)")


def plain(text: str) -> str:
    """User text for Markdown: every character that means something to it is escaped.

    Text from right to left stands apart, so that it does not turn the words and numbers around it; marks that would
    turn them all the same are left out.
    """
    unread = _SOUGHT.sub(lambda found: f"{found[0][:1]}{JOINER}{found[0][1:]}", text.translate(_UNTURNED))
    escaped = unread.translate(_ESCAPED)
    turns = not text.isascii() and any(unicodedata.bidirectional(c) in ("R", "AL") for c in text)
    return f"{ISOLATE}{escaped}{END}" if turns else escaped
