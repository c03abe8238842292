"""A Transformer encoder around `attend`: what stands between two attention layers.

B batch, T token, D model feature.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from attention_core.attention import attend
from attention_core.checks import Array
from attention_core.projections import Projections
from attention_core.trace import Trace

from ..layer_norm import Norm
from .feed_forward import FeedForward, run_feed_forward


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
    attended_TD = layer.attention_norm.of(trace.output[0])
    transformed_TD = run_feed_forward(attended_TD, layer.feed_forward).output
    return layer.output_norm.of(attended_TD + transformed_TD)
