"""Why the language model goes on with a word: what comes next with parts on and off, the parts of
the sum, what each head is really worth, from where it has it, and the model cut off early.

D model feature, H head, L layer, X piece of the vocabulary.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from attention_core.checks import Array

from ..words.pieces import readable, word_slices
from .allowed_models import STORIES
from .decoder import (
    BIAS,
    EMBEDDING,
    FEED_FORWARD,
    HEAD,
    OFFSET,
    Head,
    OffPart,
    Part,
    head_of,
)
from .generation import next_probabilities
from .heads_off import (
    N_SHOWN,
    ends_without,
    logits_without,
    others,
    run_without,
    words_without,
    written_without,
)
from .language_model import ZERO
from .language_text import run_of_ids
from .model_run import AVERAGE, Against, LanguageModelRun, Loss
from .next_words import NextWords

LEADS = 1.25  # times the next largest part is what a part must be to be named alone


class Row(NamedTuple):
    """A word that may come next, and its probability before and after parts are switched off."""

    word: str
    before: float
    after: float


@dataclass(frozen=True, eq=False)
class WhyWord:
    """Why a word follows a text. The sums are those of its first piece.

    ids: of the text. token: the first piece; None for that of the most probable word. against: what
    its logit is compared with. off: parts that are switched off, replaced_by what heads add then.
    head: the one to look at; None for the one whose loss is largest. named: the word, if it is not
    the most probable one that begins with the token. model: the name of the one that is explained.
    n_measured: of how many layers a large model has measured what every head is worth.
    """

    ids: tuple[int, ...]
    token: int | None = None
    against: Against = AVERAGE
    off: tuple[OffPart, ...] = ()
    replaced_by: str = ZERO
    head: Head | None = None
    named: str = ""
    model: str = STORIES
    n_measured: int = 0

    @property
    def before(self) -> LanguageModelRun:
        """The text in the whole model."""
        return run_of_ids(self.ids, self.model)

    @property
    def changes(self) -> tuple[tuple[OffPart, ...], str, str]:
        """The parts that are off, what heads add then, and the name of the model."""
        return self.off, self.replaced_by, self.model

    @property
    def after(self) -> LanguageModelRun:
        """The text in the model without the heads that are off."""
        return run_without(self.ids, *self.changes)

    @property
    def words_before(self) -> NextWords:
        """The most probable words of the whole model."""
        return words_without(self.ids, (), ZERO, self.model)

    @property
    def words_after(self) -> NextWords:
        """The most probable words without the heads that are off."""
        filling = self.replaced_by if self.off else ZERO
        return words_without(self.ids, self.off, filling, self.model)

    @property
    def heads_off(self) -> list[Head]:
        """The heads among the parts that are off."""
        return [head for one in self.off if (head := head_of(one)) is not None]

    @cached_property
    def rows(self) -> list[Row]:
        """The words with the largest probabilities before or after, those of before first."""
        before, after = dict(self.words_before), dict(self.words_after)
        largest = {one: max(before.get(one, 0), after.get(one, 0)) for one in before | after}
        words = sorted(largest, key=lambda one: -largest[one])[:N_SHOWN]
        words.sort(key=lambda one: (-after.get(one, 0), -before.get(one, 0)))
        for run, known in ((self.before, before), (self.after, after)):
            if missing := [one for one in words if one not in known]:
                known |= run.word_shares(missing)
        return [Row(one, before[one], after[one]) for one in words]

    @property
    def rest(self) -> tuple[float, float]:
        """The probability of all words that `rows` leaves out together, before and after."""
        before, after = sum(row.before for row in self.rows), sum(row.after for row in self.rows)
        return max(0.0, 1 - before), max(0.0, 1 - after)

    @property
    def piece(self) -> int:
        """The first piece of the word that is explained."""
        first = self.words_before
        return first.spellings[first[0][0]][0] if self.token is None else self.token

    @property
    def word(self) -> str:
        """The word: the most probable one that begins with this piece, unless another is named."""
        first = readable(self.before.vocabulary[self.piece])
        if self.token is not None and first in self.named:
            return self.named
        return words_of(self).get(self.piece, [first])[0]

    @cached_property
    def shares(self) -> tuple[float, float]:
        """The probability of the word before and after."""
        both = [dict(one) for one in (self.words_before, self.words_after)]
        runs = (self.before, self.after)
        first, second = (
            shares[self.word] if self.word in shares else run.word_shares([self.word])[self.word]
            for shares, run in zip(both, runs, strict=True)
        )
        return first, second

    def explained(self, logits: Array) -> Array:
        """What is explained, of logits whose last axis is X: that of the piece, above what it is
        compared with.
        """
        numbers: Array = logits[..., self.piece]
        if isinstance(self.against, int):
            numbers = numbers - logits[..., self.against]
        elif self.against is not None:
            numbers = numbers - logits.mean(axis=-1)
        return numbers

    @cached_property
    def losses(self) -> Array:
        """What each head is worth as the others are set: by how much that which is explained is
        larger with the head than without it, all that follows computed again. NaN where a large
        model has not measured it. Shapes: (L, H).
        """
        after = float(self.explained(self.after.logits[-1]))
        if self.is_measured:
            lost = after - self.explained(logits_without(self.ids, *self.changes))
        else:
            lost = np.full(self.grid, np.nan)
            along_D = self.before.compared(self.piece, self.against)
            for layer in range(self.n_measured):
                lost[layer] = after - ends_without(self.ids, layer, self.off, self.model) @ along_D
        for head in self.heads_off:
            with_it = run_without(self.ids, others(self.off, head), *self.changes[1:])
            lost[head] = float(self.explained(with_it.logits[-1])) - after
        return lost

    @property
    def is_measured(self) -> bool:
        """Whether every head is measured at once, as one batch; a large model does it layer by
        layer, when it is asked to.
        """
        return self.model == STORIES

    @cached_property
    def focus(self) -> Head:
        """The head to look at."""
        if self.head is not None:
            return self.head
        plain = WhyWord(self.ids, self.token, self.against, model=self.model)
        lost = np.abs(plain.losses if self.is_measured else plain.direct)
        layer, number = np.unravel_index(int(lost.argmax()), lost.shape)
        return int(layer), int(number)

    @property
    def grid(self) -> tuple[int, int]:
        """How many layers there are, and how many heads in each."""
        return len(self.before.traces), self.before.traces[0].sizes["H"]

    @cached_property
    def direct(self) -> Array:
        """What each head itself adds to what is explained. Shapes: (L, H)."""
        parts = self.before.contributions(self.piece, self.against)
        return np.array([parts[HEAD, *head] for head in np.ndindex(self.grid)]).reshape(self.grid)

    @property
    def run(self) -> LanguageModelRun:
        """The text in the model with the head in focus, the others as they are set: the run whose
        sum is shown.
        """
        return run_without(self.ids, others(self.off, self.focus), *self.changes[1:])

    @property
    def total(self) -> float:
        """What is explained."""
        return float(self.explained(self.run.logits[-1]))

    @cached_property
    def parts(self) -> dict[Part, float]:
        """What each part adds to it."""
        return self.run.contributions(self.piece, self.against)

    @property
    def kinds(self) -> tuple[float, ...]:
        """What the embedding of the last piece, all heads and all feed-forward parts add; and all
        biases, where the model has any.
        """
        biases = ((BIAS, OFFSET),) * any(one == OFFSET or one[0] == BIAS for one in self.parts)
        kinds = ((EMBEDDING,), (HEAD,), (FEED_FORWARD,), *biases)
        return tuple(
            sum(value for part, value in self.parts.items() if part in kind or part[0] in kind)
            for kind in kinds
        )

    @property
    def ranked(self) -> list[tuple[Part, float]]:
        """All parts, the one that adds most in the direction of the total first."""
        sign = 1 if self.total >= 0 else -1
        return sorted(self.parts.items(), key=lambda item: -sign * item[1])

    @property
    def leading(self) -> tuple[Part, float] | None:
        """The part from which most comes, if it is clearly larger than the next one."""
        (first, most), (_, second) = self.ranked[:2]
        clear = abs(most) >= LEADS * abs(second) or most * second <= 0
        return (first, most) if clear and most * self.total > 0 else None

    @cached_property
    def loss(self) -> Loss:
        """What the loss of the head in focus costs, in three."""
        return self.run.loss(self.focus, self.piece, self.against)

    @property
    def repaired(self) -> float:
        """Which part of what the head wrote the other parts make up for; 0 if they do not."""
        direct, response, _ = self.loss
        return -response / direct if direct * response < 0 else 0.0

    @property
    def turned_by(self) -> str:
        """If the loss has another sign than what the head adds: what turned it, "response", "norm"
        or "both"; else "".
        """
        direct, response, norm = self.loss
        if direct * self.loss.total >= 0:
            return ""
        by = [direct * (direct + response) < 0, direct * (direct + norm) < 0]
        return "both" if by[0] == by[1] else ("response" if by[0] else "norm")

    @cached_property
    def sources(self) -> list[tuple[str, float, float]]:
        """For each word of the text: the word, what the head in focus adds from it, and how much it
        reads from it.
        """
        added = self.run.sources(self.focus, self.piece, self.against)
        layer, number = self.focus
        shares = self.run.traces[layer].probabilities[0, number, -1]
        pieces = [self.run.vocabulary[one] for one in self.ids]
        return [
            (readable(*pieces[one]), float(added[one].sum()), float(shares[one].sum()))
            for one in word_slices(pieces)
        ]

    @property
    def most_read(self) -> tuple[str, float]:
        """The word that the head in focus reads most, and its share."""
        word, _, share = max(self.sources, key=lambda one: one[2])
        return word, share

    @property
    def written(self) -> tuple[str, str]:
        """What the whole model goes on to write, and the model without the heads that are off."""
        plain = written_without(self.ids, (), ZERO, self.model)
        return plain, written_without(self.ids, *self.changes)

    def shares_after(self, layer: int) -> Array:
        """The share of every piece if no layer followed; -1 is before the first. Shapes: (X,)."""
        return next_probabilities(self.run.logits_after(layer, -1))


def words_of(why: WhyWord) -> dict[int, list[str]]:
    """The probable words by their first pieces, before and after, the most probable ones first."""
    begun: dict[int, list[str]] = {}
    for words in (why.words_before, why.words_after):
        for word, _ in words:
            several = begun.setdefault(words.spellings[word][0], [])
            if word not in several:
                several.append(word)
    return begun
