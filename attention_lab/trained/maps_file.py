"""Attention weights from a file, within limits."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from attention_core.errors import FileError

from ..files.file_checks import has_half_character
from ..files.weight_file import MAX_TENSORS, WeightFile
from .attention_maps import AttentionMaps

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
