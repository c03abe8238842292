"""How a language model writes: the shares of what may come next, drawing one, and the cache of keys
and values that makes each step a row.

G key/value head, R head of a group of heads that share keys, T new token, S token so far, K feature
of a head, N row, P pair of features, X piece of the vocabulary.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from attention_core.checks import Array, number_between
from attention_core.errors import SettingsError
from attention_core.formulas import rms_norm
from attention_core.projections import Projections

from .decoder import Decoder

ALIGNMENTS = ("bottom-right", "top-left")
# Up to this size one product for all of a layer's matrices that read the same vector saves time;
# a copy of larger ones would cost more memory than it saves.
MOST_JOINED = 2**20


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
    below_X = (logits_X - logits_X.max()).astype(np.float64, copy=False)
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


def rotary_turns(decoder: Decoder, positions_T: Array) -> Array | None:
    """The complex number by which each pair of features of a query or key is multiplied at each
    position; None for a model whose queries and keys are not turned. Shapes: (T,) -> (T, P).
    """
    if decoder.rotary is None:
        return None
    width = decoder.layers[0].attention.d_k
    pair_P = np.arange(width // 2)
    angle_TP = positions_T[:, np.newaxis] / decoder.rotary.base ** (2 * pair_P / width)
    dtype = np.result_type(decoder.embedding.dtype, np.complex64)
    turns_TP: Array = np.exp(1j * angle_TP).astype(dtype, copy=False)
    return turns_TP


def turned(heads_NHK: Array, turns_NP: Array, pairs: str) -> Array:
    """Queries or keys, turned by the position of each row. pairs: as in `Rotary`. Shapes: kept."""
    turns_N1P = turns_NP[:, np.newaxis]
    if pairs == "neighbours":
        pairs_NHP = np.ascontiguousarray(heads_NHK).view(turns_NP.dtype) * turns_N1P
        turned_NHK: Array = pairs_NHP.view(heads_NHK.dtype)
        return turned_NHK
    first_NHP, second_NHP = np.split(heads_NHK, 2, axis=-1)
    cos, sin = turns_N1P.real, turns_N1P.imag
    return np.concatenate(
        [first_NHP * cos - second_NHP * sin, first_NHP * sin + second_NHP * cos], axis=-1
    )


def compared(
    decoder: Decoder,
    layer: int,
    x_ND: Array,
    turns_NP: Array | None,
    w_qkv: Array | None = None,
) -> tuple[Array, Array, Array]:
    """The queries and the keys of a layer as scores read them, and the values, each row at its own
    position. w_qkv: the three matrices side by side. Shapes: (N, H, K), (N, G, K), (N, G, V).
    """
    weights = decoder.layers[layer]
    p, n = weights.attention, len(x_ND)
    matrices = (p.w_q, p.w_k, p.w_v) if w_qkv is None else (w_qkv,)
    fused_NF = np.concatenate([x_ND @ one for one in matrices], axis=1)
    if p.b_q is not None and p.b_k is not None and p.b_v is not None:
        fused_NF += np.concatenate([p.b_q, p.b_k, p.b_v])
    both_NF, values_NF = np.split(fused_NF, [(p.n_heads + p.groups) * p.d_k], axis=1)
    both_NHK = both_NF.reshape(n, -1, p.d_k)
    if (norm := weights.head_norm) is not None:
        of_queries, of_keys = np.split(both_NHK, [p.n_heads], axis=1)
        gains = np.asarray(norm.query_gain), np.asarray(norm.key_gain)
        both_NHK = np.concatenate(
            [
                rms_norm(of_queries, gains[0], norm.epsilon),
                rms_norm(of_keys, gains[1], norm.epsilon),
            ],
            axis=1,
        )
    if turns_NP is not None and decoder.rotary is not None:
        both_NHK = turned(both_NHK, turns_NP, decoder.rotary.pairs)
    values_NGV = values_NF.reshape(n, p.groups, p.d_v)
    return both_NHK[:, : p.n_heads], both_NHK[:, p.n_heads :], values_NGV


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
        self._keys, self._values = np.empty(shape, decoder.embedding.dtype)
        self._turns_TP = rotary_turns(decoder, np.arange(capacity))
        self._w_qkv = [_joined(one.attention) for one in decoder.layers]

    def extend(self, ids: Sequence[int]) -> CachedRows:
        """The rows of new tokens, which are kept for the next step. ids: of at least one piece."""
        decoder, n_new, start = self.decoder, len(ids), self.n_tokens
        self.n_tokens = start + n_new
        first = 0 if self._restarts else start
        turns_TP = None if self._turns_TP is None else self._turns_TP[first : first + n_new]
        stream_TD = decoder.embed(list(ids), np.arange(first, first + n_new))
        shares = []
        for layer, weights in enumerate(decoder.layers):
            x_TD = weights.attention_norm.of(stream_TD)
            hidden_TS = self._hidden(n_new, weights.window)
            mixed_TD, shares_HTS = self._attend(layer, x_TD, turns_TP, hidden_TS)
            stream_TD = stream_TD + mixed_TD
            stream_TD = stream_TD + decoder.feed_forward(stream_TD, layer)
            shares.append(shares_HTS)
        return CachedRows(decoder.logits(stream_TD), np.array(shares))

    def kept(self, layer: int) -> tuple[Array, Array]:
        """The turned keys and the values of a layer so far. Shapes: (G, S, K)."""
        return self._keys[layer, :, : self.n_tokens], self._values[layer, :, : self.n_tokens]

    def _attend(
        self, layer: int, x_TD: Array, turns_TP: Array | None, hidden_TS: Array | None
    ) -> tuple[Array, Array]:
        """What attention adds to the new tokens, and their shares of all tokens so far."""
        p = self.decoder.layers[layer].attention
        n_new, groups = len(x_TD), p.groups
        of_layer = compared(self.decoder, layer, x_TD, turns_TP, self._w_qkv[layer])
        query_HTK, key_GTK, value_GTK = (one.swapaxes(0, 1) for one in of_layer)
        new = slice(self.n_tokens - n_new, self.n_tokens)
        keys_GSK, values_GSK = self.kept(layer)
        keys_GSK[:, new], values_GSK[:, new] = key_GTK, value_GTK
        query_GQK = query_HTK.reshape(groups, -1, p.d_k)
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

    def _hidden(self, n_new: int, window: int | None) -> Array | None:
        """Which keys each new token may not see in a layer; None for none. Shapes: (T, S) bool."""
        before = 0 if self._align == "top-left" else self.n_tokens - n_new
        window = window or self.n_tokens
        if n_new == 1 and window >= self.n_tokens and self._align != "top-left":
            return None
        seen_TS = np.tri(n_new, self.n_tokens, before, dtype=bool)
        seen_TS &= ~np.tri(n_new, self.n_tokens, before - window, dtype=bool)
        return ~seen_TS


def _joined(p: Projections) -> Array | None:
    """The matrices of queries, keys and values side by side; None if they are large."""
    if p.w_q.size > MOST_JOINED:
        return None
    return np.concatenate([p.w_q, p.w_k, p.w_v], axis=1)
