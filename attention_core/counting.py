"""How many of something there are, in words."""

from __future__ import annotations


def counted(count: int, thing: str) -> str:
    """So many things, in words.

    >>> counted(1, "head"), counted(4, "head"), counted(1234, "number")
    ('1 head', '4 heads', '1,234 numbers')
    """
    return f"{count:,} {thing}" + ("" if count == 1 else "s")


def all_of(count: int, thing: str) -> str:
    """All of so many things, in words.

    >>> all_of(1, "head"), all_of(2, "head"), all_of(4, "head")
    ('the one head', 'both heads', 'all 4 heads')
    """
    words = {1: "the one", 2: "both"}
    return (
        f"{words[count]} {thing}{'s' * (count > 1)}"
        if count in words
        else f"all {counted(count, thing)}"
    )
