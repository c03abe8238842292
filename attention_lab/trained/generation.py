"""How a language model writes: the shares of what may come next, drawing one, and the cache of keys
and values that makes each step a row.

G key/value head, R head of a group of heads that share keys, T new token, S token so far, K feature
of a head, P pair of features, X piece of the vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from attention_core.checks import Array, number_between
from attention_core.errors import SettingsError

from .decoder import Decoder

ALIGNMENTS = ("bottom-right", "top-left")


def next_probabilities(logits_X: Array, temperature: float = 1.0, top_p: float = 1.0) -> Array:
    """The shares of what may come next: the softmax of the logits, divided by the temperature.

    temperature: 0 gives the most probable piece everything, the first of equal ones. top_p: only
    the fewest most probable pieces that together reach it are left, with the sum 1 again. Shapes:
    (X,). Raises: SettingsError. Source: Holtzman et al. 2020, section 3.1.

    >>> next_probabilities(np.log([0.5, 0.3, 0.2]), top_p=0.6).round(3).tolist()
    [0.625, 0.375, 0.0]
    >>> next_probabilities(np.array([1.0, 3.0, 3.0]), temperature=0).tolist()
    [0.0, 1.0, 0.0]
    """
    number_between("temperature", temperature, 0)
    if number_between("top_p", top_p, 0, 1) == 0:
        raise SettingsError("top_p is 0 but must be above 0: choose a share up to 1")
    below_X = logits_X - logits_X.max()
    if temperature == 0:
        most_X: Array = np.eye(1, len(logits_X), int(np.argmax(below_X)))[0]
        return most_X
    with np.errstate(over="ignore"):  # a small temperature: exp(-inf) is 0
        shares_X: Array = np.exp(below_X / temperature)
    shares_X /= shares_X.sum()
    if top_p < 1:
        order_X = np.argsort(-shares_X, kind="stable")
        n_kept = 1 + int(np.searchsorted(np.cumsum(shares_X[order_X]), top_p))
        shares_X[order_X[n_kept:]] = 0
        shares_X /= shares_X.sum()
    return shares_X


def draw(shares_X: Array, seed: int, position: int) -> int:
    """One piece, drawn by its share. The same seed draws the same piece at the same position,
    whatever was drawn before. Shapes: (X,).
    """
    reached_X = np.cumsum(shares_X)
    drawn = drawn_number(seed, position) * reached_X[-1]
    return int(np.searchsorted(reached_X, drawn, side="right"))


def drawn_number(seed: int, position: int) -> float:
    """The number from 0 to 1 by which a piece is drawn: that at which the sum of the shares, in the
    order of the vocabulary, gets above it.
    """
    return float(np.random.default_rng([seed, position]).random())


def rotary_turns(decoder: Decoder, positions_T: Array) -> Array:
    """The complex number by which each pair of features of a query or key is multiplied at each
    position. Shapes: (T,) -> (T, P).
    """
    width = decoder.layers[0].attention.d_k
    pair_P = np.arange(width // 2)
    angle_TP = positions_T[:, np.newaxis] / decoder.rotary.base ** (2 * pair_P / width)
    turns_TP: Array = np.exp(1j * angle_TP)
    return turns_TP


class CachedRows(NamedTuple):
    """What a step with the cache computes for its new tokens.

    Shapes: logits (T, X); probabilities (L, H, T, S), of all keys so far.
    """

    logits: Array
    probabilities: Array


class KeyValueCache:
    """The turned keys and the values of all tokens so far, in every layer; each step computes only
    the rows of its new tokens.

    align: of the causal mask, and restarts: whether the positions of every step begin at 0; the
    usual mistakes are align="top-left" and restarts=True.
    """

    def __init__(
        self,
        decoder: Decoder,
        capacity: int,
        *,
        align: str = "bottom-right",
        restarts: bool = False,
    ) -> None:
        p = decoder.layers[0].attention
        self.decoder, self.n_tokens = decoder, 0
        self._align, self._restarts, self._scale = align, restarts, p.d_k**-0.5
        shape = (2, len(decoder.layers), p.groups, capacity, p.d_k)
        self._keys, self._values = np.empty(shape)
        self._turns_TP = rotary_turns(decoder, np.arange(capacity))
        # One product for each pair of matrices that read the same vector.
        self._w_qkv = [
            np.concatenate([one.attention.w_q, one.attention.w_k, one.attention.w_v], axis=1)
            for one in decoder.layers
        ]

    def extend(self, ids: Sequence[int]) -> CachedRows:
        """The rows of new tokens, which are kept for the next step. ids: of at least one piece."""
        decoder, n_new, start = self.decoder, len(ids), self.n_tokens
        self.n_tokens = start + n_new
        first = 0 if self._restarts else start
        turns_TP = self._turns_TP[first : first + n_new]
        hidden = self._hidden(n_new) if n_new > 1 or self._align == "top-left" else None
        stream_TD, shares = decoder.embedding[list(ids)], []
        for layer, weights in enumerate(decoder.layers):
            x_TD = decoder.norm(stream_TD, weights.attention_gain)
            mixed_TD, shares_HTS = self._attend(layer, x_TD, turns_TP, hidden)
            stream_TD = stream_TD + mixed_TD
            stream_TD = stream_TD + decoder.feed_forward(stream_TD, layer)
            shares.append(shares_HTS)
        return CachedRows(decoder.logits(stream_TD), np.array(shares))

    def kept(self, layer: int) -> tuple[Array, Array]:
        """The turned keys and the values of a layer so far. Shapes: (G, S, K)."""
        return self._keys[layer, :, : self.n_tokens], self._values[layer, :, : self.n_tokens]

    def _attend(
        self, layer: int, x_TD: Array, turns_TP: Array, hidden_TS: Array | None
    ) -> tuple[Array, Array]:
        """What attention adds to the new tokens, and their shares of all tokens so far."""
        p = self.decoder.layers[layer].attention
        n_new, groups = len(x_TD), p.groups
        fused_TF = x_TD @ self._w_qkv[layer]
        n_turned = p.n_heads + groups
        turned_TF, values_TF = np.split(fused_TF, [n_turned * p.d_k], axis=1)
        pairs_TNP = turned_TF.reshape(n_new, n_turned, -1).view(complex) * turns_TP[:, np.newaxis]
        turned_TNK = pairs_TNP.view(float)
        new = slice(self.n_tokens - n_new, self.n_tokens)
        keys_GSK, values_GSK = self.kept(layer)
        keys_GSK[:, new] = turned_TNK[:, p.n_heads :].swapaxes(0, 1)
        values_GSK[:, new] = values_TF.reshape(n_new, groups, -1).swapaxes(0, 1)
        query_GQK = turned_TNK[:, : p.n_heads].swapaxes(0, 1).reshape(groups, -1, p.d_k)
        scores_GQS = query_GQK @ keys_GSK.swapaxes(1, 2)
        scores_GQS *= self._scale
        scores_HTS = scores_GQS.reshape(p.n_heads, n_new, -1)
        if hidden_TS is not None:
            scores_HTS[:, hidden_TS] = -np.inf
        scores_HTS -= scores_HTS.max(axis=-1, keepdims=True)
        shares_HTS = np.exp(scores_HTS, out=scores_HTS)
        shares_HTS /= shares_HTS.sum(axis=-1, keepdims=True)
        outputs_GQK = shares_HTS.reshape(groups, -1, self.n_tokens) @ values_GSK
        merged_TF = outputs_GQK.reshape(p.n_heads, n_new, -1).swapaxes(0, 1).reshape(n_new, -1)
        mixed_TD = merged_TF if p.w_o is None else merged_TF @ p.w_o
        return mixed_TD if p.b_o is None else mixed_TD + p.b_o, shares_HTS

    def _hidden(self, n_new: int) -> Array:
        """Which keys each new token may not see. Shapes: (T, S) bool."""
        before = 0 if self._align == "top-left" else self.n_tokens - n_new
        return ~np.tri(n_new, self.n_tokens, before, dtype=bool)
