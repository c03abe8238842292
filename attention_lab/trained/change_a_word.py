"""Two sentences that differ in one place, and what every trained head does differently with
them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from attention_core.cache import cached
from attention_core.checks import Array, check_text, whole_number
from attention_core.errors import TextError

from .encoded_text import attention_of


@dataclass(frozen=True)
class ShareChange:
    """A share of attention that changed most: from a query to a key, in one head, before and
    after.
    """

    layer: int
    head: int
    query: int
    key: int
    before: float
    after: float


@dataclass(frozen=True, eq=False)
class ChangedWord:
    """The attention of all heads on both sentences; the place that differs is one position,
    whatever its pieces.

    Shapes: before and after (L, H, N, N). tokens: N labels each. place: the position that differs.
    """

    before: Array
    after: Array
    tokens_before: tuple[str, ...]
    tokens_after: tuple[str, ...]
    place: int

    @property
    def tokens(self) -> tuple[str, ...]:
        """One label for each position; where the sentences differ both words."""
        both = f"{self.tokens_before[self.place]} → {self.tokens_after[self.place]}"
        return (*self.tokens_before[: self.place], both, *self.tokens_before[self.place + 1 :])

    @property
    def differences(self) -> Array:
        """After minus before. Shapes: (L, H, N, N)."""
        difference_LHNN: Array = self.after - self.before
        return difference_LHNN

    @property
    def moved(self) -> Array:
        """How much of its attention a query of each head looks elsewhere with, on average: ½ Σ
        |after - before|.

        Shapes: (L, H). Units or range: 0 to 1, the total variation distance.
        """
        moved_LH: Array = 0.5 * np.abs(self.differences).sum(axis=-1).mean(axis=-1)
        return moved_LH

    def largest(self, count: int = 5) -> list[ShareChange]:
        """The cells that changed most, the strongest first, one for each head at most."""
        whole_number("count", count, 0)
        n_layers, n_heads, n_tokens, _ = self.before.shape
        sizes_LHC = np.abs(self.differences).reshape(n_layers, n_heads, -1)
        cells_LH, most_LH = sizes_LHC.argmax(axis=-1), sizes_LHC.max(axis=-1)
        order = np.argsort(-most_LH, axis=None, kind="stable")[:count]
        moves = []
        for layer, head in zip(*np.unravel_index(order, most_LH.shape), strict=True):
            query, key = divmod(int(cells_LH[layer, head]), n_tokens)
            at = (int(layer), int(head), query, key)
            moves.append(ShareChange(*at, float(self.before[at]), float(self.after[at])))
        return moves


def replace_word(text: str, old: str, new: str) -> str:
    """The text with the first `old` in it, as a whole word in any case, replaced by `new`.

    Raises: TextError when one of them is empty, or the word is not there.

    >>> replace_word("It was too tired, so tired.", "tired", "wide")
    'It was too wide, so tired.'
    """
    for name, given in (("text", text), ("old", old), ("new", new)):
        check_text(name, given)
    old, new = old.strip(), new.strip()
    if not old or not new:
        raise TextError("A word is missing: say which word is replaced, and by what")
    if not _whole(old).search(text):
        raise TextError(
            f"The sentence does not hold the word “{old[:40]}”: choose one that stands in it"
        )
    return _whole(old).sub(lambda _: new, text, count=1)


def word_to_replace(text: str, wish: str) -> str:
    """The wished word if the text holds it, else the last word of the text; the wish where there is
    no word at all.

    >>> word_to_replace("It was too wide.", "Wide"), word_to_replace("It was too wide.", "tired")
    ('Wide', 'wide')
    """
    check_text("text", text)
    check_text("wish", wish)
    if wish.strip() and _whole(wish.strip()).search(text):
        return wish.strip()
    return next(iter(re.findall(r"\w+", text)[-1:]), wish)


def is_repeated(text: str, word: str) -> bool:
    """Whether a text holds a word more than once, as a whole word in any case.

    >>> is_repeated("The cat saw the dog", "the"), is_repeated("The cat saw the dog", "dog")
    (True, False)
    """
    check_text("text", text)
    check_text("word", word)
    return len(_whole(word).findall(text)) > 1


def _whole(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(word)}(?!\w)", re.IGNORECASE)


@cached
def change_word(text: str, old: str, new: str, n_tokens: int = 0) -> ChangedWord:
    """What the trained heads do with a text, and with the same text after `replace_word`.

    Pieces that differ count as one place: from several the mean counts, to several their sum.
    Source: Clark et al. 2019, section 4.1. Raises: TextError when the tokens are the same,
    FileError, SettingsError.
    """
    before, after = (attention_of(each, n_tokens) for each in (text, replace_word(text, old, new)))
    first, ends = _difference(before.tokens, after.tokens)
    merged = [
        np.stack([_merged(layer, first, end) for layer in maps.layers])
        for maps, end in zip((before, after), ends, strict=True)
    ]
    for array in merged:
        array.setflags(write=False)
    labels = [
        (*tokens[:first], _joined(tokens[first:end]), *tokens[end:])
        for tokens, end in zip((before.tokens, after.tokens), ends, strict=True)
    ]
    return ChangedWord(merged[0], merged[1], labels[0], labels[1], first)


def _difference(before: tuple[str, ...], after: tuple[str, ...]) -> tuple[int, tuple[int, int]]:
    """Where two sequences differ: the first position, and the one after the last in each of
    them, never empty.
    """
    if before == after:
        raise TextError(
            "Both sentences have the same tokens, so nothing changes: choose another word, or more"
            " tokens"
        )
    shorter = min(len(before), len(after))
    first = next((i for i in range(shorter) if before[i] != after[i]), shorter)
    same = next((i for i in range(shorter) if before[-1 - i] != after[-1 - i]), shorter)
    # A word that only comes in or goes out takes its left neighbour along: a place needs a token in
    # both sentences.
    same = min(same, shorter - first)
    if shorter - same == first:
        first -= 1
    return first, (len(before) - same, len(after) - same)


def _merged(layer_HTT: Array, first: int, end: int) -> Array:
    """One layer with positions first to end - 1 as one. Shapes: (H, T, T) -> (H, N, N)."""
    keys_HTN = np.concatenate(
        (
            layer_HTT[..., :first],
            layer_HTT[..., first:end].sum(axis=-1, keepdims=True),
            layer_HTT[..., end:],
        ),
        axis=-1,
    )
    return np.concatenate(
        (
            keys_HTN[:, :first],
            keys_HTN[:, first:end].mean(axis=1, keepdims=True),
            keys_HTN[:, end:],
        ),
        axis=1,
    )


def _joined(pieces: tuple[str, ...]) -> str:
    """Pieces as they are read: those marked ## are parts of the word before."""
    return " ".join(pieces).replace(" ##", "")
