"""Pieces of words as labels: without the space before a word, and which of them continue one."""

from __future__ import annotations

from collections.abc import Sequence

from .text import CONTINUATION_MARK


def bare(label: str) -> str:
    """A label without the space that begins a word; white space alone gets a sign.

    >>> bare(" frog"), bare(" "), bare("\\n")
    ('frog', '␣', '⏎')
    """
    return label.strip() or {"": ""}.get(label, "⏎" if "\n" in label else "␣")


def continued(labels: Sequence[str]) -> list[int]:
    """The places of pieces that continue the word before them: those without a space where others
    have one, and those with the mark ##.

    >>> continued([" a", " f", "r", "og", "."]), continued(["it", "##s"]), continued(["a", "b"])
    ([2, 3, 4], [1], [])
    """
    spaced = any(label.startswith(" ") for label in labels)
    return [
        place
        for place, label in enumerate(labels[1:], start=1)
        if label.startswith(CONTINUATION_MARK)
        or (spaced and not label.startswith((" ", "\n", "[pad]")))
    ]


def joined(pieces: Sequence[str]) -> str:
    """Pieces as one label: a piece that continues a word has no space before it.

    >>> joined([" f", "r", "og"]), joined(["the", "hall", "##way"])
    (' frog', 'the hallway')
    """
    if any(piece.startswith(" ") for piece in pieces):
        return "".join(pieces)
    return " ".join(pieces).replace(f" {CONTINUATION_MARK}", "")
