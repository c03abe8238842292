"""Words that learners type, and the words that the app uses: the table assets/synonyms.csv."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from .registry import rows_of

Words = tuple[str, ...]
Synonyms = Mapping[Words, Sequence[Words]]


def synonyms(words: Callable[[str], Words], stem: Callable[[str], str]) -> Synonyms:
    """All synonyms by the stems of what is typed.

    words: gives the words of a text, as a search compares them. stem: gives the beginning that all
    forms of a word share.
    """
    known: dict[Words, list[Words]] = {}
    for row in rows_of("synonyms"):
        known.setdefault(tuple(map(stem, words(row["typed"]))), []).append(words(row["means"]))
    return known


def readings(typed: Words, known: Synonyms, stem: Callable[[str], str]) -> list[list[Words]]:
    """The parts of what is typed, each with its synonyms. Where parts overlap, the longest counts.

    >>> readings(("one", "or", "eight", "keys"), {("one", "or", "eight"): [("many",)]}, str)
    [[('one', 'or', 'eight'), ('many',)], [('keys',)]]
    """
    longest = max(map(len, known), default=1)
    parts: list[list[Words]] = []
    start = 0
    while start < len(typed):
        tried = [typed[start : start + length] for length in range(longest, 0, -1)]
        part = next((one for one in tried if tuple(map(stem, one)) in known), tried[-1])
        parts.append([part, *known.get(tuple(map(stem, part)), ())])
        start += len(part)
    return parts
