"""What a trained layer adds to each token: a part from attention, and one from the feed-forward
network.

A layer adds the attention part to its input, normalises, adds the feed-forward part, and normalises
again. LayerNorm changes lengths between the two, so each part is compared with the vector that it
is added to. Source: Vaswani et al. 2017, section 3.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array

from ..cache import cached
from ..layer_norm import layer_norm
from .encoded_text import encoded_alone
from .encoder import Encoded, EncoderLayer, feed_forward
from .minilm import load_minilm


@dataclass(frozen=True, eq=False)
class AddedParts:
    """The lengths of the two parts that a layer adds to a token, each divided by the length of the
    vector that it is added to.

    Shapes: attention and feed_forward (L, T).
    """

    tokens: tuple[str, ...]
    attention: Array
    feed_forward: Array

    @property
    def share(self) -> Array:
        """Attention's share of both lengths, from 0 to 1; NaN if nothing is added.

        Shapes: (L, T).
        """
        both = self.attention + self.feed_forward
        share: Array = np.divide(
            self.attention, both, out=np.full(both.shape, np.nan), where=both > 0
        )
        return share

    @property
    def mean_share(self) -> Array:
        """Attention's mean share in each layer, over the tokens that have one. Shapes: (L,)."""
        mean: Array = np.nanmean(self.share, axis=1)
        return mean


def added_parts(run: Encoded, layers: Sequence[EncoderLayer]) -> AddedParts:
    """Both parts in every layer of a run through these layers."""
    parts = []
    for trace, layer in zip(run.traces, layers, strict=True):
        inputs_TD, summed_TD = trace.inputs[0], trace.output[0]
        attended_TD = layer_norm(summed_TD, layer.attention_norm)
        parts.append(
            (
                _relative_length(summed_TD - inputs_TD, inputs_TD),
                _relative_length(feed_forward(attended_TD, layer.feed_forward), attended_TD),
            )
        )
    attention, transformed = (np.array(part) for part in zip(*parts, strict=True))
    return AddedParts(run.tokens, attention, transformed)


@cached
def parts_of_text(text: str, n_tokens: int = 0) -> AddedParts:
    """Both parts in the trained model's layers on a text, cut to n_tokens. Raises: TextError,
    FileError, SettingsError.
    """
    return added_parts(encoded_alone(text, n_tokens), load_minilm().layers)


def _relative_length(part_TD: Array, vector_TD: Array) -> Array:
    """The length of a part divided by that of the vector; 0 if the vector is 0."""
    lengths = np.linalg.norm(vector_TD, axis=-1)
    relative: Array = np.linalg.norm(part_TD, axis=-1) / np.where(lengths > 0, lengths, np.inf)
    return relative
