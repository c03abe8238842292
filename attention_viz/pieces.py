"""Pieces of words as the board gets them."""

from collections.abc import Sequence

from attention_lab.words.pieces import (
    UNKNOWN_SIGN,
    bare,
    continued,
    readable,
    touching,
    word_slices,
)
from attention_lab.words.text import CONTINUATION_MARK

__all__ = ["bare", "continued", "grouped", "label_of", "named", "parts_of", "touching", "word_of"]


def named(labels: Sequence[str]) -> dict[str, list[str] | list[int]]:
    """The labels of an axis or of a sentence as the board gets them, and the places that continue a
    word, if there are any.
    """
    places = continued(labels)
    return {"labels": [label_of(label) for label in labels]} | (
        {"continued": places} if places else {}
    )


def label_of(piece: str) -> str:
    """A piece as a label: as people write it if it is a sign of the model's own, such as the start.

    >>> label_of("<s>"), label_of("<0x0A>"), label_of("<0xE6>"), label_of(" frog")
    ('start', 'new line', 'byte E6', 'frog')
    """
    is_sign = len(piece) > 2 and (piece[0], piece[-1]) == ("<", ">")
    if not is_sign:
        return bare(piece)
    return f"byte {piece[3:5]}" if readable(piece) == UNKNOWN_SIGN else readable(piece)


def grouped(pieces: Sequence[str]) -> list[tuple[int, int, str]]:
    """The words of a sentence of pieces: for each its first piece, the one after its last, and its
    text; nothing where every piece is a word.

    >>> grouped([" a", " f", "rog", "."]), grouped(["hall", "##way"]), grouped(["a", "cat"])
    ([(0, 1, 'a'), (1, 3, 'frog'), (3, 4, '.')], [(0, 2, 'hallway')], [])
    """
    if not continued(pieces):
        return []
    return [(one.start, one.stop, readable(*pieces[one])) for one in word_slices(pieces)]


def parts_of(pieces: Sequence[str], text: str) -> list[str]:
    """The letters of each piece of a word; nothing where they do not make up its text.

    >>> parts_of([" f", "rog"], "frog"), parts_of(["hall", "##way"], "hallway")
    (['f', 'rog'], ['hall', 'way'])
    >>> parts_of(["<0xE6>", "<0x97>", "<0xA5>"], "日")
    []
    """
    parts = [piece.removeprefix(CONTINUATION_MARK).strip() for piece in pieces]
    parts = [part for part in parts if part]
    return parts if len(parts) > 1 and "".join(parts) == text else []


def word_of(pieces: Sequence[str], place: int) -> str:
    """The word of which a token is a piece; "" for a token that is a word.

    >>> word_of([" a", " f", "rog"], 1), word_of([" a", " f", "rog"], 0)
    ('frog', '')
    """
    several = ((first, end, text) for first, end, text in grouped(pieces) if end - first > 1)
    return next((text for first, end, text in several if first <= place < end), "")
