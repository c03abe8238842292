"""Why the language model gives a piece its logit: the parts of the sum, what really happens without
each head, and what the model would say after each layer.

L layer, H head, N part, X piece of the vocabulary.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array

from ..cache import cached
from ..heads.weight_blocks import head_contributions
from .generation import next_probabilities
from .language_model import N_HEADS, N_LAYERS
from .language_text import run_of_ids
from .model_run import LanguageModelRun


@dataclass(frozen=True, eq=False)
class WhyWord:
    """Why a piece follows a text, or why it does rather than another one: then every number is the
    difference of two logits.

    ids: of the text. token: the piece. against: the other one; None for the logit alone.
    """

    ids: tuple[int, ...]
    token: int
    against: int | None = None

    @property
    def run(self) -> LanguageModelRun:
        """The text in the model."""
        return run_of_ids(self.ids)

    def of(self, logits: Array) -> Array:
        """What is explained, of logits whose last axis is X."""
        found: Array = logits[..., self.token]
        return found if self.against is None else found - logits[..., self.against]

    @property
    def total(self) -> float:
        """The logit, or the difference of the two."""
        return float(self.of(self.run.logits[-1]))

    @property
    def direction(self) -> Array:
        """What each feature of the last vector adds, per unit: the embedding of the piece times the
        gain of the last norm, divided by its divisor. Shapes: (D,).
        """
        decoder = self.run.decoder
        direction: Array = self.of(decoder.embedding.T) * decoder.last_gain / self.run.divisors[-1]
        return direction

    @property
    def _added(self) -> Array:
        return self.run.parts()[1] @ self.direction

    @property
    def of_embedding(self) -> float:
        """What the last token itself adds, the first of `Streams.parts`."""
        return float(self._added[0])

    @property
    def of_layers(self) -> Array:
        """What the heads of each layer add, and at the end its feed-forward part.
        Shapes: (L, H+1), in the order of `Streams.parts`.
        """
        return self._added[1:].reshape(N_LAYERS, N_HEADS + 1)

    @property
    def of_kinds(self) -> tuple[float, float]:
        """What all heads add, and what all feed-forward parts add."""
        added = self.of_layers
        return float(added[:, :-1].sum()), float(added[:, -1].sum())

    def shares_after(self, layer: int) -> Array:
        """The share of every piece if no layer followed; -1 is before the first. Shapes: (X,)."""
        return next_probabilities(self.run.logits_after(layer)[-1])

    @property
    def lost_without(self) -> Array:
        """By how much the logit, or the difference, falls when each head is switched off and all
        else is computed again. Shapes: (L, H).
        """
        lost: Array = self.total - self.of(logits_without(self.ids))
        return lost


@cached
def logits_without(ids: tuple[int, ...]) -> Array:
    """The logits after the last token, with each head switched off in turn and all later layers
    computed again, as one batch that grows by the heads of each layer. Shapes: (L, H, X).
    """
    run = run_of_ids(ids)
    decoder, changed_BTD = run.decoder, np.empty((0, *run.streams.shape[1:]))
    for layer, trace in enumerate(run.traces):
        if layer:
            changed_BTD = changed_BTD + decoder.attend(changed_BTD, layer).output
        without_HTD = run.streams[layer] + trace.output - head_contributions(trace)[0]
        changed_BTD = np.concatenate([changed_BTD, without_HTD])
        changed_BTD = changed_BTD + decoder.feed_forward(changed_BTD, layer)
    logits: Array = decoder.logits(changed_BTD[:, -1])
    return logits.reshape(N_LAYERS, N_HEADS, -1)
