"""A text as pieces of a trained vocabulary: BERT's uncased tokenisation and WordPiece.

What counts as a space, a punctuation mark or an accent is read from a file. Python's own Unicode
tables grow with every version, but the model was trained with the tables of its day. Source: Devlin
et al. 2019, section 3. The rules are those of the `tokenizers` library; a test compares the pieces.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from attention_core.errors import TextError

from ..files.file_checks import check_length
from ..words.text import CONTINUATION_MARK, MAX_CHARACTERS, Tokens

CLS, SEP, UNK, PAD = "[CLS]", "[SEP]", "[UNK]", "[PAD]"
_SPECIAL = re.compile(r"(\[(?:PAD|UNK|CLS|SEP|MASK)\])")
MAX_WORD_CHARACTERS = 100


class CodePoints:
    """A set of characters, held as ranges of code points in increasing order.

    >>> "7" in CodePoints([(48, 57), (97, 102)]), "g" in CodePoints([(48, 57), (97, 102)])
    (True, False)
    """

    def __init__(self, ranges: Iterable[tuple[int, int]]) -> None:
        pairs = [(low, high) for low, high in ranges]
        self._lows, self._highs = [low for low, _ in pairs], [high for _, high in pairs]

    def __contains__(self, character: str) -> bool:
        code = ord(character)
        position = bisect_right(self._lows, code)
        return position > 0 and code <= self._highs[position - 1]


@dataclass(frozen=True, eq=False)
class Characters:
    """What a character does in a text: it is removed, separates words, is an accent, or is a token
    of its own as an ideograph or a punctuation mark.
    """

    removed: CodePoints
    spaces: CodePoints
    accents: CodePoints
    ideographs: CodePoints
    punctuation: CodePoints


@dataclass(frozen=True)
class Pieces(Tokens):
    """The tokens that the model reads, and their numbers in the vocabulary."""

    ids: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class WordPiece:
    """A vocabulary of words and pieces of words ("##ing"), and the roles of characters."""

    vocabulary: Mapping[str, int]
    characters: Characters

    def read(self, text: str, n_tokens: int, fill: bool = False) -> Pieces:
        """The pieces of a text between [CLS] and [SEP], cut to n_tokens in all; fill adds [PAD] up
        to n_tokens.

        Raises: TextError for a text without words, and for one that is too long.
        """
        check_length(text, MAX_CHARACTERS)
        pieces = self.pieces(text)
        if not pieces:
            raise TextError(
                "The text contains no word, so there is nothing to attend to: type at least one"
            )
        total, room = len(pieces) + 2, max(0, n_tokens - 2)
        tokens = (CLS, *pieces[:room], SEP)[:n_tokens]
        n_padding = max(0, n_tokens - total) * fill
        notes, counted = [], f"Tokens with {CLS} and {SEP}: {total}."
        if total > n_tokens:
            notes.append(f"{counted} Used from the start of the text: {room}.")
        if n_padding:
            added = f"{PAD} added after them: {n_padding}"
            notes.append(f"{counted} {added}, so the length is {n_tokens}.")
        filled = tokens + (PAD,) * n_padding
        ids, n_real = tuple(self.vocabulary[token] for token in filled), len(tokens)
        return Pieces(filled, n_real, tuple(notes), total - n_real, ids)

    def pieces(self, text: str) -> list[str]:
        """All pieces of a text. [CLS], [SEP], [MASK], [PAD] and [UNK] in it are those tokens."""
        pieces: list[str] = []
        for part in _SPECIAL.split(text):
            if _SPECIAL.fullmatch(part):
                pieces.append(part)
            else:
                pieces += [piece for word in self._words(part) for piece in self._cut(word)]
        return pieces

    def _words(self, text: str) -> Iterator[str]:
        """Words and single punctuation marks, in lower case without accents."""
        word = ""
        for character in (*self._plain(text), " "):
            if character == " " or character in self.characters.punctuation:
                yield from (part for part in (word, character.strip(" ")) if part)
                word = ""
            else:
                word += character

    def _plain(self, text: str) -> str:
        """The text in lower case, without control characters and accents, with spaces around
        ideographs.
        """
        roles = self.characters
        clean = "".join(" " if c in roles.spaces else c for c in text if c not in roles.removed)
        spaced = "".join(f" {c} " if c in roles.ideographs else c for c in clean)
        letters = (c for c in unicodedata.normalize("NFD", spaced) if c not in roles.accents)
        # Letter by letter: in a whole word Python writes a final Greek sigma differently.
        return "".join(c.lower() for c in letters)

    def _cut(self, word: str) -> list[str]:
        """The longest piece of the vocabulary with which the word begins, then the longest one of
        the rest, and so on.
        """
        if len(word) > MAX_WORD_CHARACTERS:
            return [UNK]
        pieces: list[str] = []
        start = 0
        while start < len(word):
            prefix = CONTINUATION_MARK if start else ""
            ends = range(len(word), start, -1)
            end = next((end for end in ends if prefix + word[start:end] in self.vocabulary), None)
            if end is None:
                return [UNK]
            pieces.append(prefix + word[start:end])
            start = end
        return pieces
