"""A text that the language model goes on writing, piece by piece: the prompt, what was written, and
what may come next.

X piece of the vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np

from attention_core.checks import Array

from ..cache import cached
from ..user_data.matrix_names import MAX_TOKENS
from .byte_pairs import START
from .generation import draw, drawn_number, next_probabilities
from .language_model import language_model
from .language_text import run_of_ids
from .model_run import LanguageModelRun

N_SHOWN = 10  # pieces


@dataclass(frozen=True)
class Writing:
    """A prompt and the pieces written after it, as ids, with the settings of the next draw.

    temperature: 0 or more. top_p: above 0, up to 1.
    """

    prompt: tuple[int, ...]
    written: tuple[int, ...] = ()
    temperature: float = 1.0
    top_p: float = 1.0
    seed: int = 0

    @property
    def ids(self) -> tuple[int, ...]:
        """The whole text."""
        return self.prompt + self.written

    @property
    def room(self) -> int:
        """How many more pieces a page shows."""
        return MAX_TOKENS - len(self.ids)

    @property
    def run(self) -> LanguageModelRun:
        """The whole text in the model."""
        return run_of_ids(self.ids)

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
    def shown(self) -> tuple[int, ...]:
        """The ids of the most probable pieces, the first of them first."""
        order_X = np.argsort(-self.logits, kind="stable")
        return tuple(map(int, order_X[:N_SHOWN]))

    @property
    def drawn(self) -> float:
        """The number from 0 to 1 that the seed draws for the next piece."""
        return drawn_number(self.seed, len(self.ids))

    @property
    def next_id(self) -> int | None:
        """The piece that is drawn next; None if it ends the story, or the page is full."""
        one = draw(self.shares, self.seed, len(self.ids))
        return None if one == START or self.room < 1 else one

    def after(self, *ids: int) -> tuple[int, ...]:
        """The state after more pieces, as `written_after` reads it."""
        return mark(self.prompt, self.written + ids)


@cached
def goes_on(writing: Writing, n_pieces: int) -> tuple[int, ...]:
    """The next pieces, at most n_pieces and as many as there is room for, each drawn as the one
    before it was.

    >>> from attention_lab.trained.language_text import language_ids
    >>> frog = Writing(language_ids("One day, a little frog was very sad. The"), temperature=0)
    >>> language_model().decode(goes_on(frog, 4))
    ' frog'
    """
    settings = (writing.temperature, writing.top_p, writing.seed)
    n_wanted = min(n_pieces, writing.room)
    return tuple(language_model().generate(writing.ids, n_wanted, *settings))


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
    return tuple(marked[1:])[: MAX_TOKENS - len(prompt)]


def _number_of(prompt: Sequence[int]) -> int:
    return crc32(np.array(prompt, dtype="<u4").tobytes()) % 10_000
