"""The numbers of a layer that was found in a file, as `Projections`."""

from __future__ import annotations

from typing import Any

import numpy as np

from attention_core.checks import Array
from attention_core.errors import FileError
from attention_core.projections import Projections

from ..files.file_checks import check_numbers
from ..files.weight_file import WeightFile
from .layer_search import FileLayer


def read_layer(file: WeightFile, layer: FileLayer, n_heads: int) -> Projections:
    """The weights of one layer, split into heads; fewer key/value heads if its key matrix is
    narrower.

    n_heads: one of `layer.heads`. Raises: FileError for numbers that are not finite or too large.
    """
    arrays: dict[str, Any] = {}
    for part, suffix in layer.naming.parts.items():
        if (name := layer.prefix + suffix) in file.shapes:
            array = _numbers(file, name)
            arrays[part] = array.T if layer.naming.transposed and part.startswith("w_") else array
    for kind in ("w", "b"):
        if (joint := arrays.pop(f"{kind}_qkv", None)) is not None:
            arrays |= {
                f"{kind}_{letter}": part for letter, part in zip("qkv", _thirds(joint), strict=True)
            }
    width = layer.shapes["w_q"][1] // n_heads
    return Projections(**arrays, n_heads=n_heads, n_kv_heads=layer.shapes["w_k"][1] // width)


def _thirds(joint: Array) -> list[Array]:
    """The parts for queries, keys and values, which stand side by side."""
    if joint.ndim == 0 or joint.shape[-1] % 3:
        raise FileError(
            f"Queries, keys and values need a third each of an array of shape {joint.shape}; save"
            " it again"
        )
    return np.split(joint, 3, axis=-1)


def _numbers(file: WeightFile, name: str) -> Array:
    array = file.read(name)
    if array.dtype.kind != "f":
        raise FileError(f"{name!r} must hold numbers of float32 or float64; save it again")
    check_numbers(repr(name), array)
    return array
