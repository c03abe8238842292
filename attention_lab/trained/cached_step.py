"""One step with the cache of keys and values: what it computes, what it keeps, what it saves, and
what the usual mistakes do to it.

G key/value head, T new token, S token so far, K feature of a head.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attention_core.checks import Array

from .decoder import Decoder
from .generation import ALIGNMENTS, CachedRows, KeyValueCache
from .language_model import N_HEADS, N_KV_HEADS, language_model
from .language_text import run_of_ids
from .model_run import LanguageModelRun


@dataclass(frozen=True)
class CachedStep:
    """The last step of a text that is computed step by step: its first pieces at once, then piece
    by piece.

    ids: of the text so far. n_first: how many pieces the first step has, at most all. restarts:
    whether the positions of every step begin at 0; top_left: whether the causal mask is aligned at
    the top left. Both are mistakes.
    """

    ids: tuple[int, ...]
    n_first: int
    restarts: bool = False
    top_left: bool = False

    @property
    def n_new(self) -> int:
        """How many pieces the last step adds."""
        return self.n_first if len(self.ids) == self.n_first else 1

    @cached_property
    def _computed(self) -> tuple[KeyValueCache, CachedRows]:
        align = ALIGNMENTS[self.top_left]
        decoder = language_model().decoder
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
        group = head * len(keys_GSK) // N_HEADS
        return keys_GSK[group], values_GSK[group]

    @property
    def saved(self) -> float:
        """Which part of the multiplications of the full run the step saves."""
        decoder, n = language_model().decoder, len(self.ids)
        needed = [multiplications(decoder, rows, n, N_KV_HEADS) for rows in (self.n_new, n)]
        return 1 - needed[0] / needed[1]

    @property
    def full(self) -> LanguageModelRun:
        """The same text computed at once."""
        return run_of_ids(self.ids)

    def full_shares(self, layer: int, head: int) -> Array:
        """The rows of the new pieces when the text is computed at once. Shapes: (T, S)."""
        shares: Array = self.full.traces[layer].probabilities[0, head, -self.n_new :]
        return shares

    @property
    def largest_gap(self) -> float:
        """The largest difference between the step and the full run, over all layers and heads."""
        full = [one.probabilities[0, :, -self.n_new :] for one in self.full.traces]
        return float(np.abs(self.rows.probabilities - np.array(full)).max())


def numbers_kept(decoder: Decoder, n_tokens: int, n_kv_heads: int) -> int:
    """How many numbers the keys and values of all layers take.

    >>> numbers_kept(language_model().decoder, 10, 4)
    3200
    """
    width = decoder.layers[0].attention.d_k
    return 2 * len(decoder.layers) * n_kv_heads * width * n_tokens


def multiplications(decoder: Decoder, n_new: int, n_tokens: int, n_kv_heads: int) -> int:
    """How many multiplications all layers need for the rows of new tokens, the last of n_tokens:
    projections, scores, mixing and feed-forward, without norms.

    >>> decoder = language_model().decoder
    >>> multiplications(decoder, 1, 1, 4) == 5 * (64 * 64 * 2 + 64 * 32 * 2 + 2 * 64 + 3 * 64 * 172)
    True
    """
    p, w_1 = decoder.layers[0].attention, decoder.layers[0].w_1
    width = p.n_heads * p.d_k
    projected = 2 * p.d_model * width + 2 * p.d_model * n_kv_heads * p.d_k
    each = projected + 3 * w_1.size
    return len(decoder.layers) * n_new * (each + 2 * width * n_tokens)
