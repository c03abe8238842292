"""A Transformer decoder around `attend`: what stands before, between and after its attention
layers, and what each part adds to a logit.

B batch, T token, D model feature, F feature between the matrices of the feed-forward part, L layer,
N part, X piece of the vocabulary. Source: Touvron et al. 2023 (LLaMA), section 2.2; with learned
positions, LayerNorm and biases Radford et al. 2019 (GPT-2), section 2.3.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from attention_core.attention import attend
from attention_core.checks import Array
from attention_core.errors import SettingsError
from attention_core.layer_checks import HeadNorm
from attention_core.masks import window_mask
from attention_core.numbers import check_range
from attention_core.positions import Rotary
from attention_core.projections import Projections
from attention_core.trace import Trace

from ..heads.head_worth import without_heads
from ..heads.weight_blocks import head_contributions
from ..layer_norm import Norm
from .feed_forward import FeedForward, run_feed_forward

Head = tuple[int, int]  # layer, head
Part = str | tuple[str, int] | tuple[str, int, int]
OffPart = Head | tuple[str, int]  # what can be switched off: a head, ("feed-forward", layer)
EMBEDDING, FEED_FORWARD, HEAD = "embedding", "feed-forward", "head"
BIAS, OFFSET = "bias", "offset"  # of the attention of a layer, and of the last norm


def head_of(part: OffPart) -> Head | None:
    """A part that is a head; None for a feed-forward part."""
    first, second = part
    return None if isinstance(first, str) else (first, second)


def layer_of(part: OffPart) -> int:
    """The layer of a part."""
    first, second = part
    return second if isinstance(first, str) else first


@dataclass(frozen=True, eq=False)
class DecoderLayer:
    """The weights of one layer: norm, attention, norm, feed-forward.

    output_bias: that of the attention before any head was switched off, (D,). window: how many
    tokens a query sees at most, itself among them.
    """

    attention_norm: Norm
    attention: Projections
    feed_forward_norm: Norm
    feed_forward: FeedForward
    output_bias: Array | None = None
    head_norm: HeadNorm | None = None
    window: int | None = None


@dataclass(frozen=True, eq=False)
class Decoder:
    """All layers, and what stands at both ends. The embedding also makes the logits, unless there
    is an output matrix.

    Shapes: embedding and output (X, D). off: the parts that are switched off, and what each adds to
    every token in the place of what it would write, (D,). positions: a vector for each place in the
    text, (T, D); None for rotary positions. before: the decoder before anything was switched off.
    """

    embedding: Array
    layers: tuple[DecoderLayer, ...]
    last_norm: Norm
    rotary: Rotary | None
    off: Mapping[OffPart, Array] = field(default_factory=dict)
    positions: Array | None = None
    output: Array | None = None
    before: Decoder | None = None

    @property
    def centred(self) -> bool:
        """Whether the norms are LayerNorm, which takes off the mean, else RMSNorm."""
        return self.last_norm.offset is not None

    @property
    def unembedding(self) -> Array:
        """What the logits are made with. Shapes: (X, D)."""
        return self.embedding if self.output is None else self.output

    @cached_property
    def average_row(self) -> Array:
        """The average piece: the mean of what the logits are made with. Shapes: (D,)."""
        mean_D: Array = self.unembedding.mean(axis=0, dtype=np.float64)
        return mean_D

    @property
    def n_numbers(self) -> int:
        """How many numbers the matrices hold that a token is multiplied with."""
        parts = [part for one in self.layers for part in (one.attention, one.feed_forward)]
        return self.unembedding.size + sum(part.n_weights for part in parts)

    def embed(self, ids: Any, places: Array | None = None) -> Array:
        """The vectors of pieces, with those of their places where these are learned. places: from 0
        on if None. Shapes: (..., T) -> (..., T, D). Raises: SettingsError for a place that the
        model has not learned.
        """
        vectors: Array = self.embedding[np.asarray(ids)]
        if self.positions is None:
            return vectors
        places = np.arange(vectors.shape[-2]) if places is None else places
        if places.max() >= len(self.positions):
            raise SettingsError(
                f"the text and what may follow it need {places.max() + 1:,} places, but this model"
                f" has learned {len(self.positions):,}: give a shorter text"
            )
        return vectors + self.positions[places]

    def without(self, parts: Mapping[OffPart, Array]) -> Decoder:
        """The same with more parts switched off. parts: what each adds in its place. Shapes: (D,).

        A head attends as before, but its rows of W_O are 0, and what it adds stands in the bias. So
        does what a feed-forward part adds, whose last matrix is 0.
        """
        layers, heads = list(self.layers), dict[Head, Array]()
        for part, added_D in parts.items():
            if (head := head_of(part)) is None:
                at = layer_of(part)
                fed = layers[at].feed_forward
                fed = replace(fed, w_out=np.zeros_like(fed.w_out), b_out=added_D)
                layers[at] = replace(layers[at], feed_forward=fed)
            else:
                heads[head] = added_D
        for layer in sorted({at for at, _ in heads}):
            added = {head: heads[at, head] for at, head in heads if at == layer}
            p = without_heads(layers[layer].attention, list(added))
            if any(one.any() for one in added.values()):
                bias_D = np.sum([*added.values(), *([] if p.b_o is None else [p.b_o])], axis=0)
                p = replace(p, b_o=bias_D)
            layers[layer] = replace(layers[layer], attention=p)
        off, before = {**self.off, **parts}, self.before or self
        return replace(self, layers=tuple(layers), off=off, before=before)

    def last_reads(self, rows_XD: Array) -> Array:
        """How much each feature of the last vector counts in the products of the normed one with
        some rows, before the divisor of the last norm. Shapes: kept.
        """
        along_XD: Array = rows_XD * self.last_norm.gain
        if self.centred:
            along_XD = along_XD - along_XD.mean(axis=-1, keepdims=True)
        return along_XD

    def attend(self, stream_TD: Array, layer: int) -> Trace:
        """The attention of a layer, on the normed stream."""
        weights = self.layers[layer]
        x_TD, n = weights.attention_norm.of(stream_TD), stream_TD.shape[-2]
        window = weights.window
        mask_TS = None if window is None or n <= window else window_mask(n, n, left=window - 1)
        return attend(
            x_TD,
            weights.attention,
            mask=mask_TS,
            causal=True,
            rotary=self.rotary,
            head_norm=weights.head_norm,
        )

    def feed_forward(self, stream_TD: Array, layer: int) -> Array:
        """What the feed-forward part of a layer adds to each token, from the normed stream.

        Shapes: (T, D), kept.
        """
        weights = self.layers[layer]
        z_TD = weights.feed_forward_norm.of(stream_TD)
        return run_feed_forward(z_TD, weights.feed_forward).output

    def logits(self, stream_TD: Array) -> Array:
        """How well each piece of the vocabulary fits after each token. Shapes: (T, D) -> (T, X)."""
        return self.last_norm.of(stream_TD) @ self.unembedding.T


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

    def logits_after(self, layer: int, position: int | slice = slice(None)) -> Array:
        """What the last norm and the embedding make of the vectors after a layer, as if no layer
        followed; -1 is before the first. position: of one token, or of all. Shapes: (T, X) or (X,).
        Source: nostalgebraist 2020 (logit lens).
        """
        return self.decoder.logits(self.streams[layer + 1, position])

    def parts(self, position: int = -1) -> tuple[tuple[Part, ...], Array]:
        """The names of all parts that add up to the vector of a token, and the parts.

        Shapes: (N, D), with N = 1 + layers × (heads + 1), and one more for each bias of W_O.
        """
        names: list[Part] = [EMBEDDING]
        rows = [self.streams[0, position][np.newaxis]]
        for layer, trace in enumerate(self.traces):
            added_HD = head_contributions(trace)[0, :, position].copy()
            for head in range(len(added_HD)):
                added_HD[head] = self.decoder.off.get((layer, head), added_HD[head])
            rows += [added_HD, self.feed_forwards[layer, position][np.newaxis]]
            names += [(HEAD, layer, head) for head in range(len(added_HD))]
            names.append((FEED_FORWARD, layer))
            if (bias_D := self.decoder.layers[layer].output_bias) is not None:
                rows.append(bias_D[np.newaxis])
                names.append((BIAS, layer))
        return tuple(names), np.concatenate(rows)

    @cached_property
    def divisors(self) -> Array:
        """What the last norm divides each token's vector by. Shapes: (T,)."""
        last_TD = self.streams[-1]
        if self.decoder.centred:
            last_TD = last_TD - last_TD.mean(axis=-1, keepdims=True)
        squares_T = np.square(last_TD).mean(axis=-1)
        divisors_T: Array = np.sqrt(squares_T + self.decoder.last_norm.epsilon)
        return divisors_T


def without_each_head(run: Streams, layer: int, position: int) -> Array:
    """The vector of a token after the last layer, once for each head of a layer that is switched
    off: all of them in one batch through the later layers. Shapes: (H, D).
    """
    decoder, trace = run.decoder, run.traces[layer]
    stream_HTD = run.streams[layer] + (trace.output[0] - head_contributions(trace)[0])
    if layer == len(decoder.layers) - 1:
        stream_HTD = stream_HTD[:, [position]]  # no later layer reads the others
    stream_HTD = stream_HTD + decoder.feed_forward(stream_HTD, layer)
    for later in range(layer + 1, len(decoder.layers)):
        stream_HTD = stream_HTD + decoder.attend(stream_HTD, later).output
        stream_HTD = stream_HTD + decoder.feed_forward(stream_HTD, later)
    last_HD: Array = stream_HTD[:, min(position, stream_HTD.shape[1] - 1)]
    check_range(last_HD)
    return last_HD


def run_decoder(
    decoder: Decoder,
    stream_TD: Array,
    replaced: tuple[int, Trace] | None = None,
    before: Streams | None = None,
) -> Streams:
    """All layers in turn. Shapes: stream (T, D), the embeddings of the tokens.

    replaced: a layer and the trace that takes the place of its attention. before: a run of the same
    tokens, perhaps with other parts switched off, from which all layers before the first change are
    taken.
    """
    first = 0
    if before is not None:
        now, then = decoder.off, before.decoder.off
        changed = [layer_of(one) for one in {*now, *then} if now.get(one) is not then.get(one)]
        changed += [replaced[0]] if replaced else []
        first = min(changed, default=len(decoder.layers))
    streams = [stream_TD] if before is None else list(before.streams[: first + 1])
    traces = [] if before is None else list(before.traces[:first])
    added = [] if before is None else list(before.feed_forwards[:first])
    for layer in range(first, len(decoder.layers)):
        if replaced and replaced[0] == layer:
            trace = replaced[1]
        else:
            trace = decoder.attend(streams[-1], layer)
        attended_TD = streams[-1] + trace.output[0]
        added.append(decoder.feed_forward(attended_TD, layer))
        streams.append(attended_TD + added[-1])
        traces.append(trace)
    check_range(streams[-1])
    return Streams(decoder, tuple(traces), np.array(streams), np.array(added))


def run_batch(decoder: Decoder, ids_NT: Array) -> tuple[list[Trace], Array]:
    """All layers on several texts of one length: their traces, and the vectors at the end.
    Shapes: (N, T) -> (N, T, D).
    """
    stream_NTD, traces = decoder.embed(ids_NT), []
    for layer in range(len(decoder.layers)):
        traces.append(decoder.attend(stream_NTD, layer))
        stream_NTD = stream_NTD + traces[-1].output
        stream_NTD = stream_NTD + decoder.feed_forward(stream_NTD, layer)
    return traces, stream_NTD
