"""Which attention layers a file of weights holds, and the numbers of one of them.

First: how other programs name the matrices of a layer, and whether they transpose them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from attention_core.checks import Array
from attention_core.errors import FileError
from attention_core.projection_checks import divisors
from attention_core.projections import Projections

from ..files.file_checks import check_numbers
from ..files.weight_formats import WeightFile, bytes_read


@dataclass(frozen=True)
class Naming:
    """One way to name the parts of a layer; all names have the same prefix.

    parts: the file's name for each argument of `Projections`, or for w_qkv and b_qkv, the three
    side by side. transposed: a matrix has one row for each output feature, as PyTorch's do; None if
    a file decides it by the longer side of its joint matrix of queries, keys and values.
    differences: keys of `OTHER_ARCHITECTURES`, for what the weights alone do not say. heads: the
    file's name for the number of heads, "" if it has none.
    """

    title: str
    parts: Mapping[str, str]
    transposed: bool | None = True
    differences: tuple[str, ...] = ()
    heads: str = ""

    @property
    def note(self) -> str:
        """What the weights alone do not say, in sentences."""
        return " ".join(OTHER_ARCHITECTURES[key] for key in self.differences)

    @property
    def anchor(self) -> str:
        """The name by which a layer is recognised."""
        return next(iter(self.parts.values()))

    @property
    def required(self) -> tuple[str, ...]:
        """The parts without which a layer cannot be built: its matrices."""
        return tuple(part for part in self.parts if part.startswith("w_"))

    def oriented(self, anchor: tuple[int, ...]) -> Naming:
        """This naming with `transposed` decided. anchor: the shape of the array by which the layer
        is recognised.
        """
        if self.transposed is not None:
            return self
        return replace(self, transposed=len(anchor) == 2 and anchor[0] > anchor[1])


def _matrices_and_biases(**stems: str) -> dict[str, str]:
    """w_x and b_x for each letter, as `.weight` and `.bias` of a stem."""
    weights = {f"w_{letter}": f"{stem}.weight" for letter, stem in stems.items()}
    return weights | {f"b_{letter}": f"{stem}.bias" for letter, stem in stems.items()}


# What some layers have besides their matrices and this app does not use, by the name of its array.
UNUSED_TENSORS = {
    "bias_k": "Its bias_k and bias_v, one more key for every query, are not used.",
    "q_norm.weight": (
        "Its q_norm and k_norm, which change the length of queries and keys, are not used."
    ),
    "sinks": "Its sinks, one more score for every query, are not used.",
}
# What a model does that its attention weights do not say.
OTHER_ARCHITECTURES = {
    "causal": "In this model no query sees a later key: switch the causal mask on.",
    "rotary": (
        "This model rotates queries and keys by their position before it compares them; these pages"
        " do not."
    ),
    "norm": ("It normalises the inputs of the layer (LayerNorm or RMSNorm); these pages do not."),
}
_OUT = _matrices_and_biases(o="out_proj")

NAMINGS = (
    Naming(
        "torch.nn.MultiheadAttention", {"w_qkv": "in_proj_weight", "b_qkv": "in_proj_bias"} | _OUT
    ),
    Naming(
        "torch.nn.MultiheadAttention with separate projections",
        {f"w_{letter}": f"{letter}_proj_weight" for letter in "qkv"}
        | {"b_qkv": "in_proj_bias"}
        | _OUT,
    ),
    Naming(
        "BERT", _matrices_and_biases(q="self.query", k="self.key", v="self.value", o="output.dense")
    ),
    Naming(
        "GPT-2 or nanoGPT",
        _matrices_and_biases(qkv="attn.c_attn", o="attn.c_proj"),
        transposed=None,
        differences=("causal", "norm"),
    ),
    Naming(
        "Llama",
        _matrices_and_biases(q="q_proj", k="k_proj", v="v_proj", o="o_proj"),
        differences=("causal", "rotary", "norm"),
    ),
    Naming(
        "a download from this app",
        {f"{kind}_{letter}": f"{kind}_{letter}" for kind in "wb" for letter in "qkvo"},
        transposed=False,
        heads="n_heads",
    ),
)


# Nearly all heads of trained models have this width.
USUAL_WIDTH = 64
MAX_LAYER_WIDTH = 32_768
# Once it is read: what a layer of Llama 2 7B needs. Compressed zeros unpack to a thousand times
# their size.
MAX_LAYER_BYTES = 2**28


@dataclass(frozen=True)
class FileLayer:
    """An attention layer in a file, before any of its numbers is read.

    prefix: the beginning of its parts' names. shapes: of w_q, w_k, w_v, w_o, with input features as
    rows. heads: the numbers of heads that its widths allow; saved_heads: the number in the file, if
    the file holds it.
    """

    prefix: str
    naming: Naming
    shapes: Mapping[str, tuple[int, int]]
    heads: tuple[int, ...]
    saved_heads: int | None = None
    notes: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Its name in a list."""
        return f"{self.prefix.rstrip('.') or 'the layer'} ({self.naming.title})"

    @property
    def d_model(self) -> int:
        """The width of its inputs."""
        return self.shapes["w_q"][0]

    @property
    def likely_heads(self) -> int:
        """The number in the file. Without one: the most heads of the usual width 64 or more, or the
        fewest possible.
        """
        wide = [count for count in self.heads if self.shapes["w_q"][1] // count >= USUAL_WIDTH]
        return self.saved_heads or max(wide, default=self.heads[0])


def find_layers(file: WeightFile) -> tuple[FileLayer, ...]:
    """Every attention layer with known names, in the order of their numbers; a note says how many
    layers cannot be used.

    Raises: FileError if there is none; it says what is wrong with the first, or lists the first
    names in the file.
    """
    layers, incomplete, errors = [], [], []
    for prefix, naming in _candidates(file.shapes):
        needed = [prefix + naming.parts[part] for part in naming.required]
        if missing := [part for part in needed if part not in file.shapes]:
            incomplete.append(f"{prefix + naming.anchor} has no {missing[0]} beside it")
            continue
        try:
            layers.append(_layer(file, prefix, naming))
        except FileError as error:
            errors.append(error)
    if not layers:
        raise errors[0] if errors else _no_layer(file, incomplete)
    layers.sort(key=lambda layer: _sort_key(layer.prefix))
    if not errors:
        return tuple(layers)
    note = f"Layers of the file that cannot be used: {len(errors)}. The first: {errors[0]}."
    return tuple(replace(layer, notes=(*layer.notes, note)) for layer in layers)


def _candidates(shapes: Mapping[str, tuple[int, ...]]) -> Iterator[tuple[str, Naming]]:
    """Where a layer may be: the prefix of its names, and its naming."""
    for naming in NAMINGS:
        for name, shape in shapes.items():
            prefix = name.removesuffix(naming.anchor)
            if prefix != name and (not prefix or prefix[-1] == "."):
                yield prefix, naming.oriented(shape)


def _no_layer(file: WeightFile, incomplete: Sequence[str]) -> FileError:
    names = ", ".join(list(file.shapes)[:3]) or "none"
    reason = incomplete[0] if incomplete else f"its first arrays are {names}"
    known = ", ".join(naming.title for naming in NAMINGS)
    return FileError(f"The file holds no whole attention layer: {reason}. Known namings: {known}")


def _layer(file: WeightFile, prefix: str, naming: Naming) -> FileLayer:
    """The layer under a prefix, all of whose matrices are there. Raises: FileError if they do not
    fit each other.
    """
    shapes: dict[str, tuple[int, int]] = {}
    for part in naming.required:
        shape = file.shapes[prefix + naming.parts[part]]
        if len(shape) != 2 or 0 in shape:
            raise FileError(
                f"{prefix + naming.parts[part]!r} has shape {shape}, but must be a matrix; save it"
                " again"
            )
        shapes[part] = (shape[1], shape[0]) if naming.transposed else (shape[0], shape[1])
    if joint := shapes.pop("w_qkv", None):
        if joint[1] % 3:
            raise FileError(
                f"{prefix + naming.anchor!r} has width {joint[1]}, but queries, keys and values"
                " need a third each; save it again"
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
    unused = (note for name, note in UNUSED_TENSORS.items() if prefix + name in file.shapes)
    notes = tuple(filter(None, (naming.note, *unused)))
    saved = _saved_heads(file, prefix, naming)
    return FileLayer(prefix, naming, shapes, heads, saved if saved in heads else None, notes)


def _check_sizes(
    file: WeightFile, prefix: str, naming: Naming, shapes: Mapping[str, tuple[int, int]]
) -> None:
    """Raises: FileError for matrices that are too wide or need too much memory; one array of 64
    bits makes all of them 64 bits.
    """
    if max(max(shape) for shape in shapes.values()) > MAX_LAYER_WIDTH:
        raise FileError(
            f"The matrices of {prefix!r} are wider than the {MAX_LAYER_WIDTH:,} features that"
            f" are read: {shapes}"
        )
    parts = [name for suffix in naming.parts.values() if (name := prefix + suffix) in file.shapes]
    in_double = any(file.n_bytes(name) > bytes_read(file.shapes[name], 4) for name in parts)
    numbers = sum(math.prod(shape) for shape in shapes.values())
    if (n_bytes := bytes_read((numbers,), 8 if in_double else 4)) > MAX_LAYER_BYTES:
        raise FileError(
            f"The matrices of {prefix!r} need {n_bytes:,} bytes of memory, but may need at most"
            f" {MAX_LAYER_BYTES:,}: choose a smaller model, or numbers of 32 bits"
        )


def _check_biases(file: WeightFile, prefix: str, naming: Naming) -> None:
    """Raises: FileError for a bias longer than queries, keys and values side by side."""
    for name in (prefix + suffix for part, suffix in naming.parts.items() if part.startswith("b_")):
        shape = file.shapes.get(name, ())
        if math.prod(shape) > 3 * MAX_LAYER_WIDTH:
            raise FileError(
                f"{name!r} has shape {shape}, but a bias has at most {3 * MAX_LAYER_WIDTH:,}"
                " numbers; save it again"
            )


def _saved_heads(file: WeightFile, prefix: str, naming: Naming) -> int | None:
    """The number of heads, if the file holds it as a whole number."""
    name = prefix + naming.heads
    if not naming.heads or file.shapes.get(name) != ():
        return None
    value = file.read(name)
    return int(value) if value.dtype.kind in "iu" else None


def possible_heads(
    query_width: int, key_width: int, value_width: int, merged_width: int
) -> tuple[int, ...]:
    """The numbers of heads that matrices of these widths can be split into; query heads may share
    key/value heads.

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


def _sort_key(name: str) -> list[tuple[int, str]]:
    """Sorts layer 10 after layer 9."""
    return [
        (int(part), "") if part.isdecimal() else (-1, part) for part in re.split("([0-9]+)", name)
    ]


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
