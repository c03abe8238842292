"""Pieces of words: which of them make one word, and how they are written for people."""

import re
from collections.abc import Sequence
from itertools import accumulate, pairwise

from .text import CONTINUATION_MARK

UNKNOWN_SIGN = "a sign this model does not know"
END_OF_TEXT = "end of the text"
# As the vocabularies of Llama, GPT-2, Qwen and SmolLM write them.
TEXT_ENDS = ("<s>", "</s>", "<|endoftext|>", "<|end_of_text|>", "<|im_end|>")
_ENDS = dict.fromkeys(TEXT_ENDS, END_OF_TEXT) | {"<s>": "start", "<unk>": UNKNOWN_SIGN}
_WHITE = {"": "white space", "\n": "new line", "\t": "tab stop"}
_BYTE = re.compile(r"<0x([0-9A-F]{2})>")
# As in `tokenize`, an apostrophe or a hyphen between letters belongs to the word.
_LETTERS = r"[^\W\d_]+"
_WORD = re.compile(rf" ?(?:{_LETTERS}(?:['’-]{_LETTERS})*|\d+|\S)")
_PART = re.compile(rf"{_WORD.pattern}|['’-]{_LETTERS}")  # such as 's, of it's


def bare(label: str) -> str:
    """A label without the space that begins a word; white space alone gets a sign.

    >>> bare(" frog"), bare(" "), bare("\\n")
    ('frog', '␣', '⏎')
    """
    return label.strip() or {"": ""}.get(label, "⏎" if "\n" in label else "␣")


def touching(labels: Sequence[str]) -> list[int]:
    """The places of pieces that stand right behind the one before, letters or marks: those without
    a space where others have one, and those with the mark ##.

    >>> touching([" a", " f", "r", "og", "."]), touching(["it", "##s"]), touching(["a", "b"])
    ([2, 3, 4], [1], [])
    """
    spaced = any(label.startswith(" ") for label in labels)
    return [
        place
        for place, label in enumerate(labels[1:], start=1)
        if label.startswith(CONTINUATION_MARK)
        or (spaced and not label.startswith((" ", "\n", "[pad]")))
    ]


def continued(labels: Sequence[str]) -> list[int]:
    """The places of pieces that continue a word; none where labels are no pieces.

    >>> continued([" a", " f", "r", "og", "."]), continued(["it", "##s"]), continued(["a", "b"])
    ([2, 3], [1], [])
    """
    if not touching(labels):
        return []
    return [place for one in word_slices(labels) for place in range(one.start + 1, one.stop)]


def joined(pieces: Sequence[str]) -> str:
    """Pieces as one label: a piece that continues a word has no space before it.

    >>> joined([" f", "r", "og"]), joined(["the", "hall", "##way"])
    (' frog', 'the hallway')
    """
    if any(piece.startswith(" ") for piece in pieces):
        return "".join(pieces)
    return " ".join(pieces).replace(f" {CONTINUATION_MARK}", "")


def word_slices(pieces: Sequence[str]) -> list[slice]:
    """The places of each word among pieces, one slice after another. A word is letters, with the
    space before them, in one piece or in several; so is a number. A mark stands alone.

    >>> pieces = [" a", " f", "r", "o", "g", " ", "W", "h", "at", "."]
    >>> [(one.start, one.stop) for one in word_slices(pieces)]
    [(0, 1), (1, 5), (5, 9), (9, 10)]
    >>> [(one.start, one.stop) for one in word_slices(["it", "##s", "red"])]
    [(0, 2), (2, 3)]
    >>> [(one.start, one.stop) for one in word_slices([" it", "'s", " -", "a"])]
    [(0, 2), (2, 3), (3, 4)]
    """
    units, goes_on = _characters(pieces), set[int]()
    if any(piece.startswith(CONTINUATION_MARK) for piece in pieces):
        goes_on = {n for n, piece in enumerate(pieces) if piece.startswith(CONTINUATION_MARK)}
    else:
        # What is no text, such as <s>, is as good as white space.
        texts = [text if len(text) == 1 or _PART.fullmatch(text) else "\n" for _, text in units]
        starts = dict(zip(accumulate(map(len, texts), initial=0), units, strict=False))
        for word in _WORD.finditer("".join(texts)):
            goes_on |= {starts[at][0] for at in range(word.start() + 1, word.end()) if at in starts}
    first = [place for place, _ in units if place == 0 or place not in goes_on]
    return [slice(*pair) for pair in pairwise([*first, len(pieces)])]


def readable(*pieces: str) -> str:
    """A word or a mark, given as its pieces, as people write it: without the space before it; white
    space, bytes and the ends of a text have a name.

    >>> readable(" f", "r", "o", "g"), readable(" ", "("), readable("<0x0A>"), readable("<s>")
    ('frog', '(', 'new line', 'start')
    >>> readable("<0xE6>"), readable("<0xE6>", "<0x97>", "<0xA5>"), readable("hall", "##way")
    ('a sign this model does not know', '日', 'hallway')
    """
    if (whole := "".join(pieces)) in _ENDS:
        return _ENDS[whole]
    without_mark = (piece.removeprefix(CONTINUATION_MARK) for piece in pieces)
    text = "".join(text for _, text in _characters(list(without_mark))).strip(" ")
    if text in _WHITE or text.isspace():
        return _WHITE.get(text, _WHITE[""])
    text = text.strip()
    return UNKNOWN_SIGN if "\ufffd" in text or not text.isprintable() else text


def _characters(pieces: Sequence[str]) -> list[tuple[int, str]]:
    """The place and the text of each piece; the bytes of a character are one, at its first byte."""
    characters: list[tuple[int, str]] = []
    waiting = b""  # bytes of a character that is not complete
    for place, piece in enumerate(pieces):
        byte = _BYTE.fullmatch(piece)
        if byte is None:
            waiting = b""
            characters.append((place, piece))
            continue
        one = bytes.fromhex(byte[1])
        if waiting and 0x80 <= one[0] < 0xC0:
            waiting += one
            characters[-1] = (characters[-1][0], waiting.decode("utf-8", errors="replace")[:1])
        else:
            waiting = one
            characters.append((place, one.decode("utf-8", errors="replace")))
    return characters
