"""A text in the language model, and why the model goes on as it does: what each part adds to the
logit of a piece, what the loss of a head costs, and from which tokens a head has it.

D model feature, N part, S source token, T token, X piece of the vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from attention_core.checks import Array, as_list, check_text, whole_number
from attention_core.errors import SettingsError, short_repr

from ..heads.weight_blocks import output_rows
from .decoder import (
    FEED_FORWARD,
    HEAD,
    OFFSET,
    Decoder,
    Head,
    OffPart,
    Part,
    Streams,
    head_of,
    run_decoder,
)
from .generation import next_probabilities
from .next_words import After, NextWords

AVERAGE = "average"
Against = str | int | None  # "average", a token, or None


class Loss(NamedTuple):
    """By how much a logit falls without a head, in three: what the head wrote itself, what the
    other parts no longer write, and what the other divisor of the last norm takes.
    """

    direct: float
    response: float
    norm: float

    @property
    def total(self) -> float:
        """The three together."""
        return sum(self)


@dataclass(frozen=True, eq=False)
class LanguageModelRun(Streams):
    """A text in the language model: one `Trace` of the engine for each layer, and the logits.

    Shapes: logits (T, X). means: what each head adds on average, (L, H, D); None if a head that is
    switched off adds 0.
    """

    ids: tuple[int, ...]
    vocabulary: tuple[str, ...]
    means: Array | None = None

    def probabilities(self, temperature: float = 1.0, top_p: float = 1.0) -> Array:
        """The share of every piece to come next, after the last token.

        temperature: the logits are divided by it; 0 gives the most probable piece everything.
        top_p: only the fewest most probable pieces that together reach it are left. Shapes: (X,).
        Raises: SettingsError.
        """
        return next_probabilities(self.logits[-1], temperature, top_p)

    def next_words(self, k: int = 10) -> NextWords:
        """The k most probable words and marks to come next, with their probabilities, the most
        probable one first. A word is spelled by one piece or several; all its spellings count.
        Raises: SettingsError.

        >>> from attention_lab import language_model
        >>> model = language_model()
        >>> run = model.run(model.encode("One day, a little frog was very sad. The"))
        >>> [(word, round(p, 3)) for word, p in run.next_words(3)]
        [('frog', 0.767), ('big', 0.016), ('little', 0.014)]
        """
        return self._after().next_words(whole_number("k", k, 1, 100))

    def word_shares(
        self, words: Sequence[str], temperature: float = 1.0, top_p: float = 1.0
    ) -> dict[str, float]:
        """The probability of each of some words and marks to come next, written as `next_words`
        writes them, if each piece is drawn with a temperature and a top-p. Raises: SettingsError,
        TextError.

        >>> from attention_lab import language_model
        >>> model = language_model()
        >>> run = model.run(model.encode("One day, a little frog was very sad. The"))
        >>> {word: round(p, 2) for word, p in run.word_shares(["frog", "big"], top_p=0.9).items()}
        {'frog': 0.91, 'big': 0.02}
        """
        asked = as_list("words", words)
        for one in asked:
            check_text("words", one)
        next_probabilities(np.zeros(2), temperature, top_p)
        return self._after((temperature, top_p)).shares(asked)

    @property
    def kept(self) -> list[Array]:
        """The keys as scores read them, and the values. Shapes: two of (L, G, S, K)."""
        names = (self.traces[0].needs("scores")[1], "value_heads")
        return [np.array([getattr(trace, name)[0] for trace in self.traces]) for name in names]

    def _after(self, settings: tuple[float, float] = (1.0, 1.0)) -> After:
        last_X = self.logits[-1]
        return After(self.decoder, self.vocabulary, self.ids, last_X, self.kept, settings)

    def contributions(self, token: int, against: Against = AVERAGE) -> dict[Part, float]:
        """What each part of the model adds to the logit of a token after the last one, with the
        divisor of the last norm held at its value. Their sum is what is explained.

        against: "average" for the logit above the mean logit of all pieces; a token for the
        difference from its logit; None for the logit alone. A constant that is added to all logits
        changes nothing, so the logit alone may name parts that do nothing. The keys are
        "embedding" (with the learned position), ("head", layer, head) and ("feed-forward", layer);
        where a model has them also ("bias", layer), of its attention, and "offset", of the last
        norm. Raises: SettingsError. Source: Elhage et al. 2021, "Logit attribution".
        """
        along_D = self.direction(token, against) / self.divisors[-1]
        names, parts_ND = self.parts()
        added = dict(zip(names, map(float, parts_ND @ along_D), strict=True))
        if (offset_D := self.decoder.last_norm.offset) is not None:
            added[OFFSET] = float(offset_D @ self.compared(token, against))
        return added

    def loss(self, head: Head, token: int, against: Against = AVERAGE) -> Loss:
        """By how much the logit of a token falls if a head, given as layer and number, is switched
        off as well, in three: direct, response and norm. Their sum is what is lost.

        With parts p and divisor d of the last norm, p' and d' without the head, and the direction w
        of the token: direct is the head's (p − p') · w / d; response the same over all others; norm
        is Σ p' · w (1/d − 1/d'). Raises: SettingsError. Source: McGrath et al. 2023 (Hydra effect).
        """
        self._checked(head)
        other = self.without(head)
        along_D, divisor = self.direction(token, against), self.divisors[-1]
        names, parts_ND = self.parts()
        place = names.index((HEAD, *head))
        lost_ND = parts_ND - other.parts()[1]
        lost_N = lost_ND @ along_D / divisor
        after = float(other.streams[-1, -1] @ along_D)
        norm = after * (1 / divisor - 1 / other.divisors[-1])
        return Loss(float(lost_N[place]), float(np.delete(lost_N, place).sum()), float(norm))

    def sources(self, head: Head, token: int, against: Against = AVERAGE) -> Array:
        """What a head adds to the logit of a token, by the token that it read it from. The sum is
        the head's part in `contributions`. Shapes: (T,). Raises: SettingsError.
        """
        layer, number = self._checked(head)
        trace, along_D = self.traces[layer], self.direction(token, against) / self.divisors[-1]
        p = trace.projections
        values_SV = trace.value_heads[0, number * p.groups // p.n_heads]
        per_S = values_SV @ (output_rows(p)[number] @ along_D)
        added_S: Array = trace.probabilities[0, number, -1] * per_S
        return added_S

    def direction(self, token: int, against: Against = AVERAGE) -> Array:
        """What each feature of the last vector adds to what is explained, before the divisor of the
        last norm: the gain times the vector of the token, less that of what it is compared with;
        with LayerNorm, less the mean of these products. Shapes: (D,). Raises: SettingsError.
        """
        return self.decoder.last_reads(self.compared(token, against))

    def compared(self, token: int, against: Against) -> Array:
        """The vector of a token in the output matrix, less that of what it is compared with.
        Raises: SettingsError.
        """
        rows_XD, most = self.decoder.unembedding, len(self.decoder.unembedding) - 1
        row_D: Array = rows_XD[whole_number("token", token, 0, most)]
        if isinstance(against, str):
            if against != AVERAGE:
                raise SettingsError(
                    f"against is {short_repr(against)} but must be {AVERAGE!r}, a token or None"
                )
            row_D = row_D - self.decoder.average_row
        elif against is not None:
            row_D = row_D - rows_XD[whole_number("against", against, 0, most)]
        return row_D

    def without(self, *parts: OffPart) -> LanguageModelRun:
        """The same run with more heads or feed-forward parts switched off."""
        decoder = self.decoder.without(fillings(self.decoder, self.means, parts))
        return run_of(decoder, self.ids, self.vocabulary, self.means, before=self)

    def _checked(self, head: Any) -> Head:
        """A head that is not switched off. Raises: SettingsError."""
        layer, number = checked_head("head", head, self.decoder)
        if (layer, number) in self.decoder.off:
            raise SettingsError(
                f"head is {number} of layer {layer}, which is switched off in this run:"
                " run the text with it"
            )
        return layer, number


def checked_head(name: str, head: Any, decoder: Decoder) -> Head:
    """A head as layer and number. Raises: SettingsError."""
    if not isinstance(head, (tuple, list)) or len(head) != 2:
        raise SettingsError(f"{name} holds {short_repr(head)} but a head is a layer and a number")
    layer = whole_number(name, head[0], 0, len(decoder.layers) - 1)
    return layer, whole_number(name, head[1], 0, decoder.layers[layer].attention.n_heads - 1)


def checked_part(name: str, part: Any, decoder: Decoder) -> OffPart:
    """A head, or a feed-forward part as its name and layer. Raises: SettingsError."""
    if isinstance(part, (tuple, list)) and len(part) == 2 and part[0] == FEED_FORWARD:
        return FEED_FORWARD, whole_number(name, part[1], 0, len(decoder.layers) - 1)
    return checked_head(name, part, decoder)


def fillings(decoder: Decoder, means: Array | None, parts: Any) -> dict[OffPart, Array]:
    """What each of some parts adds when it is switched off; a feed-forward part nothing.
    Shapes: (D,).
    """
    nothing_D = np.zeros(decoder.embedding.shape[1], decoder.embedding.dtype)
    return {
        part: nothing_D if means is None or head_of(part) is None else means[part]
        for part in map(tuple, parts)
    }


def run_of(
    decoder: Decoder,
    ids: tuple[int, ...],
    vocabulary: tuple[str, ...],
    means: Array | None = None,
    **changes: Any,
) -> LanguageModelRun:
    """A run whose traces are labelled with the pieces. changes: as `run_decoder` takes them."""
    made = run_decoder(decoder, decoder.embed(list(ids)), **changes)
    labels = [vocabulary[one] for one in ids]
    traces = tuple(one if one.tokens else one.labelled(labels) for one in made.traces)
    return LanguageModelRun(
        decoder, traces, made.streams, made.feed_forwards, ids, vocabulary, means
    )
