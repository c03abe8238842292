"""A Transformer encoder around `attend`: what stands between one attention layer and the next, one
function each.

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
from attention_core.checks import Array, as_labels, as_list, as_stack
from attention_core.errors import ShapeError
from attention_core.number_types import check_range
from attention_core.projections import Projections
from attention_core.trace import Trace

from ..layer_norm import Norm, layer_norm
from .gelu import gelu


@dataclass(frozen=True, eq=False)
class FeedForward:
    """The two matrices that every token passes by itself. Shapes: w_in (D, F), b_in (F,), w_out
    (F, D), b_out (D,).
    """

    w_in: Array
    b_in: Array
    w_out: Array
    b_out: Array

    def __post_init__(self) -> None:
        for name, n_axes in (("w_in", 2), ("b_in", 1), ("w_out", 2), ("b_out", 1)):
            object.__setattr__(
                self, name, as_stack(name, getattr(self, name), n_axes, exactly=True)
            )
        (d_model, width), (width_out, d_out) = self.w_in.shape, self.w_out.shape
        if (len(self.b_in), width_out, d_out, len(self.b_out)) != (width, width, d_model, d_model):
            shapes = ", ".join(str(a.shape) for a in (self.w_in, self.b_in, self.w_out, self.b_out))
            raise ShapeError(
                f"w_in (D, F), b_in (F,), w_out (F, D) and b_out (D,) do not fit: {shapes}"
            )


@dataclass(frozen=True, eq=False)
class EncoderLayer:
    """The weights of one layer: attention, LayerNorm, feed-forward, LayerNorm."""

    attention: Projections
    attention_norm: Norm
    feed_forward: FeedForward
    output_norm: Norm

    def __post_init__(self) -> None:
        d_model = self.attention.d_model
        widths = {
            "d_out of attention": self.attention.d_out,
            "attention_norm": len(self.attention_norm.gain),
            "feed_forward": len(self.feed_forward.w_in),
            "output_norm": len(self.output_norm.gain),
        }
        for name, width in widths.items():
            if width != d_model:
                raise ShapeError(
                    f"{name} has width {width} but attention reads {d_model}; make them equal"
                )


@dataclass(frozen=True, eq=False)
class Encoded:
    """What happened in every layer: the `Trace` of each attention, and what leaves the last
    layer.
    """

    traces: tuple[Trace, ...]
    last: EncoderLayer

    @cached_property
    def output(self) -> Array:
        """The vectors that leave the last layer, worked out when first asked for. Shapes: (T,
        D).
        """
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
    """All layers in turn; what one puts out is the input of the next.

    Shapes: x (T, D); mask bool, True = may attend, as `attend` takes it. Raises: ShapeError,
    SettingsError.
    """
    if not as_list("layers", layers):
        raise ShapeError("layers is empty, but an encoder has at least one layer; give one")
    labels = as_labels("tokens", tokens)

    def attention(x_TD: Array, layer: EncoderLayer) -> Trace:
        return attend(x_TD, layer.attention, mask=mask, residual=True).labelled(labels)

    traces = [attention(as_stack("x", x, 2, exactly=True), layers[0])]
    for before, layer in pairwise(layers):
        traces.append(attention(after_attention(traces[-1], before), layer))
    return Encoded(tuple(traces), layers[-1])


def after_attention(trace: Trace, layer: EncoderLayer) -> Array:
    """LayerNorm of what attention added to its input; then feed-forward, added to its input, and
    LayerNorm again.

    Shapes: (T, D). Source: Vaswani et al. 2017, section 3.1; Devlin et al. 2019 (BERT), section 3.
    """
    attended_TD = layer_norm(trace.output[0], layer.attention_norm)
    transformed_TD = feed_forward(attended_TD, layer.feed_forward)
    transformed_TD += attended_TD
    return layer_norm(transformed_TD, layer.output_norm)


@np.errstate(over="ignore", invalid="ignore")
def feed_forward(x_TD: Array, weights: FeedForward) -> Array:
    """GELU(x W_in + b_in) W_out + b_out: every token by itself, the same for all.

    Shapes: (T, D) -> (T, D). Raises: ShapeError, SettingsError, this also for numbers that grow too
    large.
    Source: Vaswani et al. 2017, section 3.3, with GELU in place of ReLU as in BERT.
    """
    x_TD = as_stack("x", x_TD, 2, exactly=True)
    if x_TD.shape[1] != len(weights.w_in):
        raise ShapeError(
            f"x has shape {x_TD.shape} but w_in reads {len(weights.w_in)} features; make them agree"
        )
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
