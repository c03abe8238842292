"""How other programs name the matrices of a layer, and whether they transpose them: their arrays
become the arguments of `Projections`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .checks import Array, as_array, whole_number
from .errors import SettingsError, ShapeError, short_repr
from .projection_checks import divisors

Shapes = Mapping[str, tuple[int, ...]]


@dataclass(frozen=True)
class Naming:
    """One way to name the parts of a layer; all names have the same prefix.

    parts: the file's name for each argument of `Projections`, or for w_qkv and b_qkv, the three
    side by side. transposed: a matrix has one row for each output feature, as PyTorch's do; None if
    a file decides it by the longer side of its joint matrix of queries, keys and values.
    differences: what the weights alone do not say: causal, rotary, norm. heads: the file's name for
    the number of heads, "" if it has none.
    """

    title: str
    parts: Mapping[str, str]
    transposed: bool | None = True
    differences: tuple[str, ...] = ()
    heads: str = ""

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


def candidates(shapes: Shapes) -> Iterator[tuple[str, Naming]]:
    """Where a layer may be: the prefix of its names, and its naming. shapes: of all arrays."""
    for naming in NAMINGS:
        for name, shape in shapes.items():
            prefix = name.removesuffix(naming.anchor)
            if prefix != name and (not prefix or prefix[-1] == "."):
                yield prefix, naming.oriented(shape)


def sort_key(name: str) -> list[tuple[int, str]]:
    """Sorts layer 10 after layer 9."""
    return [
        (int(part), "") if part.isdecimal() else (-1, part) for part in re.split("([0-9]+)", name)
    ]


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


def layer_arrays(
    prefix: str, naming: Naming, read: Callable[[str], Array | None]
) -> dict[str, Any]:
    """The arguments of `Projections` that a layer gives: its matrices with input features as rows,
    and its biases. read: gives an array by its name, or None. Raises: ShapeError.
    """
    arrays: dict[str, Any] = {}
    for part, suffix in naming.parts.items():
        if (array := read(prefix + suffix)) is not None:
            arrays[part] = array.T if naming.transposed and part.startswith("w_") else array
    for kind in ("w", "b"):
        if (joint := arrays.pop(f"{kind}_qkv", None)) is not None:
            arrays |= {
                f"{kind}_{letter}": part for letter, part in zip("qkv", _thirds(joint), strict=True)
            }
    return arrays


def _thirds(joint: Array) -> list[Array]:
    """The parts for queries, keys and values, which stand side by side."""
    if joint.ndim == 0 or joint.shape[-1] % 3:
        raise ShapeError(
            f"Queries, keys and values need a third each of an array of shape {joint.shape}; save"
            " it again"
        )
    return np.split(joint, 3, axis=-1)


def state_arguments(
    state: Mapping[str, Any], n_heads: int | None, layer: int | str
) -> dict[str, Any]:
    """The arguments of `Projections` for one layer of a model's state.

    state: arrays or tensors by their names. layer: its place among the layers of the state, from 0,
    or the beginning of its names. n_heads: None if the state or its widths say it. Raises:
    SettingsError, ShapeError.
    """
    if not isinstance(state, Mapping):
        raise SettingsError(
            f"mapping is {short_repr(state)} but must hold arrays by their names, as"
            " model.state_dict() does"
        )
    shapes = {str(name): tuple(getattr(array, "shape", ())) for name, array in state.items()}
    prefix, naming = _chosen(shapes, layer)
    arrays = layer_arrays(prefix, naming, lambda n: as_array(n, state[n]) if n in state else None)
    if n_heads is None and naming.heads and prefix + naming.heads in state:
        n_heads = int(state[prefix + naming.heads])
    query, key, value = (arrays[name].shape[1] for name in ("w_q", "w_k", "w_v"))
    possible = possible_heads(query, key, value, arrays["w_o"].shape[0])
    if n_heads is None and len(possible) == 1:
        (n_heads,) = possible
    if n_heads not in possible:
        said = "is not given" if n_heads is None else f"is {short_repr(n_heads)}"
        raise SettingsError(
            f"n_heads {said}, but the widths of the matrices allow {', '.join(map(str, possible))}:"
            " give the number of the model's configuration"
        )
    return arrays | {"n_heads": n_heads, "n_kv_heads": key // (query // n_heads)}


def _chosen(shapes: Shapes, layer: int | str) -> tuple[str, Naming]:
    """The layer asked for, of those whose matrices are all there."""
    named = {
        prefix: naming
        for prefix, naming in candidates(shapes)
        if all(len(shapes.get(prefix + naming.parts[part], ())) == 2 for part in naming.required)
    }
    if not named:
        known = ", ".join(naming.title for naming in NAMINGS)
        first = ", ".join(list(shapes)[:3]) or "none"
        raise SettingsError(
            f"the mapping holds no whole attention layer: its first names are {first}; known"
            f" namings: {known}"
        )
    prefixes = sorted(named, key=sort_key)
    if isinstance(layer, str):
        chosen = [one for one in prefixes if one.rstrip(".") == layer.rstrip(".")]
    else:
        chosen = prefixes[layer:][:1] if whole_number("layer", layer) >= 0 else []
    if not chosen:
        raise SettingsError(
            f"layer is {short_repr(layer)}, but the mapping holds {len(prefixes)} layers:"
            f" 0 ({prefixes[0]!r}) to {len(prefixes) - 1} ({prefixes[-1]!r})"
        )
    return chosen[0], named[chosen[0]]


HEAD_COUNTS = ("num_heads", "num_attention_heads", "n_heads", "n_head", "nhead")


def module_arguments(module: Any) -> dict[str, Any]:
    """The arguments of `Projections` for a module of PyTorch with one attention layer, such as
    `nn.MultiheadAttention`. PyTorch itself is not needed. Raises: SettingsError, ShapeError.
    """
    if not callable(getattr(module, "state_dict", None)):
        raise SettingsError(
            f"module is {short_repr(module)} but must be a module of PyTorch, such as"
            " nn.MultiheadAttention"
        )
    for name in ("bias_k", "add_zero_attn"):
        value = getattr(module, name, None)
        if value is not None and value is not False:
            raise SettingsError(
                f"the module adds one more key ({name}), which this layer does not have: append it"
                " to the memory"
            )
    sources = (module, getattr(module, "config", None))
    counts = (getattr(one, name, None) for one in sources for name in HEAD_COUNTS)
    n_heads = next((int(one) for one in counts if one is not None), None)
    return state_arguments(module.state_dict(), n_heads, 0)
