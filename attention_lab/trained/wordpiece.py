"""A text becomes the pieces of a trained vocabulary: BERT's uncased tokenisation and WordPiece.

What counts as a space, a punctuation mark or an accent is data, not Python's own Unicode tables,
which grow with every version: the model was trained with the tables of its day. Source: Devlin et
al. 2019, section 3; the rules are those of the `tokenizers` library, whose pieces a test compares.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from attention_core.checks import check_text, whole_number
from attention_core.errors import TextError
from attention_core.text import CONTINUATION_MARK, MAX_CHARACTERS

FIRST, LAST, UNKNOWN, FILLER = "[CLS]", "[SEP]", "[UNK]", "[PAD]"
_SPECIAL = re.compile(r"(\[(?:PAD|UNK|CLS|SEP|MASK)\])")
_LONGEST_WORD = 100


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
    """What a character does in a text: vanish, part words, stand alone as a mark or ideograph,
    or be an accent.
    """

    removed: CodePoints
    spaces: CodePoints
    accents: CodePoints
    ideographs: CodePoints
    punctuation: CodePoints


@dataclass(frozen=True)
class Pieces:
    """The tokens that the model reads, [CLS] first and [SEP] last, their numbers in the vocabulary,
    and remarks.

    n_real: how many of them are the text's; the others are [PAD] at the end. n_left_out: how many
    of the text's have no place among them.
    """

    tokens: tuple[str, ...]
    ids: tuple[int, ...]
    n_real: int
    notes: tuple[str, ...] = ()
    n_left_out: int = 0


@dataclass(frozen=True, eq=False)
class WordPiece:
    """A vocabulary of words and pieces of words ("##ing"), and the characters' roles."""

    vocabulary: Mapping[str, int]
    characters: Characters

    def read(self, text: str, n_tokens: int, fill: bool = False) -> Pieces:
        """The pieces of a text between [CLS] and [SEP], cut to n_tokens in all; with fill, [PAD]
        makes up what lacks.

        Raises: TextError when there is nothing to read, or too much; SettingsError for a number of
        tokens below 1.
        """
        check_text("text", text)
        whole_number("n_tokens", n_tokens, 1)
        if len(text) > MAX_CHARACTERS:
            raise TextError(
                f"The text has {len(text):,} characters, but at most {MAX_CHARACTERS:,} are read:"
                " cut it"
            )
        found = self.pieces(text)
        if not found:
            raise TextError(
                "The text holds no word, so there is nothing to attend to: type at least one"
            )
        total, room = len(found) + 2, max(0, n_tokens - 2)
        tokens = (FIRST, *found[:room], LAST)[:n_tokens]
        n_filled = max(0, n_tokens - total) if fill else 0
        notes, there_are = [], f"With {FIRST} and {LAST} there are {total} tokens"
        if total > n_tokens:
            one = "the first of the text is" if room else "none of the text is"
            used = f"the first {room} of the text are" if room > 1 else one
            notes.append(f"{there_are}; {used} used.")
        if n_filled:
            verb = "fills" if n_filled == 1 else "fill"
            notes.append(f"{there_are}; {n_filled} {FILLER} {verb} up to {n_tokens}.")
        filled = tokens + (FILLER,) * n_filled
        ids, n_real = tuple(self.vocabulary[token] for token in filled), len(tokens)
        return Pieces(filled, ids, n_real, tuple(notes), total - n_real)

    def pieces(self, text: str) -> list[str]:
        """All pieces of a text; [CLS], [SEP], [MASK], [PAD] and [UNK] written in it count as
        those tokens.
        """
        check_text("text", text)
        found: list[str] = []
        for part in _SPECIAL.split(text):
            if _SPECIAL.fullmatch(part):
                found.append(part)
            else:
                found += [piece for word in self._words(part) for piece in self._cut(word)]
        return found

    def _words(self, text: str) -> Iterator[str]:
        """Words and single marks, in small letters without accents."""
        word = ""
        for character in self._plain(text):
            if character == " " or character in self.characters.punctuation:
                yield from (part for part in (word, character.strip(" ")) if part)
                word = ""
            else:
                word += character
        if word:
            yield word

    def _plain(self, text: str) -> str:
        """The text without controls and accents, in small letters, every ideograph between
        spaces.
        """
        roles = self.characters
        clean = "".join(" " if c in roles.spaces else c for c in text if c not in roles.removed)
        spaced = "".join(f" {c} " if c in roles.ideographs else c for c in clean)
        letters = (c for c in unicodedata.normalize("NFD", spaced) if c not in roles.accents)
        # Letter by letter: in a whole word Python would end Greek words with another sigma.
        return "".join(c.lower() for c in letters)

    def _cut(self, word: str) -> list[str]:
        """The longest piece in the vocabulary that the word begins with, then the longest of
        the rest, and so on.
        """
        if len(word) > _LONGEST_WORD:
            return [UNKNOWN]
        found: list[str] = []
        start = 0
        while start < len(word):
            prefix = CONTINUATION_MARK if start else ""
            ends = range(len(word), start, -1)
            end = next((end for end in ends if prefix + word[start:end] in self.vocabulary), None)
            if end is None:
                return [UNKNOWN]
            found.append(prefix + word[start:end])
            start = end
        return found
