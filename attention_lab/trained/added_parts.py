"""What a trained layer adds to each token: the part of attention, and that of the feed-forward
network.

A layer adds attention's part to its input, normalises, adds the part of the feed-forward network,
and normalises again. LayerNorm changes lengths between the two, so each part is measured beside the
vector that it is added to. Source: Vaswani et al. 2017, section 3.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attention_core.cache import cached
from attention_core.checks import Array
from attention_core.errors import ShapeError

from ..layer_norm import layer_norm
from .encoded_text import encoded_alone
from .encoder import Encoded, EncoderLayer, feed_forward
from .minilm import load_minilm


@dataclass(frozen=True, eq=False)
class AddedParts:
    """How long the two parts are that a layer adds to a token, each beside the vector that it is
    added to: 1 is as long.

    Shapes: attention and feed_forward (L, T).
    """

    tokens: tuple[str, ...]
    attention: Array
    feed_forward: Array

    @property
    def share(self) -> Array:
        """Attention's share of both lengths, from 0 to 1; NaN where nothing is added. Shapes: (L,
        T).
        """
        both = self.attention + self.feed_forward
        share: Array = np.divide(
            self.attention, both, out=np.full(both.shape, np.nan), where=both > 0
        )
        return share

    @property
    def mean_share(self) -> Array:
        """Attention's share in each layer, over the tokens that have one. Shapes: (L,)."""
        mean: Array = np.nanmean(self.share, axis=1)
        return mean


def added_parts(run: Encoded, layers: Sequence[EncoderLayer]) -> AddedParts:
    """Both parts in every layer of a run through these layers. Raises: ShapeError."""
    if len(layers) != len(run.traces):
        raise ShapeError(
            f"there are {len(layers)} layers but {len(run.traces)} traces; give those of the run"
        )
    found = []
    for trace, layer in zip(run.traces, layers, strict=True):
        inputs_TD, summed_TD = trace.inputs[0], trace.output[0]
        attended_TD = layer_norm(summed_TD, layer.attention_norm)
        found.append(
            (
                _beside(summed_TD - inputs_TD, inputs_TD),
                _beside(feed_forward(attended_TD, layer.feed_forward), attended_TD),
            )
        )
    attention, transformed = (np.array(part) for part in zip(*found, strict=True))
    return AddedParts(run.tokens, attention, transformed)


@cached
def parts_of_text(text: str, n_tokens: int = 0) -> AddedParts:
    """Both parts in the trained model's layers on a text, cut to n_tokens. Raises: TextError,
    FileError, SettingsError.
    """
    return added_parts(encoded_alone(text, n_tokens), load_minilm().layers)


def _beside(part_TD: Array, vector_TD: Array) -> Array:
    """The length of a part over that of the vector which it is added to; 0 where there is none."""
    lengths = np.linalg.norm(vector_TD, axis=-1)
    beside: Array = np.linalg.norm(part_TD, axis=-1) / np.where(lengths > 0, lengths, np.inf)
    return beside
