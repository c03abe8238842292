"""User text on its way into Markdown."""

from __future__ import annotations

import unicodedata

ISOLATE, END = "\u2068", "\u2069"


def plain(text: str) -> str:
    """User text for Markdown: every character that means something to it is escaped.

    Text from right to left stands apart, so that it does not turn the words and numbers around it.
    """
    escaped = "".join("\\" + c if c in r"\`*_{}[]()<>#+-.!|$~:&" else c for c in text).replace("\n", " ")
    turns = any(unicodedata.bidirectional(c) in ("R", "AL") for c in text)
    return f"{ISOLATE}{escaped}{END}" if turns else escaped
