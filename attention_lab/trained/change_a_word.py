"""Two sentences that differ in one word, and how the attention of every head of a model changes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array
from attention_core.errors import TextError

from ..words.numbers import Count, Share
from ..words.pieces import joined
from .attention_maps import AttentionMaps
from .head_finder import positions_of_words


@dataclass(frozen=True)
class ShareChange:
    """The share that a query gives a key in one head, before and after the change."""

    layer: Count
    head: Count
    query: int
    key: int
    before: Share
    after: Share


@dataclass(frozen=True, eq=False)
class ChangedWord:
    """The attention of all heads on both sentences. Where they differ, the tokens are merged into
    one position.

    Shapes: before and after (L, H, N, N). tokens_before, tokens_after: N labels each. position: the
    one that differs.
    """

    before: Array
    after: Array
    tokens_before: tuple[str, ...]
    tokens_after: tuple[str, ...]
    position: int

    @property
    def tokens(self) -> tuple[str, ...]:
        """One label for each position; the one that differs has both words."""
        new = self.tokens_after[self.position].lstrip()
        tokens = list(self.tokens_before)
        tokens[self.position] += f" → {new}"
        return tuple(tokens)

    @property
    def words(self) -> tuple[slice, ...]:
        """The positions of each word, one after another; mostly one."""
        positions = positions_of_words(self.tokens_before)
        return tuple(slice(word[0], word[-1] + 1) for word in positions)

    @property
    def in_words(self) -> ChangedWord:
        """The same with one position for each word, whatever pieces spell it, so that words can be
        compared between models: as queries its pieces have their mean, as keys their sum.
        """
        words = self.words
        before, after = (_by_groups(one, words) for one in (self.before, self.after))
        was, comes = (
            tuple(joined(tokens[one]) for one in words)
            for tokens in (self.tokens_before, self.tokens_after)
        )
        return ChangedWord(before, after, was, comes, self.word_at(self.position))

    def word_at(self, position: int) -> int:
        """The number of the word that has a position."""
        return next(number for number, one in enumerate(self.words) if position < one.stop)

    @property
    def differences(self) -> Array:
        """After minus before. Shapes: (L, H, N, N)."""
        difference_LHNN: Array = self.after - self.before
        return difference_LHNN

    @property
    def moved(self) -> Array:
        """The part of its attention that a query of each head moves to other keys, on average: ½ Σ
        |after - before|.

        Shapes: (L, H). Units or range: 0 to 1, the total variation distance.
        """
        moved_LH: Array = 0.5 * np.abs(self.differences).sum(axis=-1).mean(axis=-1)
        return moved_LH

    def largest(self, count: int = 5) -> list[ShareChange]:
        """The shares that changed most, the largest change first; at most one for each head."""
        n_layers, n_heads, n_tokens, _ = self.before.shape
        sizes_LHC = np.abs(self.differences).reshape(n_layers, n_heads, -1)
        cells_LH, largest_LH = sizes_LHC.argmax(axis=-1), sizes_LHC.max(axis=-1)
        order = np.argsort(-largest_LH, axis=None, kind="stable")[:count]
        changes = []
        for layer, head in zip(*np.unravel_index(order, largest_LH.shape), strict=True):
            query, key = divmod(int(cells_LH[layer, head]), n_tokens)
            cell = (Count(layer), Count(head), query, key)
            changes.append(ShareChange(*cell, Share(self.before[cell]), Share(self.after[cell])))
        return changes


def replace_word(text: str, old: str, new: str) -> str:
    """The text with its first `old`, a whole word in any case, replaced by `new`.

    Raises: TextError when a word is empty, or the text does not contain the old one.

    >>> replace_word("It was too tired, so tired.", "tired", "wide")
    'It was too wide, so tired.'
    """
    old, new = old.strip(), new.strip()
    if not old or not new:
        raise TextError("A word is missing: type the word to replace, and the new one")
    if not _pattern_of(old).search(text):
        raise TextError(
            f"The sentence does not contain the word “{old[:40]}”: choose one of its words"
        )
    return _pattern_of(old).sub(lambda _: new, text, count=1)


def word_to_replace(text: str, wanted: str, n_shown: int | None = None) -> str:
    """The wanted word if the text contains it, else the last word of the text. The wanted word also
    if the text has no words. n_shown: how many letters of a text that was cut the model reads.

    >>> word_to_replace("It was too wide.", "Wide"), word_to_replace("It was too wide.", "tired")
    ('Wide', 'wide')
    >>> word_to_replace("It was too wide.", "tired", 12)
    'too'
    """
    if wanted.strip() and _pattern_of(wanted.strip()).search(text):
        return wanted.strip()
    words = [word for word in re.finditer(r"\w+", text) if word.end() <= (n_shown or len(text))]
    return words[-1][0] if words else wanted


def _pattern_of(word: str) -> re.Pattern[str]:
    """Finds a whole word in any case."""
    return re.compile(rf"(?<!\w){re.escape(word)}(?!\w)", re.IGNORECASE)


def changed_word(before: AttentionMaps, after: AttentionMaps) -> ChangedWord:
    """The attention of a model's heads on a text, and on the same text after `replace_word`.

    The pieces that differ are one position: as queries they have their mean, as keys their sum.
    Source: Clark et al. 2019, section 4.1. Raises: TextError when the tokens are the same.
    """
    first, ends = _difference(before.tokens, after.tokens)
    merged, labels = [], []
    for maps, end in zip((before, after), ends, strict=True):
        merged.append(np.stack([_merged(layer, first, end) for layer in maps.layers]))
        merged[-1].setflags(write=False)
        tokens = maps.tokens
        labels.append((*tokens[:first], joined(tokens[first:end]), *tokens[end:]))
    return ChangedWord(merged[0], merged[1], labels[0], labels[1], first)


def _difference(before: tuple[str, ...], after: tuple[str, ...]) -> tuple[int, tuple[int, int]]:
    """Where two sequences differ: the first position, and the end of the difference in each of
    them; neither part is empty, and both are whole words.
    """
    if before == after:
        raise TextError(
            "Both sentences have the same tokens, so nothing changes: choose another word, or more"
            " tokens"
        )
    shorter = min(len(before), len(after))
    first = next((i for i in range(shorter) if before[i] != after[i]), shorter)
    same = next((i for i in range(shorter) if before[-1 - i] != after[-1 - i]), shorter)
    # A word that is only added or removed takes its left neighbour along: the position needs a
    # token in both sentences.
    same = min(same, shorter - first)
    if shorter - same == first:
        first -= 1
    begins = [{word[0] for word in positions_of_words(tokens)} for tokens in (before, after)]
    while not all(first in places for places in begins):
        first -= 1
    while same and not (len(before) - same in begins[0] and len(after) - same in begins[1]):
        same -= 1
    return first, (len(before) - same, len(after) - same)


def _merged(layer_HTT: Array, first: int, end: int) -> Array:
    """One layer with the positions from first to end - 1 as one. Shapes: (H, T, T) -> (H, N, N)."""
    others = [slice(one, one + 1) for one in range(layer_HTT.shape[-1])]
    return _by_groups(layer_HTT, (*others[:first], slice(first, end), *others[end:]))


def _by_groups(shares: Array, groups: Sequence[slice]) -> Array:
    """Shares with one position for each group of neighbours: as queries they have their mean, as
    keys their sum. Shapes: (…, T, T) -> (…, N, N).
    """
    begins = [one.start for one in groups]
    sizes_N1 = np.array([[one.stop - one.start] for one in groups], dtype=shares.dtype)
    summed: Array = np.add.reduceat(np.add.reduceat(shares, begins, axis=-1), begins, axis=-2)
    grouped: Array = summed / sizes_N1
    return grouped
