"""A Transformer decoder around `attend`: what stands before, between and after its attention
layers, and what each part adds to a logit.

B batch, T token, D model feature, F feature between the matrices of the feed-forward part, L layer,
N part, X piece of the vocabulary. Source: Touvron et al. 2023 (LLaMA), section 2.2.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attention_core.attention import attend
from attention_core.checks import Array
from attention_core.formulas import rms_norm
from attention_core.numbers import check_range
from attention_core.positions import Rotary
from attention_core.projections import MATRICES, Projections
from attention_core.trace import Trace

from ..heads.head_worth import without_heads
from ..heads.weight_blocks import head_contributions

Part = str | tuple[str, int] | tuple[str, int, int]
EMBEDDING, FEED_FORWARD, HEAD = "embedding", "feed-forward", "head"


@dataclass(frozen=True, eq=False)
class DecoderLayer:
    """The weights of one layer: norm, attention, norm, feed-forward.

    Shapes: gains (D,); w_1 and w_3 (D, F), w_2 (F, D).
    """

    attention_gain: Array
    attention: Projections
    feed_forward_gain: Array
    w_1: Array
    w_2: Array
    w_3: Array

    @property
    def counts(self) -> tuple[int, int]:
        """How many numbers the matrices of the attention hold, and those of the feed-forward."""
        attention = [getattr(self.attention, name) for name in MATRICES]
        feed_forward = (self.w_1, self.w_2, self.w_3)
        return sum(one.size for one in attention if one is not None), sum(
            one.size for one in feed_forward
        )


@dataclass(frozen=True, eq=False)
class Decoder:
    """All layers, and what stands at both ends. The embedding also makes the logits.

    Shapes: embedding (X, D); last_gain (D,). epsilon: added to the mean of squares in every norm.
    """

    embedding: Array
    layers: tuple[DecoderLayer, ...]
    last_gain: Array
    rotary: Rotary
    epsilon: float

    def norm(self, x_TD: Array, gain_D: Array) -> Array:
        """Each token's vector divided by its root mean square, times the gain. Shapes: kept."""
        return rms_norm(x_TD, gain_D, self.epsilon)

    def attend(self, stream_TD: Array, layer: int, without: Collection[int] = ()) -> Trace:
        """The attention of a layer, on the normed stream. without: heads that are switched off."""
        weights = self.layers[layer]
        projections = without_heads(weights.attention, without) if without else weights.attention
        x_TD = self.norm(stream_TD, weights.attention_gain)
        return attend(x_TD, projections, rotary=self.rotary, causal=True)

    def feed_forward(self, stream_TD: Array, layer: int) -> Array:
        """What the feed-forward part of a layer adds to each token: (silu(z W_1) ⊙ z W_3) W_2, with
        the normed stream z.

        Shapes: (T, D), kept. Source: Shazeer 2020 (GLU variants), equation 6.
        """
        weights = self.layers[layer]
        z_TD = self.norm(stream_TD, weights.feed_forward_gain)
        added_TD: Array = silu(z_TD @ weights.w_1) * (z_TD @ weights.w_3) @ weights.w_2
        return added_TD

    def logits(self, stream_TD: Array) -> Array:
        """How well each piece of the vocabulary fits after each token. Shapes: (T, D) -> (T, X)."""
        return self.norm(stream_TD, self.last_gain) @ self.embedding.T


def silu(x: Array) -> Array:
    """x σ(x): a number times the logistic function of it. Shapes: kept. Source: Hendrycks and
    Gimpel 2016.

    >>> silu(np.array([-800.0, 0.0, 1.0, 800.0])).round(4).tolist()
    [-0.0, 0.0, 0.7311, 800.0]
    """
    with np.errstate(over="ignore"):  # far below 0, exp(-x) is inf, and x / inf is 0
        activated: Array = x / (1 + np.exp(-x))
    return activated


@dataclass(frozen=True, eq=False)
class Streams:
    """A run through the layers: what each token's vector is at each place, and what was added.

    Shapes: streams (L+1, T, D), before each layer and after the last; feed_forwards (L, T, D). The
    traces belong to the layers from `first` on; before it all is as in another run.
    """

    decoder: Decoder
    traces: tuple[Trace, ...]
    streams: Array
    feed_forwards: Array

    @cached_property
    def logits(self) -> Array:
        """How well each piece fits after each token. Shapes: (T, X)."""
        logits: Array = self.decoder.logits(self.streams[-1])
        return logits

    def logits_after(self, layer: int) -> Array:
        """What the last norm and the embedding make of the vectors after a layer, as if no layer
        followed; -1 is before the first. Shapes: (T, X). Source: nostalgebraist 2020 (logit lens).
        """
        return self.decoder.logits(self.streams[layer + 1])

    def parts(self, position: int = -1) -> tuple[tuple[Part, ...], Array]:
        """The names of all parts that add up to the vector of a token, and the parts.

        Shapes: (N, D), with N = 1 + layers × (heads + 1).
        """
        names: list[Part] = [EMBEDDING]
        rows = [self.streams[0, position][np.newaxis]]
        for layer, trace in enumerate(self.traces):
            added_HD = head_contributions(trace)[0, :, position]
            rows += [added_HD, self.feed_forwards[layer, position][np.newaxis]]
            names += [(HEAD, layer, head) for head in range(len(added_HD))]
            names.append((FEED_FORWARD, layer))
        return tuple(names), np.concatenate(rows)

    @cached_property
    def divisors(self) -> Array:
        """What the last norm divides each token's vector by. Shapes: (T,)."""
        squares_T = np.square(self.streams[-1]).mean(axis=-1)
        divisors_T: Array = np.sqrt(squares_T + self.decoder.epsilon)
        return divisors_T

    @cached_property
    def added_logits(self) -> Array:
        """What each part adds to each logit after the last token, with the divisor of the last
        norm held at its value; the sum over the parts is the logit. Shapes: (N, X).
        """
        _, parts_ND = self.parts()
        gain_D = self.decoder.last_gain / self.divisors[-1]
        added: Array = (parts_ND * gain_D) @ self.decoder.embedding.T
        return added


def run_decoder(
    decoder: Decoder,
    stream_TD: Array,
    without: Collection[tuple[int, int]] = (),
    replaced: tuple[int, Trace] | None = None,
    before: Streams | None = None,
) -> Streams:
    """All layers in turn. Shapes: stream (T, D), the embeddings of the tokens.

    without: layer and head of heads that are switched off. replaced: a layer and the trace that
    takes the place of its attention. before: a run of the same tokens, from which all layers before
    the first change are taken.
    """
    changed = [layer for layer, _ in without] + ([replaced[0]] if replaced else [])
    first = min(changed, default=len(decoder.layers)) if before else 0
    streams = [stream_TD] if before is None else list(before.streams[: first + 1])
    traces = [] if before is None else list(before.traces[:first])
    added = [] if before is None else list(before.feed_forwards[:first])
    for layer in range(first, len(decoder.layers)):
        off = [head for at, head in without if at == layer]
        if replaced and replaced[0] == layer:
            trace = replaced[1]
        else:
            trace = decoder.attend(streams[-1], layer, off)
        attended_TD = streams[-1] + trace.output[0]
        added.append(decoder.feed_forward(attended_TD, layer))
        streams.append(attended_TD + added[-1])
        traces.append(trace)
    check_range(streams[-1])
    return Streams(decoder, tuple(traces), np.array(streams), np.array(added))
