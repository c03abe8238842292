"""One step with the cache of keys and values: what it computes, what it keeps, what it saves, and
what the usual mistakes do to it.

G key/value head, T new token, S token so far, K feature of a head.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attention_core.checks import Array

from .allowed_models import STORIES, writing_model
from .decoder import Decoder, OffPart
from .generation import ALIGNMENTS, CachedRows, KeyValueCache
from .heads_off import run_without
from .language_model import ZERO
from .model_run import LanguageModelRun


@dataclass(frozen=True)
class Multiplications:
    """How many multiplications a step needs, by what they are for: of one layer with all its heads,
    and the logits of the last token, which stand after all layers.

    rotary: four for each pair of features of a query or key. scores, mixing: hidden cells are among
    them, because programs compute all cells and throw these away; hidden: how many of both. What is
    not counted: norms, the scale, the softmax, and the products of single features in the
    feed-forward part.
    """

    n_layers: int
    queries: int
    keys: int
    values: int
    rotary: int
    scores: int
    mixing: int
    output: int
    feed_forward: int
    hidden: int
    logits: int

    @property
    def of_layer(self) -> dict[str, int]:
        """The parts of one layer by their names, in the order of computation."""
        before = ("queries", "keys", "values", "rotary", "scores")
        return {name: getattr(self, name) for name in (*before, "mixing", "output", "feed_forward")}

    @property
    def total(self) -> int:
        """Of all layers, with the logits."""
        return self.n_layers * sum(self.of_layer.values()) + self.logits


@dataclass(frozen=True)
class CachedStep:
    """The last step of a text that is computed step by step: its first pieces at once, then piece
    by piece.

    ids: of the text so far. n_first: how many pieces the first step has, at most all. restarts:
    whether the positions of every step begin at 0; top_left: whether the causal mask is aligned at
    the top left. Both are mistakes. off: parts that are switched off. model: the name of the one
    that is run.
    """

    ids: tuple[int, ...]
    n_first: int
    restarts: bool = False
    top_left: bool = False
    off: tuple[OffPart, ...] = ()
    model: str = STORIES

    @property
    def decoder(self) -> Decoder:
        """The layers of the model."""
        return writing_model(self.model).decoder

    @property
    def n_new(self) -> int:
        """How many pieces the last step adds."""
        return self.n_first if len(self.ids) == self.n_first else 1

    @cached_property
    def _computed(self) -> tuple[KeyValueCache, CachedRows]:
        align = ALIGNMENTS[self.top_left]
        decoder = self.full.decoder
        cache = KeyValueCache(decoder, len(self.ids), align=align, restarts=self.restarts)
        rows = cache.extend(self.ids[: self.n_first])
        for one in self.ids[self.n_first :]:
            rows = cache.extend([one])
        return cache, rows

    @property
    def rows(self) -> CachedRows:
        """What the step computes for its pieces."""
        return self._computed[1]

    def kept(self, layer: int) -> tuple[Array, Array]:
        """The keys and the values of a layer, those of the new pieces last. Shapes: (G, S, K)."""
        return self._computed[0].kept(layer)

    def kept_for(self, layer: int, head: int) -> tuple[Array, Array]:
        """The keys and the values that a head reads, which others may share. Shapes: (S, K)."""
        keys_GSK, values_GSK = self.kept(layer)
        group = head * len(keys_GSK) // len(self.rows.probabilities[layer])
        return keys_GSK[group], values_GSK[group]

    def lines(self, layer: int, head: int, cached: bool) -> tuple[Array, Array, Array]:
        """Keys and values of all tokens so far, and the rows of shares that the step computes for a
        head: with the cache those of its new pieces, without one all rows. Shapes: (S, K) twice,
        (T, S).
        """
        if cached:
            return (*self.kept_for(layer, head), self.rows.probabilities[layer, head])
        trace = self.full.traces[layer]
        group = head * trace.sizes["G"] // trace.sizes["H"]
        keys_SK: Array = getattr(trace, trace.needs("scores")[1])[0, group]
        return keys_SK, trace.value_heads[0, group], trace.probabilities[0, head]

    @property
    def counts(self) -> Multiplications:
        """What the step multiplies."""
        return self._counted(self.n_new, len(self.ids))

    @property
    def counts_without(self) -> Multiplications:
        """What the step multiplies without a cache, which computes all rows again."""
        return self._counted(len(self.ids), len(self.ids))

    @property
    def saved(self) -> float:
        """Which part of the multiplications of this step the cache saves."""
        return 1 - self.counts.total / self.counts_without.total

    @property
    def totals(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The multiplications of every step so far, with a cache and without. The first step takes
        its pieces at once, every later one adds a piece.
        """
        lengths = range(min(self.n_first, len(self.ids)), len(self.ids) + 1)
        new = [lengths[0], *[1] * (len(lengths) - 1)]
        kept = tuple(self._counted(*pair).total for pair in zip(new, lengths, strict=True))
        return kept, tuple(self._counted(n, n).total for n in lengths)

    def _counted(self, n_new: int, n_tokens: int) -> Multiplications:
        groups = self.decoder.layers[0].attention.groups
        return multiplications(self.decoder, n_new, n_tokens, groups)

    @property
    def full(self) -> LanguageModelRun:
        """The same text computed at once."""
        return run_without(self.ids, self.off, ZERO, self.model)

    @property
    def largest_gap(self) -> float:
        """The largest difference between the step and the full run, over all layers and heads."""
        full = [one.probabilities[0, :, -self.n_new :] for one in self.full.traces]
        return float(np.abs(self.rows.probabilities - np.array(full)).max())


def numbers_kept(decoder: Decoder, n_tokens: int, n_kv_heads: int) -> int:
    """How many numbers the keys and values of all layers take.

    >>> numbers_kept(writing_model().decoder, 10, 4)
    3200
    """
    width = decoder.layers[0].attention.d_k
    return 2 * len(decoder.layers) * n_kv_heads * width * n_tokens


def multiplications(
    decoder: Decoder, n_new: int, n_tokens: int, n_kv_heads: int
) -> Multiplications:
    """What the rows of new tokens multiply, the last ones of n_tokens.

    >>> one = multiplications(writing_model().decoder, 1, 1, 4)
    >>> one.queries, one.rotary, one.feed_forward, one.logits, one.total
    (4096, 192, 33024, 32768, 260928)
    """
    p = decoder.layers[0].attention
    width, kept = p.n_heads * p.d_k, n_kv_heads * p.d_k
    earlier = n_tokens - n_new
    pairs = n_new * n_tokens
    seen = sum(earlier + row + 1 for row in range(n_new))
    return Multiplications(
        n_layers=len(decoder.layers),
        queries=n_new * p.d_model * width,
        keys=n_new * p.d_model * kept,
        values=n_new * p.d_model * kept,
        rotary=0 if decoder.rotary is None else n_new * 2 * (width + kept),
        scores=pairs * width,
        mixing=pairs * width,
        output=n_new * width * p.d_model,
        feed_forward=n_new * decoder.layers[0].feed_forward.n_weights,
        hidden=2 * (pairs - seen) * width,
        logits=decoder.embedding.size,
    )
