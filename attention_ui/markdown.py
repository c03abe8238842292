"""User text on its way into Markdown."""

from __future__ import annotations


def plain(text: str) -> str:
    """User text for Markdown: every character that means something to it is escaped."""
    return "".join("\\" + c if c in r"\`*_{}[]()<>#+-.!|$~:&" else c for c in text).replace("\n", " ")
