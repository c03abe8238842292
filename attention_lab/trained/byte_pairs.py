"""Byte-pair encoding: a text is cut into characters, and neighbours are joined by a list of pieces.

Source: Sennrich, Haddow and Birch 2016; pieces with scores and bytes: Kudo and Richardson 2018
(SentencePiece).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heapify, heappop, heappush

from attention_core.checks import check_text

from ..files.file_checks import check_characters

UNKNOWN, START, END = range(3)
FIRST_BYTE, N_BYTES = 3, 256
FIRST_PIECE = FIRST_BYTE + N_BYTES
WORD_START = " "  # of the piece that begins a word


@dataclass(frozen=True, eq=False)
class BytePairs:
    """The pieces of a vocabulary by their ids, and the score of each: neighbours whose joined piece
    has the highest score are joined first.
    """

    pieces: tuple[str, ...]
    scores: tuple[float, ...]

    @property
    def ends(self) -> tuple[int, ...]:
        """The piece with which another text begins."""
        return (START,)

    @cached_property
    def ids(self) -> dict[str, int]:
        """The id of each piece that a text may hold."""
        return {piece: i for i, piece in enumerate(self.pieces) if i >= FIRST_PIECE}

    def encode(self, text: str) -> list[int]:
        """The start, then the pieces of a text with a space before it. Characters without a piece
        become their bytes in UTF-8. Raises: TextError.
        """
        check_text("text", text)
        check_characters(text)
        ids: list[int] = []
        for character in WORD_START + text if text else "":
            one = self.ids.get(character)
            as_bytes = [FIRST_BYTE + byte for byte in character.encode()]
            ids += as_bytes if one is None else [one]
        return [START, *self._join(ids)]

    def decode(self, ids: Sequence[int]) -> str:
        """The text of some ids; the space that `encode` puts after the start is left out."""
        written = bytearray()
        for before, one in zip([END, *ids], ids, strict=False):
            if FIRST_BYTE <= one < FIRST_PIECE:
                written.append(one - FIRST_BYTE)
            elif one >= FIRST_PIECE:
                piece = self.pieces[one]
                written += (piece.removeprefix(WORD_START) if before == START else piece).encode()
        return written.decode("utf-8", errors="replace")

    def _join(self, ids: list[int]) -> list[int]:
        """Join the best pair of neighbours, again and again; among equals the first one."""
        kept: list[int | None] = list(ids)
        before, after = list(range(-1, len(ids) - 1)), list(range(1, len(ids) + 1))
        waiting = [pair for left in range(len(ids)) if (pair := self._pair(kept, left, left + 1))]
        heapify(waiting)
        while waiting:
            _, left, right, *parts, joined = heappop(waiting)
            if [kept[left], kept[right]] != parts or after[left] != right:
                continue  # one of them has been joined to another
            kept[left], kept[right] = joined, None
            after[left] = after[right]
            if after[left] < len(kept):
                before[after[left]] = left
            for first, second in ((before[left], left), (left, after[left])):
                if pair := self._pair(kept, first, second):
                    heappush(waiting, pair)
        return [one for one in kept if one is not None]

    def _pair(
        self, kept: Sequence[int | None], left: int, right: int
    ) -> tuple[float, int, int, int, int, int] | None:
        """Two neighbours as they wait to be joined, or None if there is no such piece."""
        if left < 0 or right >= len(kept):
            return None
        first, second = kept[left], kept[right]
        if first is None or second is None or min(first, second) < FIRST_PIECE:
            return None
        joined = self.ids.get(self.pieces[first] + self.pieces[second])
        if joined is None:
            return None
        return (-self.scores[joined], left, right, first, second, joined)
