"""A text that the language model goes on writing: the prompt, what was written, what may come next,
and how it goes on when the page is full.

X piece of the vocabulary.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from zlib import crc32

import numpy as np

from attention_core.checks import Array

from ..user_data.matrix_names import MAX_TOKENS
from .allowed_models import STORIES, cached_run, writing_model
from .decoder import OffPart
from .generation import draw, drawn_number, next_probabilities
from .heads_off import run_without
from .language_model import ZERO, LanguageModel
from .language_text import most_tokens
from .model_run import LanguageModelRun
from .next_words import NextWords

N_SHOWN = 10  # words or pieces
MOST_SEEDS = 1000
PIECES_OF_WORD = 12  # a longer word is written in parts
MOST_TAKEN_ALONG = 24  # pieces of a full page with which a new one begins
_SENTENCE = re.compile(r"(?<=[.!?])[\"”']?\s+")


@dataclass(frozen=True)
class Writing:
    """A prompt and the pieces written after it, as ids, with the settings of the next draw.

    temperature: 0 or more. top_p: above 0, up to 1. off: parts that are switched off. model: the
    name of the one that writes.
    """

    prompt: tuple[int, ...]
    written: tuple[int, ...] = ()
    temperature: float = 1.0
    top_p: float = 1.0
    seed: int = 0
    off: tuple[OffPart, ...] = ()
    model: str = STORIES

    @property
    def writer(self) -> LanguageModel:
        """The model that writes."""
        return writing_model(self.model)

    @property
    def ids(self) -> tuple[int, ...]:
        """The whole text."""
        return self.prompt + self.written

    @property
    def room(self) -> int:
        """How many more pieces a page shows."""
        return most_tokens(self.model) - len(self.ids)

    @property
    def run(self) -> LanguageModelRun:
        """The whole text in the model."""
        return run_without(self.ids, self.off, ZERO, self.model)

    @property
    def logits(self) -> Array:
        """How well every piece fits after the text. Shapes: (X,)."""
        logits_X: Array = self.run.logits[-1]
        return logits_X

    @property
    def scaled_logits(self) -> Array:
        """The logits divided by the temperature, unless that is 0. Shapes: (X,)."""
        scaled_X: Array = self.logits / (self.temperature or 1.0)
        return scaled_X

    @property
    def model_shares(self) -> Array:
        """The share of every piece as the model says it: temperature 1, no top-p. Shapes: (X,)."""
        return next_probabilities(self.logits)

    @property
    def whole_shares(self) -> Array:
        """The share of every piece with this temperature, before top-p. Shapes: (X,)."""
        return next_probabilities(self.logits, self.temperature)

    @property
    def shares(self) -> Array:
        """The share of every piece to come next, with this temperature and top-p. Shapes: (X,)."""
        return next_probabilities(self.logits, self.temperature, self.top_p)

    @property
    def left(self) -> float:
        """What the shares of the pieces within top-p add up to before they are divided by it."""
        return float(self.whole_shares[self.shares > 0].sum())

    @property
    def drawn(self) -> float:
        """The number from 0 to 1 that the seed draws for the next piece."""
        return drawn_number(self.seed, len(self.ids))

    @property
    def next_id(self) -> int | None:
        """The piece that is drawn next; None if it ends the story, or the page is full."""
        one = draw(self.shares, self.seed, len(self.ids))
        return None if one in self.writer.tokenizer.ends or self.room < 1 else one

    @property
    def words(self) -> tuple[slice, ...]:
        """The words that were written, as slices of ids; the first may end a word of the prompt."""
        first = len(self.prompt)
        shown = [one for one in self.writer.words(self.ids) if one.stop > first]
        return tuple(slice(max(one.start, first), one.stop) for one in shown)

    def after(self, *ids: int) -> tuple[int, ...]:
        """The state after more pieces, as `written_after` reads it."""
        return mark(self.prompt, self.written + ids)


@dataclass(frozen=True, eq=False)
class Continuations:
    """What may come next: the most probable words or pieces, and all others as one.

    names: as people write words; of pieces as the vocabulary has them. shares: as the model says
    them; drawn: with temperature and top-p. Their last entries are of all others. ids: the pieces
    that write each.
    """

    names: tuple[str, ...]
    shares: tuple[float, ...]
    drawn: tuple[float, ...]
    ids: tuple[tuple[int, ...], ...]

    @property
    def drawable(self) -> list[tuple[str, float]]:
        """Those that can be drawn, the most probable one first; without the others."""
        pairs = [pair for pair in zip(self.names, self.drawn, strict=False) if pair[1] > 0]
        return sorted(pairs, key=lambda pair: -pair[1])

    @property
    def is_certain(self) -> bool:
        """Whether only one of them can be drawn, and no other."""
        return len(self.drawable) == 1 and not self.drawn[-1]


def continuations(writing: Writing, pieces: bool) -> Continuations:
    """What may come next, as words or as pieces. The order does not depend on the settings.

    >>> from attention_lab.trained.language_text import language_ids
    >>> frog = Writing(language_ids("One day, a little frog was very sad. The"), temperature=0)
    >>> found = continuations(frog, pieces=False)
    >>> found.names[:2], round(found.shares[0], 3), found.drawn[:2]
    (('frog', 'big'), 0.767, (1.0, 0.0))
    """
    if pieces:
        order = list(map(int, np.argsort(-writing.logits, kind="stable")[:N_SHOWN]))
        names = tuple(writing.writer.pieces(order))
        shares = tuple(map(float, writing.model_shares[order]))
        drawn = tuple(map(float, writing.shares[order]))
        ids: tuple[tuple[int, ...], ...] = tuple((one,) for one in order)
    else:
        next_words = next_words_of(writing.ids, writing.off, writing.model)
        names, shares = (
            tuple(word for word, _ in next_words),
            tuple(share for _, share in next_words),
        )
        drawn, ids = shares, tuple(next_words.spellings[word] for word in names)
        if (writing.temperature, writing.top_p) != (1, 1):
            drawn = drawn_of(writing, names)
    rests = (max(0.0, 1 - sum(one)) for one in (shares, drawn))
    rest, of_drawn = (one if one > 1e-9 else 0.0 for one in rests)
    return Continuations(names, (*shares, rest), (*drawn, of_drawn), ids)


@cached_run
def next_words_of(
    ids: tuple[int, ...], off: tuple[OffPart, ...] = (), model: str = STORIES
) -> NextWords:
    """The most probable words after a text, with parts switched off."""
    return run_without(ids, off, ZERO, model).next_words(N_SHOWN)


@cached_run
def drawn_of(writing: Writing, words: tuple[str, ...]) -> tuple[float, ...]:
    """With which probability each of some words is drawn next."""
    shares = writing.run.word_shares(words, writing.temperature, writing.top_p)
    return tuple(shares.values())


@cached_run
def goes_on(writing: Writing, n_pieces: int) -> tuple[int, ...]:
    """The next pieces, at most n_pieces and as many as there is room for, each drawn as the one
    before it was.

    >>> from attention_lab.trained.language_text import language_ids
    >>> frog = Writing(language_ids("One day, a little frog was very sad. The"), temperature=0)
    >>> frog.writer.decode(goes_on(frog, 4))
    ' frog'
    """
    settings = (writing.temperature, writing.top_p, writing.seed)
    n_wanted = min(n_pieces, writing.room)
    return tuple(writing.writer.generate(writing.ids, n_wanted, *settings, writing.off))


def goes_on_by_words(writing: Writing, n_words: int) -> tuple[int, ...]:
    """The pieces of the next words, at most n_words: each word whole, as far as there is room.

    >>> from attention_lab.trained.language_text import language_ids
    >>> frog = Writing(language_ids("One day, a little frog was very sad. The"), temperature=0)
    >>> frog.writer.decode(goes_on_by_words(frog, 2))
    ' frog was'
    """
    many, n_before = goes_on(writing, n_words * PIECES_OF_WORD), len(writing.ids)
    words = writing.writer.words(writing.ids + many)
    ends = [one.stop - n_before for one in words if one.stop > n_before]
    return many[: ends[n_words - 1]] if len(ends) > n_words else many


def without_last_word(writing: Writing) -> tuple[int, ...]:
    """What was written, without its last word."""
    *_, last = (slice(len(writing.prompt), None), *writing.words)
    return writing.written[: last.start - len(writing.prompt)]


def drawn_again(writing: Writing) -> Writing:
    """The text before anything was written, with the next seed."""
    return replace(writing, written=(), seed=(writing.seed + 1) % MOST_SEEDS)


def carried_over(writing: Writing) -> str:
    """The end of a full page, with which a new one begins: its last sentences, or if even the last
    one is too long its last words.

    >>> carried_over(Writing(tuple(writing_model().encode("The cat sat. " * 9 + "It was a big"))))
    'The cat sat. The cat sat. The cat sat. It was a big'
    """
    model = writing.writer
    text = model.decode(writing.ids)
    starts = [0, *(sentence.end() for sentence in _SENTENCE.finditer(text))]
    starts += [word.start() for word in re.finditer(r"\S+", text)]
    ends = (text[start:].strip() for start in starts)
    return next((one for one in ends if 1 < len(model.encode(one)) <= MOST_TAKEN_ALONG), "")


def mark(prompt: Sequence[int], written: Sequence[int]) -> tuple[int, ...]:
    """Written pieces, after a number that belongs to their prompt alone; () without any."""
    return (_number_of(prompt), *written) if written else ()


def written_after(prompt: Sequence[int], marked: Sequence[int]) -> tuple[int, ...]:
    """The pieces that were written after a prompt, as far as a page shows them; none if they
    belong to another one.

    >>> written_after([1, 2], mark([1, 2], [7, 8])), written_after([1, 3], mark([1, 2], [7, 8]))
    ((7, 8), ())
    """
    if not marked or marked[0] != _number_of(prompt):
        return ()
    return tuple(marked[1:])[: max(0, MAX_TOKENS - len(prompt))]


def _number_of(prompt: Sequence[int]) -> int:
    return crc32(np.array(prompt, dtype="<u4").tobytes()) % 10_000
