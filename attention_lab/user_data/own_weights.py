"""Somebody's own weights: which attention layers a file holds, and one of them as `Projections`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any, BinaryIO

import numpy as np

from attention_core.checks import Array, divisors, whole_number
from attention_core.counting import counted
from attention_core.errors import FileError, SettingsError
from attention_core.projections import Projections

from ..files.file_checks import LARGEST_VALUE, VALUES
from ..files.npz_archive import LONGEST_NAME
from ..files.npz_file import NpzFile
from ..files.safetensors_file import SafetensorsFile
from ..files.weight_file import MAX_BYTES, PICKLES, WeightFile, bytes_read, file_size, pickle_error
from .weight_names import LEFT_OUT, NAMINGS, Naming

# Heads of trained models have nearly always this width.
USUAL_WIDTH = 64
MAX_WIDTH = 32_768
# Bytes of a layer once it is read, as many as Llama 2 7B needs: compressed zeros unpack to a
# thousand times their size.
MAX_MEMORY = 2**28


@dataclass(frozen=True)
class FoundLayer:
    """An attention layer found in a file, before any of its numbers is read.

    prefix: what the names of its parts begin with; shapes: those of w_q, w_k, w_v, w_o with
    features in first. heads: how many heads its widths allow; saved_heads: how many the file says
    it has, where it says so.
    """

    prefix: str
    naming: Naming
    shapes: Mapping[str, tuple[int, int]]
    heads: tuple[int, ...]
    saved_heads: int | None = None
    notes: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """How to call it in a list."""
        return f"{self.prefix.rstrip('.') or 'the layer'} ({self.naming.title})"

    @property
    def d_model(self) -> int:
        """The width of the vectors it reads."""
        return self.shapes["w_q"][0]

    @property
    def likely_heads(self) -> int:
        """What the file says; else as many heads as have the usual width 64 or more, or as few
        as possible.
        """
        wide = [count for count in self.heads if self.shapes["w_q"][1] // count >= USUAL_WIDTH]
        return self.saved_heads or max(wide, default=self.heads[0])


def open_weights(file: BinaryIO, name: str) -> WeightFile:
    """The file behind `file`, called `name`, as .safetensors or .npz, whichever its first bytes say
    it is.

    Raises: FileError for pickles, for anything else, and for what is damaged or beyond the limits.
    """
    name = PurePath(name).name
    if len(name) > LONGEST_NAME or not name.isprintable():
        raise FileError(
            f"The file's name must have at most {LONGEST_NAME} characters that can all be shown:"
            " rename it"
        )
    size = file_size(file)
    if size > MAX_BYTES:
        raise FileError(
            f"{name} has {size:,} bytes, but at most {MAX_BYTES:,} are read: save the layer you"
            " want alone"
        )
    file.seek(0)
    start = file.read(300)
    if start[8:9] == b"{":
        return SafetensorsFile(file)
    # PyTorch's archives begin with their pickle, older files are one.
    if start[:1] == b"\x80" or b"/data.pkl" in start:
        raise pickle_error(name)
    if start[:4] == b"PK\x03\x04":
        return NpzFile(file, name)
    if PurePath(name).suffix.lower() in PICKLES:  # the oldest kinds begin in many ways
        raise pickle_error(name)
    if not start:
        raise FileError(f"{name} is empty: save or copy it again")
    raise FileError(
        f"{name} is neither .safetensors nor .npz by its first bytes; save the weights as one of"
        " them"
    )


def find_layers(file: WeightFile) -> tuple[FoundLayer, ...]:
    """Every attention layer whose names are known, in the order of their numbers; a note tells of
    those left out.

    Raises: FileError when there is none, with what is wrong with the first, or the first names that
    there are.
    """
    found, incomplete, refused = [], [], []
    for prefix, naming in _anchored(file.shapes):
        needed = [prefix + naming.parts[part] for part in naming.required]
        if missing := [part for part in needed if part not in file.shapes]:
            incomplete.append(f"{prefix + naming.anchor} has no {missing[0]} beside it")
            continue
        try:
            found.append(_found(file, prefix, naming))
        except FileError as error:
            refused.append(error)
    if not found:
        raise refused[0] if refused else _no_layer(file, incomplete)
    found.sort(key=lambda layer: _in_order(layer.prefix))
    if not refused:
        return tuple(found)
    left_out = f"{counted(len(refused), 'more layer')} of the file cannot be used: {refused[0]}."
    return tuple(replace(layer, notes=(*layer.notes, left_out)) for layer in found)


def _anchored(shapes: Mapping[str, tuple[int, ...]]) -> Iterator[tuple[str, Naming]]:
    """Where a layer may be: what stands before the name by which it is recognised, and how its
    parts are named.
    """
    for naming in NAMINGS:
        for name, shape in shapes.items():
            prefix = name.removesuffix(naming.anchor)
            if prefix != name and (not prefix or prefix[-1] == "."):
                yield prefix, naming.lying(shape)


def _no_layer(file: WeightFile, incomplete: Sequence[str]) -> FileError:
    reason = (
        incomplete[0]
        if incomplete
        else f"its names begin with {', '.join(list(file.shapes)[:3]) or 'nothing'}"
    )
    known = ", ".join(naming.title for naming in NAMINGS)
    return FileError(
        f"The file holds no whole attention layer: {reason}. Names that are understood: {known}"
    )


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
    if max(array.max(initial=0), -array.min(initial=0)) > LARGEST_VALUE:
        place = [
            int(number) for number in np.unravel_index(int(np.abs(array).argmax()), array.shape)
        ]
        raise FileError(
            f"{name!r} holds {array[tuple(place)]:.3g} at {place} (counted from 0), but its numbers"
            f" must lie {VALUES}: replace it"
        )
    return array


def _found(file: WeightFile, prefix: str, naming: Naming) -> FoundLayer:
    """A layer whose parts are all there, with the widths they allow. Raises: FileError when
    they do not fit.
    """
    shapes: dict[str, tuple[int, int]] = {}
    for part in naming.required:
        shape = file.shapes[prefix + naming.parts[part]]
        if len(shape) != 2 or 0 in shape:
            raise FileError(
                f"{prefix + naming.parts[part]!r} has shape {shape}, but must be a matrix"
            )
        shapes[part] = (shape[1], shape[0]) if naming.transposed else (shape[0], shape[1])
    if joint := shapes.pop("w_qkv", None):
        if joint[1] % 3:
            raise FileError(
                f"{prefix + naming.anchor!r} has width {joint[1]}, but it must be queries, keys and"
                " values"
            )
        shapes = {f"w_{letter}": (joint[0], joint[1] // 3) for letter in "qkv"} | shapes
    _check_biases(file, prefix, naming)
    _check_sizes(file, prefix, naming, shapes)
    query_width, key_width, value_width = (shapes[name][1] for name in ("w_q", "w_k", "w_v"))
    heads = possible_heads(query_width, key_width, value_width, shapes["w_o"][0])
    if not heads:
        raise FileError(
            f"The matrices of {prefix!r} fit no number of heads: their shapes are {shapes}"
        )
    notes = (
        naming.note,
        *(says for name, says in LEFT_OUT.items() if prefix + name in file.shapes),
    )
    saved = _saved_heads(file, prefix + naming.heads) if naming.heads else None
    return FoundLayer(
        prefix, naming, shapes, heads, saved if saved in heads else None, tuple(filter(None, notes))
    )


def _check_sizes(
    file: WeightFile, prefix: str, naming: Naming, shapes: Mapping[str, tuple[int, int]]
) -> None:
    """Raises: FileError for matrices that are too wide, or take too much memory; one array of
    64 bits makes all so.
    """
    if max(max(shape) for shape in shapes.values()) > MAX_WIDTH:
        raise FileError(
            f"The matrices of {prefix!r} are wider than the {MAX_WIDTH:,} features that are read:"
            f" {shapes}"
        )
    parts = [name for suffix in naming.parts.values() if (name := prefix + suffix) in file.shapes]
    in_double = any(file.n_bytes(name) > bytes_read(file.shapes[name], 4) for name in parts)
    numbers = sum(math.prod(shape) for shape in shapes.values())
    if (n_bytes := bytes_read((numbers,), 8 if in_double else 4)) > MAX_MEMORY:
        raise FileError(
            f"The matrices of {prefix!r} take {n_bytes:,} bytes once they are read, but may take at"
            f" most {MAX_MEMORY:,}: choose a smaller model, or numbers of 32 bits"
        )


def _check_biases(file: WeightFile, prefix: str, naming: Naming) -> None:
    """Raises: FileError for a bias longer than queries, keys and values side by side."""
    for name in (prefix + suffix for part, suffix in naming.parts.items() if part.startswith("b_")):
        shape = file.shapes.get(name, ())
        if math.prod(shape) > 3 * MAX_WIDTH:
            raise FileError(
                f"{name!r} has shape {shape}, but a bias has at most {3 * MAX_WIDTH:,} numbers;"
                " save it again"
            )


def _saved_heads(file: WeightFile, name: str) -> int | None:
    """The number of heads, if the file holds it as one whole number."""
    if file.shapes.get(name) != ():
        return None
    value = file.read(name)
    return int(value) if value.dtype.kind in "iu" else None


def possible_heads(
    query_width: int, key_width: int, value_width: int, merged_width: int
) -> tuple[int, ...]:
    """How many heads matrices of these widths can be cut into; several query heads may share a key
    head.

    >>> possible_heads(12, 12, 12, 12), possible_heads(12, 6, 6, 12)
    ((1, 2, 3, 4, 6, 12), (2, 4, 6, 12))
    """

    def fits(n_heads: int) -> bool:
        width = query_width // n_heads
        groups = key_width // width
        if key_width % width or not groups or n_heads % groups or value_width % groups:
            return False
        return n_heads * (value_width // groups) == merged_width

    return tuple(count for count in divisors(query_width) if fits(count))


def _in_order(name: str) -> list[tuple[int, str]]:
    """A key that sorts layer 10 after layer 9."""
    return [
        (int(part), "") if part.isdecimal() else (-1, part) for part in re.split("([0-9]+)", name)
    ]
