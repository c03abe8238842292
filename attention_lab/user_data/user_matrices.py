"""The user's own X, W_Q, W_K, W_V, W_O and biases b_Q, b_K, b_V, b_O: any of them.

What is missing comes from the scenario. A layer may have no biases. At the end: whether they fit
the weights beside them in a scenario.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

import numpy as np

from attention_core.checks import Array
from attention_core.errors import FileError, ShapeError
from attention_core.projection_checks import nearest_divisors
from attention_core.projections import BIASES
from attention_core.trace import Trace

from ..files.file_checks import check_numbers
from .matrix_files import pack, read_csv, read_npz, unpack, write_npz
from .matrix_names import (
    ALL_SYMBOLS,
    MAX_FILE_BYTES,
    MAX_HEAD_WIDTH,
    MAX_HEADS,
    OPTION_SYMBOLS,
    ROW_SYMBOLS,
)
from .text_store import is_key, store_text, stored_text

# nginx takes request lines of at most 8 KiB unless it is configured; the sentence needs room too.
MAX_URL_CHARACTERS = 6000

# Which sides must be equally long, and why. Side 0 counts the rows, or the numbers of a bias.
_READ = (
    {"x": 1, "w_q": 0, "w_k": 0, "w_v": 0},
    "each token's vector, a row of X, is multiplied by W_Q, W_K and W_V",
)
_COMPARED = (
    {"w_q": 1, "w_k": 1, "b_q": 0, "b_k": 0},
    "a query and a key are compared number by number",
)
_MIXED = (
    {"w_v": 1, "b_v": 0, "w_o": 0},
    "the values of all heads side by side are multiplied by W_O",
)
_OUTPUT = {"w_o": 1, "b_o": 0}, "b_O is added to the product with W_O"
# Where the user gives no W_O, the output is as wide as the inputs; in a layer without W_O it is as
# wide as the values of all heads.
_OUTPUT_LIKE_INPUTS = {**_READ[0], "b_o": 0}, "b_O is added to an output as wide as the inputs"
_FREE_OUTPUT = {"b_o": 0}, "the output has the width chosen for it"
_JOINED = {"w_v": 1, "b_o": 0}, "without W_O b_O is added to the values of all heads side by side"


@dataclass(frozen=True, eq=False)
class UserMatrices:
    """Matrices that replace those of the scenario, or None. Copied, float64, read-only.

    Shapes: x (T, D), w_q and w_k (D, H*K), w_v (D, H*V), w_o (H*V, O), each at most `MAX_SHAPES`,
    which the readers check; b_q and b_k (H*K,), b_v (H*V,), b_o (O,), gains g_q and g_k (K,),
    sinks (H,), of which a matrix with one row or one column is made. notes: what of a file was not
    read.
    Raises: FileError for a number that is not finite, or beyond `MAX_VALUE`.
    """

    x: Array | None = None
    w_q: Array | None = None
    w_k: Array | None = None
    w_v: Array | None = None
    w_o: Array | None = None
    b_q: Array | None = None
    b_k: Array | None = None
    b_v: Array | None = None
    b_o: Array | None = None
    g_q: Array | None = None
    g_k: Array | None = None
    sinks: Array | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, values in self.arrays.items():
            array = np.array(values, dtype=np.float64, order="C")
            array = array.reshape(-1) if name in ROW_SYMBOLS else array
            check_numbers(ALL_SYMBOLS[name], array)
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    @property
    def arrays(self) -> dict[str, Array]:
        """The matrices and biases by name, without those that are None."""
        named = {name: getattr(self, name) for name in ALL_SYMBOLS}
        return {name: array for name, array in named.items() if array is not None}

    @property
    def weights(self) -> dict[str, Any]:
        """Matrices and biases, for `dataclasses.replace(projections, **matrices.weights)`."""
        left_out = ("x", *OPTION_SYMBOLS)
        return {name: array for name, array in self.arrays.items() if name not in left_out}

    def with_arrays(self, arrays: Mapping[str, Any]) -> UserMatrices:
        """These matrices with those in their places."""
        return replace(self, **arrays)

    def updated(self, newer: UserMatrices) -> UserMatrices:
        """These matrices, replaced by the newer ones where both have one."""
        return replace(self, **newer.arrays, notes=newer.notes)

    def sizes(self, n_heads: int, joined: bool = False, free: bool = False) -> dict[str, int]:
        """The sizes that the matrices decide, under the names of the scenario's fields.

        joined: whether a layer without a W_O here has none at all; its heads are then joined but
        not mixed. free: whether its output then has a width of its own, not that of the inputs.
        Raises: ShapeError naming the matrices that do not fit each other or the number of heads.

        >>> UserMatrices(x=[[0.5] * 8] * 3, w_q=[[0.5] * 6] * 8).sizes(n_heads=2)
        {'n_tokens': 3, 'd_model': 8, 'd_k': 3}
        """
        d_model, all_keys, all_values = (
            _common(self.arrays, *sides) for sides in (_READ, _COMPARED, _MIXED)
        )
        width_out = _common(self.arrays, *self._output_sides(joined, free))
        sizes = {
            "n_tokens": None if self.x is None else len(self.x),
            "d_model": d_model or (0 if free or self.w_o is not None else width_out),
            "d_k": all_keys and _per_head(self.cause_of("d_k"), "d_k", all_keys, n_heads),
            "d_v": all_values and _per_head(self.cause_of("d_v"), "d_v", all_values, n_heads),
            "d_o": width_out if free and not joined else 0,
        }
        return {name: size for name, size in sizes.items() if size}

    def _output_sides(self, joined: bool, free: bool) -> tuple[Mapping[str, int], str]:
        if self.w_o is not None:
            return _OUTPUT
        if joined and self.w_v is not None:
            return _JOINED
        return _FREE_OUTPUT if free else _OUTPUT_LIKE_INPUTS

    def cause_of(self, size: str) -> str:
        """The sides of the matrices that decide d_k or d_v, in words; "" if none does.

        >>> UserMatrices(w_v=[[1.0] * 6], b_q=[1.0]).cause_of("d_v")
        'columns of W_V: 6'
        """
        return _sides_in_words(self.arrays, {"d_k": _COMPARED, "d_v": _MIXED}[size][0])

    def encode(self) -> str:
        """The matrices as one text, for a URL or a JSON file."""
        return pack(self.arrays)

    @classmethod
    def decode(cls, text: str) -> UserMatrices:
        """The matrices in such a text, to the last bit. Raises: FileError, ShapeError."""
        return cls().with_arrays(unpack(text))

    def url_value(self) -> str:
        """What stands in the URL: the text itself, or a key for it if it is too long."""
        return value_for_url(self.encode())

    @classmethod
    def from_url(cls, value: str) -> UserMatrices:
        """The matrices that a URL stands for. Raises: FileError, ShapeError, SettingsError."""
        return cls.decode(stored_text(value) if is_key(value) else value)


def value_for_url(text: str) -> str:
    """The text of encoded matrices, or a key for it if it is too long for a URL."""
    return text if len(text) <= MAX_URL_CHARACTERS else store_text(text)


def read_matrices(data: bytes, file_name: str) -> UserMatrices:
    """The matrices of an NPZ file (any of them) or of a CSV file (one of them).

    The file's name decides how it is read, and may say which matrix a CSV file holds; it is never
    used as a path.
    Raises: FileError, ShapeError.
    """
    if len(data) > MAX_FILE_BYTES:
        raise FileError(
            f"The file has {len(data):,} bytes but may have at most {MAX_FILE_BYTES:,}; leave some"
            " arrays out"
        )
    name = PurePath(file_name).name
    kind = PurePath(name).suffix.lower()
    if kind in (".csv", ".tsv", ".txt"):
        matrix, numbers = read_csv(data, name)
        return UserMatrices().with_arrays({matrix: numbers})
    if kind != ".npz":
        raise FileError(
            f"The file {name[:60]!r} is neither .npz nor .csv; save the matrices in one of these"
        )
    matrices, unread = read_npz(data)
    titles = [title[:40] for title in unread]
    listed = ", ".join(titles[:8] + (["…"] if len(titles) > 8 else []))
    if not matrices:
        known = ", ".join(ALL_SYMBOLS.values())
        raise FileError(f"The file holds none of {known}, but {listed or 'nothing'}; rename them")
    notes = (f"Not read, because the app has no use for it: {listed}.",) if unread else ()
    return UserMatrices(notes=notes).with_arrays(matrices)


def layer_matrices(trace: Trace) -> UserMatrices:
    """The inputs and weights of a layer, as if they were the user's own."""
    p = trace.projections
    others = {name: getattr(p, name) for name in BIASES}
    others |= {"g_q": trace.query_gain, "g_k": trace.key_gain, "sinks": trace.sink}
    return UserMatrices(trace.inputs[0], p.w_q, p.w_k, p.w_v, p.w_o, **others)


def template(trace: Trace) -> bytes:
    """The matrices of a layer as one NPZ file, to change and load again."""
    return write_npz(layer_matrices(trace).arrays)


def _common(arrays: Mapping[str, Array], sides: Mapping[str, int], reason: str) -> int:
    """The common length of the sides that must agree; 0 if no array has one of them."""
    lengths = [arrays[name].shape[side] for name, side in sides.items() if name in arrays]
    if len(set(lengths)) > 1:
        raise ShapeError(
            f"These sizes must be equal, because {reason}, but they differ"
            f" ({_sides_in_words(arrays, sides)}): change the matrices, or drop those loaded before"
        )
    return lengths[0] if lengths else 0


def _sides_in_words(arrays: Mapping[str, Array], sides: Mapping[str, int]) -> str:
    """The lengths of the sides, in words."""
    return ", ".join(
        f"{_side_name(name, side)} of {ALL_SYMBOLS[name]}: {arrays[name].shape[side]}"
        for name, side in sides.items()
        if name in arrays
    )


def _side_name(name: str, side: int) -> str:
    return "numbers" if name in ROW_SYMBOLS else ("rows", "columns")[side]


def _per_head(cause: str, size: str, width: int, n_heads: int) -> int:
    """The width of one head. cause: what decides the width of all heads together."""
    if width % n_heads:
        counts = [str(n) for n in nearest_divisors(width, n_heads) if n <= MAX_HEADS]
        raise ShapeError(
            f"{n_heads} heads cannot share the width {width} evenly ({cause}): choose another"
            f" number of heads ({' or '.join(counts)}), or a width that {n_heads} divides"
        )
    if width // n_heads > MAX_HEAD_WIDTH:
        raise ShapeError(
            f"{size} is {width // n_heads} ({cause}, heads: {n_heads}), but a head may be at most"
            f" {MAX_HEAD_WIDTH} wide: choose more heads"
        )
    return width // n_heads


def check_beside_trained(own: UserMatrices, width: int, key_columns: int) -> None:
    """A matrix beside trained weights must have their sizes, which cannot change. key_columns: of
    W_K and W_V. Raises: ShapeError.
    """
    for name, matrix in own.arrays.items():
        if name in OPTION_SYMBOLS:
            continue
        rows = len(matrix) if name == "x" else width
        columns = key_columns if name in ("w_k", "w_v", "b_k", "b_v") else width
        expected = (columns,) if name in ROW_SYMBOLS else (rows, columns)
        if matrix.shape != expected:
            needed = ("tokens", width) if name == "x" else expected
            raise ShapeError(
                f"{ALL_SYMBOLS[name]} is {' × '.join(map(str, matrix.shape))}, but in a trained"
                f" layer it must be {' × '.join(map(str, needed))}: choose other weights, or"
                " leave it out"
            )


def check_beside_identities(own: UserMatrices, d_model: int, n_heads: int, **widths: int) -> None:
    """Weightless layers have identity matrices beside the user's own, whose width no control
    changes. widths: d_k and d_v. Raises: ShapeError.
    """
    for size, alone, names in (
        ("d_k", {"w_q", "w_k"}, "W_Q and W_K in one NPZ file"),
        ("d_v", {"w_v"}, "W_V"),
    ):
        cause, is_beside = own.cause_of(size), not own.arrays.keys() >= alone
        if is_beside and cause and widths[size] * n_heads != d_model:
            raise ShapeError(
                f"The other matrices of a weightless layer are identities, {d_model} × {d_model},"
                f" which do not fit ({cause}): choose other weights, load {names}, or leave it out"
            )


def check_beside_orthonormal(own: UserMatrices, d_model: int, n_heads: int, **widths: int) -> None:
    """No more columns than rows can be orthonormal. widths: d_k and d_v. Raises: ShapeError."""
    for size, width in widths.items():
        if (cause := own.cause_of(size)) and width > d_model:
            raise ShapeError(
                f"{size} is {width} ({cause}, heads: {n_heads}), but an orthonormal head is at most"
                f" as wide as the inputs, {d_model}: choose other weights, make all heads together"
                f" at most {n_heads * d_model} wide, or leave it out"
            )


def check_residual(residual: bool, d_in: int, d_out: int) -> None:
    """The residual connection needs an output as wide as the inputs. Raises: ShapeError."""
    if residual and d_in != d_out:
        raise ShapeError(
            f"Residual adds the inputs, {d_in} wide, to an output that is {d_out} wide: switch"
            f" Residual off, or use a W_O with {d_in} columns. The controls Output matrix and"
            " Output width d_o make one"
        )
