"""Many continuations of one text at once: each is a branch of pieces, and a step computes the rows
of several branches with the keys and values of the text and of their own earlier pieces.

G key/value head, K feature of a head, L layer, N branch, P pair of features, R head of a group of
heads that share keys, S token of the text, X piece of the vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attention_core.checks import Array

from .decoder import Decoder
from .generation import rotary_turns


class Branches:
    """Branches of a text, numbered in the order in which they were added.

    kept: the keys as scores read them and the values of the text. Shapes: two of (L, G, S, K).
    """

    def __init__(self, decoder: Decoder, kept: Sequence[Array]) -> None:
        self._decoder, self._text = decoder, kept
        self._own = [np.empty((len(decoder.layers), 0, *one.shape[1::2])) for one in kept]
        self._paths: list[tuple[int, ...]] = []

    def __len__(self) -> int:
        return len(self._paths)

    def extend(self, parents: Sequence[int], pieces: Sequence[int]) -> Array:
        """Add branches, each a piece longer than its parent, -1 for the text itself; how well every
        piece fits after each. Shapes: (N, X).
        """
        decoder, first = self._decoder, len(self)
        for number, parent in enumerate(parents, start=first):
            self._paths.append((*(self._paths[parent] if parent >= 0 else ()), number))
        paths = self._paths[first:]
        depths_N = np.array([len(path) for path in paths])
        places_NE = np.zeros((len(paths), depths_N.max()), dtype=int)
        for row_E, path in zip(places_NE, paths, strict=True):
            row_E[: len(path)] = path
        hidden_NE = np.arange(depths_N.max()) >= depths_N[:, np.newaxis]
        n_text = self._text[0].shape[2]
        turns_NP = rotary_turns(decoder, n_text + depths_N - 1)
        grown = [np.empty((len(one), len(paths), *one.shape[2:])) for one in self._own]
        self._own = [np.concatenate(pair, axis=1) for pair in zip(self._own, grown, strict=True)]
        stream_ND = decoder.embedding[list(pieces)]
        for layer, weights in enumerate(decoder.layers):
            x_ND = decoder.norm(stream_ND, weights.attention_gain)
            stream_ND = stream_ND + self._attend(layer, x_ND, turns_NP, places_NE, hidden_NE)
            stream_ND = stream_ND + decoder.feed_forward(stream_ND, layer)
        return decoder.logits(stream_ND)

    def _attend(
        self, layer: int, x_ND: Array, turns_NP: Array, places_NE: Array, hidden_NE: Array
    ) -> Array:
        """What attention adds to the last piece of each branch. Shapes: (N, D), kept."""
        p, n = self._decoder.layers[layer].attention, len(x_ND)
        query_NGRK = turned(x_ND @ p.w_q, turns_NP).reshape(n, p.groups, -1, p.d_k)
        keys, values = (own[layer] for own in self._own)
        keys[-n:] = turned(x_ND @ p.w_k, turns_NP).reshape(n, p.groups, p.d_k)
        values[-n:] = (x_ND @ p.w_v).reshape(n, p.groups, p.d_v)
        text_keys_GSK, text_values_GSV = (one[layer] for one in self._text)
        query_GQK = query_NGRK.swapaxes(0, 1).reshape(p.groups, -1, p.d_k)
        of_text = (query_GQK @ text_keys_GSK.swapaxes(1, 2)).reshape(
            p.groups, n, p.n_heads // p.groups, -1
        )
        of_text_NGRS = of_text.swapaxes(0, 1)
        of_own_NGRE = query_NGRK @ keys[places_NE].transpose(0, 2, 3, 1)
        of_own_NGRE[
            np.broadcast_to(hidden_NE[:, np.newaxis, np.newaxis], of_own_NGRE.shape)
        ] = -np.inf
        scores = np.concatenate([of_text_NGRS, of_own_NGRE], axis=-1) * p.d_k**-0.5
        scores -= scores.max(axis=-1, keepdims=True)
        shares = np.exp(scores, out=scores)
        shares /= shares.sum(axis=-1, keepdims=True)
        n_text = text_keys_GSK.shape[1]
        of_text_GQS = shares[..., :n_text].swapaxes(0, 1).reshape(p.groups, -1, n_text)
        mixed_NGRV = (of_text_GQS @ text_values_GSV).reshape(p.groups, n, -1, p.d_v).swapaxes(0, 1)
        mixed_NGRV = mixed_NGRV + shares[..., n_text:] @ values[places_NE].swapaxes(1, 2)
        merged_NF = mixed_NGRV.reshape(n, -1)
        mixed_ND: Array = merged_NF if p.w_o is None else merged_NF @ p.w_o
        return mixed_ND if p.b_o is None else mixed_ND + p.b_o


def turned(flat_NF: Array, turns_NP: Array) -> Array:
    """Queries or keys of several heads, turned by the position of each row. Shapes: kept."""
    pairs_NHP = flat_NF.reshape(len(flat_NF), -1, 2 * turns_NP.shape[1]).view(complex)
    turned_NF: Array = (pairs_NHP * turns_NP[:, np.newaxis]).view(float).reshape(flat_NF.shape)
    return turned_NF
