"""The probabilities of many heads with their token labels, whoever computed them: what all
pages about heads need.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from attention_core.checks import Array, as_array, as_labels, short_repr, whole_number
from attention_core.errors import SettingsError, ShapeError

from ..heads.patterns import Pattern
from .encoder import Encoded

# Shares stored in 8 significant bits (bfloat16) add up to 1 no better than this.
_ROUNDING = 0.01


@dataclass(frozen=True, eq=False)
class AttentionMaps:
    """The probabilities of every head of every layer, read-only.

    Shapes: layers holds one (H, T, S) array per layer; tokens has T labels, memory_tokens S.
    Raises: ShapeError when sizes differ, or when the numbers are no probabilities.
    """

    layers: tuple[Array, ...]
    tokens: tuple[str, ...]
    memory_tokens: tuple[str, ...]

    def __post_init__(self) -> None:
        shapes = {layer.shape for layer in self.layers}
        if len(shapes) != 1 or len(shape := shapes.pop()) != 3 or 0 in shape:
            given = ", ".join(str(layer.shape) for layer in self.layers[:5]) or "nothing"
            raise ShapeError(
                "every layer must have one shape (heads, queries, keys), none 0, but there is"
                f" {given}"
            )
        labelled = (
            ("tokens", self.tokens, shape[1]),
            ("memory_tokens", self.memory_tokens, shape[2]),
        )
        for name, labels, count in labelled:
            if len(labels) != count:
                raise ShapeError(
                    f"{name} holds {len(labels)} labels for {count} positions; give one for each"
                )
        object.__setattr__(
            self, "layers", tuple(layer.view() for layer in self.layers)
        )  # the caller can go on writing
        for number, layer in enumerate(self.layers):
            _check_shares(number, layer)
            layer.setflags(write=False)

    @property
    def sizes(self) -> dict[str, int]:
        """The number of layers L, heads H, queries T and keys S."""
        return dict(zip("LHTS", (len(self.layers), *self.layers[0].shape), strict=True))

    @cached_property
    def seen(self) -> Array:
        """Which keys a query may see: those to which some head of some layer gives something.
        Shapes: (T, S) bool.
        """
        seen_TS: Array = np.logical_or.reduce([(layer > 0).any(axis=0) for layer in self.layers])
        seen_TS.setflags(write=False)
        return seen_TS

    @classmethod
    def of(
        cls,
        attentions: Iterable[Any] | None,
        tokens: Sequence[str] = (),
        memory_tokens: Sequence[str] = (),
    ) -> AttentionMaps:
        """One array per layer, (H, T, S) or a batch of one of them; also PyTorch tensors, such as
        outputs.attentions.

        Missing labels are the positions' numbers; in self-attention the keys are the queries'
        tokens.
        Raises: ShapeError, also for the None that a model gives which was not asked for its
        probabilities; SettingsError, TextError.

        >>> AttentionMaps.of([[[[0.5, 0.5], [0.0, 1.0]]]], ["a", "b"]).sizes
        {'L': 1, 'H': 1, 'T': 2, 'S': 2}
        """
        try:
            given = [None] if attentions is None else list(attentions)
        except TypeError as error:
            raise SettingsError(
                f"attentions is {short_repr(attentions)} but must hold one array per layer"
            ) from error
        if any(layer is None for layer in given):
            raise ShapeError(
                "attentions holds None where one array per layer is expected: run the model with "
                'output_attentions=True and load it with attn_implementation="eager"'
            )
        layers = tuple(_as_layer(number, layer) for number, layer in enumerate(given))
        n_queries, n_keys = layers[0].shape[1:] if layers else (0, 0)
        tokens, memory_tokens = (
            as_labels("tokens", tokens),
            as_labels("memory_tokens", memory_tokens),
        )
        own = tokens or tuple(map(str, range(n_queries)))
        others = memory_tokens or (own if n_keys == n_queries else tuple(map(str, range(n_keys))))
        return cls(layers, own, others)

    @classmethod
    def of_encoded(cls, encoded: Encoded) -> AttentionMaps:
        """Those of our own encoder; no number is copied."""
        return cls.of([trace.probabilities for trace in encoded.traces], encoded.tokens)


def _as_layer(number: int, layer: Any) -> Array:
    """One layer as (H, T, S), in float64 if it has numbers of 64 bits, else in float32; a batch
    of one is opened.
    """
    if hasattr(layer, "detach"):  # a PyTorch tensor, of any precision, on any device
        layer = layer.detach().cpu()
        layer = (
            layer if getattr(layer, "itemsize", 4) == 8 else layer.float()
        )  # NumPy knows no bfloat16
    array = as_array(f"layer {number}", layer)
    if array.ndim == 4 and array.shape[0] == 1:
        array = array[0]
    if array.dtype.kind not in "fiu":
        raise ShapeError(
            f"layer {number} must hold numbers, but holds {array.dtype.name}; save it as float32"
        )
    if array.ndim != 3:
        raise ShapeError(
            f"layer {number} must hold numbers of shape (heads, queries, keys) or a batch of one,"
            f" not {array.shape}"
        )
    return array.astype(np.float64 if array.dtype.itemsize == 8 else np.float32, copy=False)


# Numbers that are no probabilities may add up to anything, which is told below.
@np.errstate(over="ignore", invalid="ignore")
def _check_shares(number: int, layer_HTS: Array) -> None:
    """Every row is a distribution, or all 0 where a query had nothing to attend to."""
    totals_HT = layer_HTS.sum(axis=-1)
    least_HT = layer_HTS.min(axis=-1)
    wrong_HT = ~((np.abs(totals_HT - 1) <= _ROUNDING) | (totals_HT == 0)) | (least_HT < 0)
    if wrong_HT.any():
        head, query = (int(i) for i in np.unravel_index(int(np.argmax(wrong_HT)), wrong_HT.shape))
        total, least = totals_HT[head, query], least_HT[head, query]
        fault = (
            f"holds {least:.3g}, a number below 0"
            if least < 0
            else f"adds up to {total:.3g} instead of 1"
        )
        raise ShapeError(
            f"layer {number} holds no probabilities: its row of head {head}, query {query} {fault};"
            " pass what comes out of the softmax"
        )


def pattern_of_layer(maps: AttentionMaps, layer: int, head: int | None = None) -> Pattern:
    """One layer for the measures of heads, or one head of it alone: in float64 a layer may take
    half a gigabyte.
    """
    probabilities_HTS = maps.layers[whole_number("layer", layer, 0, len(maps.layers) - 1)]
    if head is not None:
        head = whole_number("head", head, 0, len(probabilities_HTS) - 1)
        probabilities_HTS = probabilities_HTS[head : head + 1]
    allowed_BHTS = np.broadcast_to(maps.seen, (1, *probabilities_HTS.shape))
    resolution = float(np.finfo(probabilities_HTS.dtype).eps)
    # In this order, whatever the file's, the checks and measures need no copy of their own.
    probabilities_BHTS = probabilities_HTS[np.newaxis].astype(np.float64, order="C")
    return Pattern(
        probabilities_BHTS, allowed_BHTS, None, maps.tokens == maps.memory_tokens, resolution
    )
