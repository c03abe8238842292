"""How many of something there are, in words."""

from __future__ import annotations


def counted(count: int, thing: str) -> str:
    """So many things, in words.

    >>> counted(1, "head"), counted(4, "head"), counted(1234, "number")
    ('1 head', '4 heads', '1,234 numbers')
    """
    return f"{count:,} {thing}" + ("" if count == 1 else "s")
