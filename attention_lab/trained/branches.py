"""Many continuations of one text at once: each is a branch of pieces, and a step computes the rows
of several branches with the keys and values of the text and of their own earlier pieces.

E piece of a branch, G key/value head, K feature of a head, L layer, N branch, P pair of features, R
head of a group of heads that share keys, S token of the text, X piece of the vocabulary.
"""

from collections.abc import Sequence

import numpy as np

from attention_core.checks import Array

from .decoder import Decoder
from .generation import compared, rotary_turns


class Branches:
    """Branches of a text, numbered in the order in which they were added.

    kept: the keys as scores read them and the values of the text. Shapes: two of (L, G, S, K).
    lengths: how many tokens the text has, in branches that begin at several places of it. depths:
    for each length after how many layers the model stops.
    """

    def __init__(
        self,
        decoder: Decoder,
        kept: Sequence[Array],
        lengths: Sequence[int] = (),
        depths: Sequence[int] = (),
    ) -> None:
        self.decoder, self._text = decoder, kept
        n_layers = len(decoder.layers)
        lengths = lengths or (kept[0].shape[2],)
        self._texts = list(zip(lengths, depths or [n_layers] * len(lengths), strict=True))
        self._begun: list[tuple[int, int]] = []
        self._own = [np.empty((n_layers, 0, *one.shape[1::2]), one.dtype) for one in kept]
        self._paths: list[tuple[int, ...]] = []

    def __len__(self) -> int:
        return len(self._paths)

    def extend(self, parents: Sequence[int], pieces: Sequence[int]) -> Array:
        """Add branches, each a piece longer than its parent, -1 for the text itself, -2 for the
        text in its second length; how well every piece fits after each. Shapes: (N, X).
        """
        decoder, first = self.decoder, len(self)
        for number, parent in enumerate(parents, start=first):
            self._paths.append((*(self._paths[parent] if parent >= 0 else ()), number))
            self._begun.append(self._begun[parent] if parent >= 0 else self._texts[-1 - parent])
        paths = self._paths[first:]
        depths_N = np.array([len(path) for path in paths])
        places_NE = np.zeros((len(paths), depths_N.max()), dtype=int)
        for row_E, path in zip(places_NE, paths, strict=True):
            row_E[: len(path)] = path
        begun_N, stops_N = np.array(self._begun[first:]).T
        position_N = begun_N + depths_N - 1
        turns_NP = rotary_turns(decoder, position_N)
        grown = [np.zeros((len(one), len(paths), *one.shape[2:]), one.dtype) for one in self._own]
        self._own = [np.concatenate(pair, axis=1) for pair in zip(self._own, grown, strict=True)]
        stream_ND = decoder.embed(list(pieces), position_N)
        for layer in range(stops_N.max()):
            on = np.flatnonzero(stops_N > layer)
            turns = None if turns_NP is None else turns_NP[on]
            ends = begun_N[on], position_N[on]
            x_ND = decoder.layers[layer].attention_norm.of(stream_ND[on])
            stream_ND[on] += self._attend(layer, x_ND, turns, places_NE[on], first + on, ends)
            stream_ND[on] += decoder.feed_forward(stream_ND[on], layer)
        return decoder.logits(stream_ND)

    def _attend(
        self,
        layer: int,
        x_ND: Array,
        turns_NP: Array | None,
        places_NE: Array,
        numbers_N: Array,
        ends: tuple[Array, Array],
    ) -> Array:
        """What attention adds to the last piece of each branch. numbers_N: of these branches. ends:
        of each branch the length of its text, and the position of its last piece. Shapes: (N, D),
        kept.
        """
        p, n = self.decoder.layers[layer].attention, len(x_ND)
        keys, values = (own[layer] for own in self._own)
        query_NHK, keys[numbers_N], values[numbers_N] = compared(
            self.decoder, layer, x_ND, turns_NP
        )
        query_NGRK = query_NHK.reshape(n, p.groups, -1, p.d_k)
        text_keys_GSK, text_values_GSV = (one[layer] for one in self._text)
        query_GQK = query_NGRK.swapaxes(0, 1).reshape(p.groups, -1, p.d_k)
        of_text = (query_GQK @ text_keys_GSK.swapaxes(1, 2)).reshape(
            p.groups, n, p.n_heads // p.groups, -1
        )
        of_text_NGRS = of_text.swapaxes(0, 1)
        of_own_NGRE = query_NGRK @ keys[places_NE].transpose(0, 2, 3, 1)
        scores = np.concatenate([of_text_NGRS, of_own_NGRE], axis=-1) * p.d_k**-0.5
        n_text = text_keys_GSK.shape[1]
        hidden = self._hidden(layer, (n_text, places_NE.shape[1]), ends)
        scores += np.where(hidden, -np.inf, 0.0).astype(scores.dtype)[:, np.newaxis, np.newaxis]
        scores -= scores.max(axis=-1, keepdims=True)
        shares = np.exp(scores, out=scores)
        shares /= shares.sum(axis=-1, keepdims=True)
        of_text_GQS = shares[..., :n_text].swapaxes(0, 1).reshape(p.groups, -1, n_text)
        mixed_NGRV = (of_text_GQS @ text_values_GSV).reshape(p.groups, n, -1, p.d_v).swapaxes(0, 1)
        mixed_NGRV = mixed_NGRV + shares[..., n_text:] @ values[places_NE].swapaxes(1, 2)
        merged_NF = mixed_NGRV.reshape(n, -1)
        mixed_ND: Array = merged_NF if p.w_o is None else merged_NF @ p.w_o
        return mixed_ND if p.b_o is None else mixed_ND + p.b_o

    def _hidden(self, layer: int, counts: tuple[int, int], ends: tuple[Array, Array]) -> Array:
        """What a branch does not see of the text and of pieces: what follows its text, its last
        piece, or lies before its window. counts: of tokens and pieces. Shapes: (N, S + E).
        """
        begun_N1, position_N1 = (one[:, np.newaxis] for one in ends)
        n_text, n_own = counts
        text_NS = np.broadcast_to(np.arange(n_text), (len(begun_N1), n_text))
        place = np.concatenate([text_NS, begun_N1 + np.arange(n_own)], axis=1)
        hidden = place > position_N1
        hidden[:, :n_text] |= text_NS >= begun_N1
        if (window := self.decoder.layers[layer].window) is not None:
            hidden |= place <= position_N1 - window
        return hidden
