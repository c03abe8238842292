"""The attention weights of many heads with their tokens, from any model: what the pages about heads
read.

At the end: attention weights from a file, within limits.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from attention_core.checks import Array, as_array, as_labels
from attention_core.display import array_type, html_table
from attention_core.errors import FileError, SettingsError, ShapeError, short_repr
from attention_core.trace import Trace

from ..files.file_checks import has_half_character
from ..files.weight_formats import MAX_TENSORS, WeightFile
from ..heads.patterns import Pattern

# Shares stored in 8 significant bits (bfloat16) sum to 1 only this closely.
MAX_ROUNDING = 0.01


@dataclass(frozen=True, eq=False, repr=False)
class AttentionMaps:
    """The attention weights of every head of every layer, read-only.

    Shapes: layers holds one (H, T, S) array per layer; tokens has T labels, memory_tokens S.
    """

    layers: tuple[Array, ...]
    tokens: tuple[str, ...]
    memory_tokens: tuple[str, ...]

    def __repr__(self) -> str:
        layers, heads, queries, keys = self.sizes.values()
        return f"AttentionMaps: {layers} layers of {heads} heads, {queries} queries, {keys} keys"

    def _repr_html_(self) -> str:
        rows = [(str(number), array_type(one), "H T S") for number, one in enumerate(self.layers)]
        return html_table(repr(self), ("layer", "array", "axes"), rows)

    @property
    def sizes(self) -> dict[str, int]:
        """The number of layers L, heads H, queries T and keys S."""
        return dict(zip("LHTS", (len(self.layers), *self.layers[0].shape), strict=True))

    @cached_property
    def seen(self) -> Array:
        """Which keys a query may see: those that some head of some layer gives a share above 0.
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

        Without labels the positions are numbered; in self-attention the keys are the queries'
        tokens. Raises: ShapeError when sizes differ, when the numbers are not attention weights,
        and for the None of a model that was not asked for them; SettingsError; TextError.

        >>> AttentionMaps.of([[[[0.5, 0.5], [0.0, 1.0]]]], ["a", "b"]).sizes
        {'L': 1, 'H': 1, 'T': 2, 'S': 2}
        """
        layers = [_as_layer(number, layer) for number, layer in enumerate(_as_list(attentions))]
        n_queries, n_keys = _common_shape(layers)
        tokens = as_labels("tokens", tokens) or tuple(map(str, range(n_queries)))
        memory_tokens = as_labels("memory_tokens", memory_tokens)
        if not memory_tokens and n_keys == n_queries:
            memory_tokens = tokens
        memory_tokens = memory_tokens or tuple(map(str, range(n_keys)))
        _check_labels("tokens", tokens, n_queries)
        _check_labels("memory_tokens", memory_tokens, n_keys)
        for number, layer in enumerate(layers):
            _check_shares(number, layer)
            layer.setflags(write=False)
        return cls(tuple(layers), tokens, memory_tokens)

    @classmethod
    def of_traces(cls, traces: Sequence[Trace]) -> AttentionMaps:
        """Those of the layers of one of our models; no number is copied."""
        layers = tuple(trace.probabilities[0] for trace in traces)
        return cls(layers, traces[0].tokens, traces[0].tokens)


def _as_list(attentions: Iterable[Any] | None) -> list[Any]:
    """The layers, none of them None."""
    try:
        layers = [None] if attentions is None else list(attentions)
    except TypeError as error:
        raise SettingsError(
            f"attentions is {short_repr(attentions)} but must hold one array per layer"
        ) from error
    if any(layer is None for layer in layers):
        raise ShapeError(
            "attentions holds None where one array per layer is expected: run the model with "
            'output_attentions=True and load it with attn_implementation="eager"'
        )
    return layers


def _as_layer(number: int, layer: Any) -> Array:
    """One layer as (H, T, S), in float64 if its numbers have 64 bits, else in float32. A view: the
    caller can go on writing to the array. The axis of a batch of one is removed.
    """
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
    dtype = np.float64 if array.dtype.itemsize == 8 else np.float32
    return array.astype(dtype, copy=False).view()


def _common_shape(layers: Sequence[Array]) -> tuple[int, int]:
    """The numbers of queries and keys, which all layers share."""
    shapes = {layer.shape for layer in layers}
    if len(shapes) != 1 or 0 in (shape := shapes.pop()):
        listed = ", ".join(str(layer.shape) for layer in layers[:5]) or "nothing"
        raise ShapeError(
            "every layer must have the same shape (heads, queries, keys), without a 0, but"
            f" attentions holds {listed}"
        )
    _, n_queries, n_keys = shape
    return n_queries, n_keys


def _check_labels(name: str, labels: tuple[str, ...], count: int) -> None:
    if len(labels) != count:
        raise ShapeError(
            f"{name} holds {len(labels)} labels for {count} positions; give one for each"
        )


# Numbers that are not attention weights may have any sum, which the error below says.
@np.errstate(over="ignore", invalid="ignore")
def _check_shares(number: int, layer_HTS: Array) -> None:
    """Every row is a distribution, or all 0 if its query has nothing to attend to."""
    totals_HT = layer_HTS.sum(axis=-1)
    least_HT = layer_HTS.min(axis=-1)
    wrong_HT = ~((np.abs(totals_HT - 1) <= MAX_ROUNDING) | (totals_HT == 0)) | (least_HT < 0)
    if not wrong_HT.any():
        return
    head, query = (int(i) for i in np.unravel_index(int(np.argmax(wrong_HT)), wrong_HT.shape))
    fault = f"has the sum {totals_HT[head, query]:.3g} instead of 1"
    if (least := least_HT[head, query]) < 0:
        fault = f"holds {least:.3g}, a number below 0"
    raise ShapeError(
        f"layer {number} does not hold attention weights: its row of head {head}, query {query}"
        f" {fault}; pass the result of the softmax"
    )


def pattern_of_layer(maps: AttentionMaps, layer: int, head: int | None = None) -> Pattern:
    """One layer for the measures of heads, or one of its heads: in float64 a layer may take half a
    gigabyte.
    """
    probabilities_HTS = maps.layers[layer]
    if head is not None:
        probabilities_HTS = probabilities_HTS[head : head + 1]
    allowed_BHTS = np.broadcast_to(maps.seen, (1, *probabilities_HTS.shape))
    # In this order, whatever the file's, the measures need no copy of their own.
    probabilities_BHTS = probabilities_HTS[np.newaxis].astype(np.float64, order="C")
    in_order = maps.tokens == maps.memory_tokens
    return Pattern(probabilities_BHTS, allowed_BHTS, None, in_order)


MAX_SHARES = 2**25
# Compressed zeros unpack to a thousand times their size. 72 heads of 512 tokens take 151 million
# bytes in float64.
MAX_SHARE_BYTES = 160_000_000
# A rule about tokens needs a square array of this size, even if there are few keys.
MAX_POSITIONS = 4096


def read_maps(file: WeightFile, tokens: Sequence[str] = ()) -> AttentionMaps:
    """The attention weights in a file: one array (layers, heads, query, key), or one array (heads,
    query, key) for each layer.

    tokens: the labels; without them those of the file count, an array "tokens", or "tokens" in the
    metadata. Raises: FileError; ShapeError when the arrays are not attention weights.
    """
    shapes = {name: shape for name, shape in file.shapes.items() if len(shape) in (3, 4, 5)}
    if not shapes:
        raise FileError(
            "The file holds no attention weights: no array has the axes layer, head, query, key"
        )
    _check_sizes(shapes)
    _check_bytes(sum(map(file.n_bytes, shapes)))
    names = sorted(shapes, key=lambda name: [int(number) for number in re.findall("[0-9]+", name)])
    stacked = len(names) == 1 and len(shapes[names[0]]) > 3
    _check_heads(shapes[names[0]][0] if stacked else len(names), shapes[names[0]][-3])
    labels = tuple(tokens) or file.labels
    if any(map(has_half_character, labels)):
        raise FileError(
            "The tokens contain half a character (a lone surrogate), which cannot be shown: save"
            " them again"
        )
    arrays = [file.read(name) for name in names]
    return AttentionMaps.of(list(arrays[0]) if stacked else arrays, labels)


def _check_sizes(shapes: Mapping[str, tuple[int, ...]]) -> None:
    """Raises: FileError for an empty axis, too many attention weights, or too long a sequence."""
    # A few bytes can list millions of empty arrays, whose product of sizes is 0.
    for name, shape in shapes.items():
        if 0 in shape:
            raise FileError(
                f"{name!r} has shape {shape}, but it needs at least 1 layer, head, query and key:"
                " save it again"
            )
    if (n_shares := sum(math.prod(shape) for shape in shapes.values())) > MAX_SHARES:
        raise FileError(
            f"The file holds {n_shares:,} attention weights, but at most {MAX_SHARES:,} are read:"
            " save fewer layers"
        )
    if (longest := max(max(shape[-2:]) for shape in shapes.values())) > MAX_POSITIONS:
        raise FileError(
            f"The file holds attention over {longest:,} positions, but at most {MAX_POSITIONS:,}"
            " are read: save a shorter text"
        )


def _check_bytes(n_bytes: int) -> None:
    """Raises: FileError when the attention weights need too much memory."""
    if n_bytes > MAX_SHARE_BYTES:
        raise FileError(
            f"The attention weights of the file take {n_bytes:,} bytes once they are read, but at"
            f" most {MAX_SHARE_BYTES:,} are allowed: save fewer layers, or numbers of 32 bits"
        )


def _check_heads(n_layers: int, n_heads: int) -> None:
    """Raises: FileError when there are more heads than can be shown."""
    if n_layers * n_heads > MAX_TENSORS:
        raise FileError(
            f"The file holds {n_layers:,} × {n_heads:,} heads, but at most {MAX_TENSORS:,} are"
            " shown: save fewer layers"
        )
