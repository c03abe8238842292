"""The numbers of a layer that was found in a file, as `Projections`."""

from __future__ import annotations

from typing import Any

import numpy as np

from attention_core.checks import Array, whole_number
from attention_core.errors import FileError, SettingsError
from attention_core.projections import Projections

from ..files.file_checks import MAX_VALUE, VALUE_RANGE
from ..files.weight_file import WeightFile
from .layer_search import FoundLayer


def read_layer(file: WeightFile, layer: FoundLayer, n_heads: int) -> Projections:
    """The weights of one layer, cut into n_heads heads; fewer key heads where its key matrix is
    narrower.

    Raises: SettingsError for a number of heads that does not fit, FileError for numbers that are
    not finite.
    """
    if whole_number("n_heads", n_heads, 1) not in layer.heads:
        raise SettingsError(
            f"n_heads is {n_heads}, but this layer can have {', '.join(map(str, layer.heads))}"
        )
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
    """What belongs to queries, keys and values, where they stand side by side."""
    if joint.ndim == 0 or joint.shape[-1] % 3:
        raise FileError(
            f"Queries, keys and values need a third each of an array of shape {joint.shape}; save"
            " it again"
        )
    return np.split(joint, 3, axis=-1)


def _numbers(file: WeightFile, name: str) -> Array:
    array = file.read(name)
    if array.dtype.kind != "f" or not np.isfinite(array).all():
        raise FileError(
            f"{name!r} must hold finite numbers, but holds NaN, infinity or whole numbers; save it"
            " again"
        )
    if max(array.max(initial=0), -array.min(initial=0)) > MAX_VALUE:
        place = [
            int(number) for number in np.unravel_index(int(np.abs(array).argmax()), array.shape)
        ]
        raise FileError(
            f"{name!r} holds {array[tuple(place)]:.3g} at {place} (counted from 0), but its numbers"
            f" must lie {VALUE_RANGE}: replace it"
        )
    return array
