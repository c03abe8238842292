"""A number with its noun: the one place of plural grammar. Prefer a fact such as "Heads: 4"."""

from __future__ import annotations


def counted(count: int, thing: str) -> str:
    """A number and its noun, in the singular or the plural.

    >>> counted(1, "head"), counted(4, "head"), counted(1234, "number")
    ('1 head', '4 heads', '1,234 numbers')
    """
    return f"{count:,} {thing}" + ("" if count == 1 else "s")
