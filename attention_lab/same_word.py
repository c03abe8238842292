"""The same word in three heads: what one made by hand, one of the language model and one of the
trained encoder read from it, counted on the words of the sentence.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from attention_core.checks import Array
from attention_core.errors import AttentionError, TextError
from attention_core.trace import Trace

from .by_hand import FIRST_LAYER, SPECIAL_TOKENS
from .cache import cached
from .column_names import column_names
from .heads.keys_read import keys_read_most
from .presets import PRONOUN_HEAD, in_model
from .readings import answered_names, asked_names
from .scenario import Scenario, trace_of
from .user_data.matrix_names import MAX_TOKENS
from .weight_kinds import BY_HAND, LANGUAGE_MODEL, TRAINED
from .words.text import CONTINUATION_MARK, tokenize_at_most

HAND, LANGUAGE, ENCODER = READERS = (BY_HAND.name, LANGUAGE_MODEL.name, TRAINED.name)
_BYTE = re.compile(r"<0x([0-9A-F]{2})>")
_SIGNS = ("<s>", "</s>", *SPECIAL_TOKENS)


@dataclass(frozen=True)
class HandReading:
    """What a word reads in a head whose columns have names.

    asks: the names of what it asks for. keys: the places with the largest share, several if they
    are equal. share: of each of them. answers: the names with which all of them answer. of: how
    many places it may see.
    """

    asks: tuple[str, ...]
    keys: tuple[int, ...]
    share: float
    answers: tuple[str, ...]
    of: int


def hand_reading(trace: Trace, scenario: Scenario, head: int, query: int) -> HandReading | None:
    """What a word reads in a head made by hand; None where the columns have no names, the names do
    not say what the head asks for, or the word sees no key.

    >>> chosen = Scenario("the cat and it", d_model=8, n_heads=2, weights="by hand")
    >>> hand_reading(trace_of(chosen), chosen, 0, 3).answers
    ('noun', 'animate')
    """
    names, keys = column_names(scenario), keys_read_most(trace, head, query)
    if names is None or not keys or (names.asks_for and names.asks_for[head]):
        return None
    answers = [answered_names(trace, names, head, query, key) for key in keys]
    row_S = trace.probabilities[0, head, query]
    return HandReading(
        asked_names(trace, names, head, query),
        keys,
        float(row_S[keys[0]]),
        tuple(name for name in answers[0] if all(name in one for one in answers)),
        int((row_S > 0).sum()),
    )


@dataclass(frozen=True, eq=False)
class Reader:
    """A head that reads from a word. kind: one of `READERS`. head, query: its place there, in the
    scenario that shows it. shares: what each word of the sentence gets; rest: what the signs of the
    model get, such as its start. why: why it reads nothing of this sentence, or "".

    Shapes: shares (W,).
    """

    kind: str
    scenario: Scenario
    head: int = 0
    query: int = 0
    shares: Array | None = None
    rest: float = 0.0
    why: str = ""

    @property
    def most(self) -> tuple[int, ...]:
        """The words with the largest share; none if it reads nothing."""
        if self.shares is None or self.shares.max() <= 0:
            return ()
        return tuple(np.flatnonzero(self.shares >= self.shares.max() * (1 - 1e-9)).tolist())


def words_of(text: str) -> tuple[str, ...]:
    """The words of a sentence as all three count them. Raises: TextError."""
    return tokenize_at_most(text, MAX_TOKENS).tokens


@cached
def readers_of(text: str, word: int) -> tuple[Reader, ...]:
    """The three heads at the same word of a sentence. In the language model the head of its last
    layer in which the word gives most to another word; in the encoder the head that is known for
    pronouns. Raises: TextError.
    """
    words = words_of(text)
    made = Scenario(text, d_model=8, n_heads=2, weights=HAND)
    hand = Reader(HAND, made, 0, word, trace_of(made).probabilities[0, 0, word])
    if not FIRST_LAYER.asks(words[word : word + 1]):
        hand = replace(hand, shares=None, why="it asks for nothing")
    elif not FIRST_LAYER.answers(words):
        hand = replace(hand, shares=None, why="no noun is there to answer")
    others = (_in_model(text, words, word, kind) for kind in (LANGUAGE, ENCODER))
    return (hand, *others)


def _in_model(text: str, words: Sequence[str], word: int, kind: str) -> Reader:
    """The same word in a head of a model."""
    scenario = Scenario(text, weights=kind)
    try:
        scenario, _ = in_model(scenario, kind)
        trace = trace_of(scenario)
    except AttentionError:
        return Reader(kind, scenario, why="its weights are not here")
    try:
        places = places_of(trace.labels("T"), words)
    except TextError:
        return Reader(kind, scenario, why="its pieces are not those of the words")
    pieces = [piece for piece, place in enumerate(places) if place == word]
    if not pieces:
        return Reader(kind, scenario, why=f"it reads {MAX_TOKENS} pieces, and the word is behind")
    query = pieces[-1]
    summed_HW = _on_words(trace.probabilities[0, :, query], places, len(words))
    head = PRONOUN_HEAD
    if kind == LANGUAGE:
        head = int(np.delete(summed_HW, word, axis=1).max(axis=1, initial=0).argmax())
    shares = summed_HW[head]
    return Reader(kind, scenario, head, query, shares, max(0.0, 1 - float(shares.sum())))


def _on_words(rows_HS: Array, places: Sequence[int | None], n_words: int) -> Array:
    """The shares of pieces added up for each word. Shapes: (H, S) -> (H, W)."""
    summed_HW = np.zeros((len(rows_HS), n_words))
    for piece, place in enumerate(places):
        if place is not None:
            summed_HW[:, place] += rows_HS[:, piece]
    return summed_HW


def places_of(pieces: Sequence[str], words: Sequence[str]) -> list[int | None]:
    """The word of each piece; None for signs of the model and for white space. Raises: TextError
    where the letters of the pieces are not those of the words.

    >>> places_of(["<s>", " The", " f", "rog", "."], ["The", "frog", "."])
    [None, 0, 1, 1, 2]
    >>> places_of(["[CLS]", "cafe", "[UNK]", "[SEP]"], ["café", "☃"])
    [None, 0, 1, None]
    """
    plain = pieces[0] == "[CLS]"  # without accents and capitals
    left, place = [_letters(word, plain) for word in words], 0
    places: list[int | None] = []
    for piece in pieces:
        letters = _letters(piece, plain)
        if piece in _SIGNS or not letters:
            places.append(None)
            continue
        if place == len(left) or not (left[place].startswith(letters) or piece == "[UNK]"):
            raise TextError("The pieces are not those of the words")
        places.append(place)
        left[place] = b"" if piece == "[UNK]" else left[place][len(letters) :]
        place += not left[place]
    return places


def _letters(piece: str, plain: bool) -> bytes:
    """The bytes of a piece without white space, as its model reads them."""
    if byte := _BYTE.fullmatch(piece):
        return bytes.fromhex(byte[1]).strip()
    text = "".join(piece.removeprefix(CONTINUATION_MARK).split())
    if plain and piece != "[UNK]":
        parts = unicodedata.normalize("NFD", text.lower())
        text = "".join(one for one in parts if unicodedata.category(one) != "Mn")
    return text.encode("utf-8", "ignore")
