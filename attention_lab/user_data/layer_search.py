"""Which attention layers a file of weights holds, and the numbers of one of them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from attention_core.checks import Array
from attention_core.errors import FileError, ShapeError
from attention_core.layer_checks import HeadNorm
from attention_core.layer_names import (
    NAMINGS,
    Naming,
    candidates,
    layer_arrays,
    possible_heads,
    sort_key,
)
from attention_core.positions import MAX_BASE, Rotary
from attention_core.projections import Projections

from ..files.file_checks import check_numbers
from ..files.weight_formats import WeightFile, bytes_read

BIAS_K_IS_UNUSED = "Its bias_k and bias_v, one more key for every query, are not used."
# What a model does that its attention weights do not say.
OTHER_ARCHITECTURES = {
    "causal": "In this model no query sees a later key: switch the causal mask on.",
    "rotary": "This model turns queries and keys by their positions, and so do these pages.",
    "norm": ("It normalises the inputs of the layer (LayerNorm or RMSNorm); these pages do not."),
}
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
    for prefix, naming in candidates(file.shapes):
        needed = [prefix + naming.parts[part] for part in naming.required]
        if missing := [part for part in needed if part not in file.shapes]:
            incomplete.append(f"{prefix + naming.anchor} has no {missing[0]} beside it")
            continue
        try:
            layers.append(_layer(file, prefix, naming))
        except FileError as error:
            errors.append(error)
    if errors and not layers:
        raise errors[0]
    if not layers:
        names = ", ".join(list(file.shapes)[:3]) or "none"
        reason = incomplete[0] if incomplete else f"its first arrays are {names}"
        known = ", ".join(naming.title for naming in NAMINGS)
        raise FileError(
            f"The file holds no whole attention layer: {reason}. Known namings: {known}"
        )
    layers.sort(key=lambda layer: sort_key(layer.prefix))
    if not errors:
        return tuple(layers)
    note = f"Layers of the file that cannot be used: {len(errors)}. The first: {errors[0]}."
    return tuple(replace(layer, notes=(*layer.notes, note)) for layer in layers)


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
    note = " ".join(OTHER_ARCHITECTURES[key] for key in naming.differences)
    unused = BIAS_K_IS_UNUSED if f"{prefix}bias_k" in file.shapes else ""
    notes = tuple(filter(None, (note, unused)))
    saved = _saved_heads(file, prefix, naming, query_width)
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


def _saved_heads(file: WeightFile, prefix: str, naming: Naming, query_width: int) -> int | None:
    """The number of heads, if the file holds it as a whole number, or if there are sinks, or gains
    for the features of each head.
    """
    if naming.heads and file.shapes.get(prefix + naming.heads) == ():
        value = file.read(prefix + naming.heads)
        if value.dtype.kind in "iu" and value:
            return int(value)
    sinks, gains = (file.shapes.get(prefix + name, ()) for name in (SINKS, QUERY_NORM))
    if len(sinks) == 1:
        return sinks[0]
    return query_width // gains[0] if len(gains) == 1 and gains[0] else None


@dataclass(frozen=True)
class RotaryBase:
    """The base of a layer's rotary angles. kind: of model, whose usual base it is; "" if the file
    says it.
    """

    base: float
    kind: str = ""


# The usual base of each kind of model with names as in Llama. Sources: their configurations on
# Hugging Face (rope_theta; in Gemma 3 that of the layers with a window).
USUAL_BASES = {"gpt-oss": 150_000.0, "Gemma 3": 10_000.0, "Qwen3": 1_000_000.0, "Llama": 10_000.0}
QUERY_NORM, KEY_NORM, SINKS = "q_norm.weight", "k_norm.weight", "sinks"
# Beside the attention of a Gemma alone, whose norms multiply by 1 + weight.
GEMMA_SIGN = "pre_feedforward_layernorm.weight"
SMALLEST = 1 / MAX_BASE  # an angle per position
# Digits of the base that saved angles tell, and how well they must agree with it: angles of
# 32 bits, and of bfloat16, which has 8 bits of precision.
DIGITS_OF_ANGLES = ((6, 1e-5), (2, 0.05))
EPSILON = 1e-6  # of the norm of queries and keys, in Qwen3 and Gemma 3


def rotary_base(file: WeightFile, layer: FileLayer) -> RotaryBase | None:
    """The base of a layer's rotary positions; None for a layer without."""
    if "rotary" not in layer.naming.differences:
        return None
    if base := _saved_base(file):
        return RotaryBase(base)
    kind = _kind(file, layer)
    return RotaryBase(USUAL_BASES[kind], kind)


def _saved_base(file: WeightFile) -> float | None:
    """The base by which a file's own angles fall; None if they fall otherwise, or are not there."""
    saved = next((name for name in file.shapes if name.endswith("rotary_emb.inv_freq")), "")
    shape = file.shapes.get(saved, ())
    if len(shape) != 1 or not 2 <= shape[0] <= MAX_LAYER_WIDTH:
        return None
    angles_P = file.read(saved)  # base ** (-2 p / d_k) for every pair p of features
    if angles_P.dtype.kind != "f" or not SMALLEST < (last := float(angles_P[-1])) <= 1:
        return None
    power_P = np.arange(len(angles_P)) / len(angles_P)
    exact = last ** -(1 / power_P[-1])
    for digits, tolerance in DIGITS_OF_ANGLES:
        base = float(f"{exact:.{digits}g}")
        if base <= MAX_BASE and np.allclose(angles_P, base**-power_P, rtol=tolerance, atol=0):
            return base
    return None


def _kind(file: WeightFile, layer: FileLayer) -> str:
    """Which kind of model a layer with names as in Llama is of."""
    if layer.prefix + SINKS in file.shapes:
        return "gpt-oss"
    if layer.prefix + QUERY_NORM not in file.shapes:
        return "Llama"
    return "Gemma 3" if any(name.endswith(GEMMA_SIGN) for name in file.shapes) else "Qwen3"


def read_options(
    file: WeightFile, layer: FileLayer, n_heads: int, base: float | None
) -> dict[str, Any]:
    """What a layer does besides its matrices, as options of `attend`: rotary positions with this
    base, the norm of queries and keys with its gains, and a sink for each head.

    Raises: FileError for gains and sinks that do not fit the heads.
    """
    width, options = layer.shapes["w_q"][1] // n_heads, dict[str, Any]()
    if base is not None:
        if width % 2:
            raise FileError(
                f"Rotary positions turn pairs of features, but with {n_heads} heads each head has"
                f" {width}: choose the number of heads of the model"
            )
        options["rotary"] = Rotary(base=base, pairs="halves")
    gains = [_list(file, layer.prefix + name, width) for name in (QUERY_NORM, KEY_NORM)]
    if gains[0] is not None and gains[1] is not None:
        more = float(_kind(file, layer) == "Gemma 3")
        options["head_norm"] = HeadNorm(gains[0] + more, gains[1] + more, EPSILON)
    if (sinks := _list(file, layer.prefix + SINKS, n_heads)) is not None:
        options["sink"] = sinks
    return options


def _list(file: WeightFile, name: str, length: int) -> Array | None:
    """An array with a number for each feature of a head, or for each head; None if it is not
    there.
    """
    numbers = _numbers(file, name)
    if numbers is not None and numbers.shape != (length,):
        raise FileError(
            f"{name!r} has shape {numbers.shape}, but this number of heads needs ({length},):"
            " choose the number of heads of the model"
        )
    return numbers


def read_layer(file: WeightFile, layer: FileLayer, n_heads: int) -> Projections:
    """The weights of one layer, split into heads; fewer key/value heads if its key matrix is
    narrower.

    n_heads: one of `layer.heads`. Raises: FileError for numbers that are not finite or too large.
    """
    try:
        arrays = layer_arrays(layer.prefix, layer.naming, partial(_numbers, file))
    except ShapeError as error:
        raise FileError(str(error)) from error
    width = layer.shapes["w_q"][1] // n_heads
    return Projections(**arrays, n_heads=n_heads, n_kv_heads=layer.shapes["w_k"][1] // width)


def _numbers(file: WeightFile, name: str) -> Array | None:
    if name not in file.shapes:
        return None
    array = file.read(name)
    if array.dtype.kind != "f":
        raise FileError(f"{name!r} must hold numbers of float32 or float64; save it again")
    check_numbers(repr(name), array)
    return array
