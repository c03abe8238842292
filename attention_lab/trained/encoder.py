"""A Transformer encoder around `attend`: one function for each step between two attention layers.

B batch, T token, D model feature, F feature between the two matrices of the feed-forward part.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from attention_core.attention import attend
from attention_core.buffer_pool import pooled_array
from attention_core.checks import Array
from attention_core.numbers import check_range
from attention_core.projections import Projections
from attention_core.trace import Trace

from ..layer_norm import Norm, layer_norm
from .gelu import gelu


@dataclass(frozen=True, eq=False)
class FeedForward:
    """The two matrices through which every token passes by itself.

    Shapes: w_in (D, F), b_in (F,), w_out (F, D), b_out (D,).
    """

    w_in: Array
    b_in: Array
    w_out: Array
    b_out: Array


@dataclass(frozen=True, eq=False)
class EncoderLayer:
    """The weights of one layer: attention, LayerNorm, feed-forward, LayerNorm."""

    attention: Projections
    attention_norm: Norm
    feed_forward: FeedForward
    output_norm: Norm


@dataclass(frozen=True, eq=False)
class Encoded:
    """The `Trace` of the attention in every layer, and the output of the last layer."""

    traces: tuple[Trace, ...]
    last: EncoderLayer

    @cached_property
    def output(self) -> Array:
        """The output of the last layer, computed when first asked for. Shapes: (T, D)."""
        return after_attention(self.traces[-1], self.last)

    @property
    def tokens(self) -> tuple[str, ...]:
        """The labels of the positions."""
        return self.traces[0].tokens


def encode(
    x: Array,
    layers: Sequence[EncoderLayer],
    tokens: tuple[str, ...] = (),
    mask: Array | None = None,
) -> Encoded:
    """All layers in turn; the output of one is the input of the next. layers: at least one.

    Shapes: x (T, D); mask bool, True = may attend, as `attend` takes it. Raises: SettingsError for
    numbers that grow too large.
    """

    def attention(x_TD: Array, layer: EncoderLayer) -> Trace:
        return attend(x_TD, layer.attention, mask=mask, residual=True).labelled(tokens)

    traces = [attention(x, layers[0])]
    for before, layer in pairwise(layers):
        traces.append(attention(after_attention(traces[-1], before), layer))
    return Encoded(tuple(traces), layers[-1])


def after_attention(trace: Trace, layer: EncoderLayer) -> Array:
    """The rest of a layer: LayerNorm, then feed-forward added to its input, then LayerNorm.

    Shapes: (T, D). Source: Vaswani et al. 2017, section 3.1; Devlin et al. 2019 (BERT), section 3.
    """
    attended_TD = layer_norm(trace.output[0], layer.attention_norm)
    transformed_TD = feed_forward(attended_TD, layer.feed_forward)
    transformed_TD += attended_TD
    return layer_norm(transformed_TD, layer.output_norm)


@np.errstate(over="ignore", invalid="ignore")
def feed_forward(x_TD: Array, weights: FeedForward) -> Array:
    """GELU(x W_in + b_in) W_out + b_out: every token by itself, with the same weights for all.

    Shapes: (T, D) -> (T, D). Raises: SettingsError for numbers that grow too large. Source: Vaswani
    et al. 2017, section 3.3, with GELU in place of ReLU as in BERT.
    """
    wide_TF = pooled_array((len(x_TD), len(weights.b_in)), np.result_type(x_TD, weights.w_in))
    np.dot(x_TD, weights.w_in, out=wide_TF)
    for block in _row_blocks(wide_TF):
        block += weights.b_in
        block[...] = gelu(block)
    output_TD: Array = np.dot(wide_TF, weights.w_out)
    output_TD += weights.b_out
    check_range(output_TD)
    return output_TD


def _row_blocks(x_TF: Array) -> Iterator[Array]:
    """Views of a few rows each, small enough that a formula's intermediates stay in the cache."""
    rows = max(1, 2**16 // x_TF.shape[1])
    return (x_TF[start : start + rows] for start in range(0, len(x_TF), rows))
