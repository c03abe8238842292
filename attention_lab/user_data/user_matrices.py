"""The user's own X, W_Q, W_K, W_V and W_O, and the biases b_Q, b_K, b_V and b_O: any of them.

A matrix that is missing comes from the scenario, and so does a bias, which a layer may do without.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from attention_core.checks import Array
from attention_core.counting import counted
from attention_core.errors import FileError, ShapeError
from attention_core.head_widths import nearest_divisors
from attention_core.projections import BIASES
from attention_core.trace import Trace

from .csv_matrices import read_csv
from .matrix_names import (
    ALL_SYMBOLS,
    BIAS_SYMBOLS,
    MAX_FILE_BYTES,
    MAX_HEAD_WIDTH,
    MAX_HEADS,
    as_matrix,
)
from .matrix_text import pack, unpack
from .npz_matrices import read_npz, write_npz
from .text_store import is_key, store_text, stored_text

# A request line of 8 KiB is what nginx takes at most, unless told otherwise; the sentence needs
# room as well.
MAX_URL_CHARACTERS = 6000

# Which sides must be equally long, and why; side 0 is the number of rows, or how many numbers a
# bias has.
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
_PUT_OUT = {"w_o": 1, "b_o": 0}, "b_O is added to what W_O puts out"
# Without an own W_O the output is as wide as the input; where the layer then has none, as the
# values side by side.
_PUT_OUT_LIKE_READ = {**_READ[0], "b_o": 0}, "b_O is added to an output as wide as a token's vector"
_PUT_OUT_FREELY = {"b_o": 0}, "the output has the width chosen for it"
_JOINED = {"w_v": 1, "b_o": 0}, "without W_O b_O is added to the values of all heads side by side"


@dataclass(frozen=True, eq=False)
class UserMatrices:
    """Matrices that replace those of the scenario; None where there is no own one. Copied, float64,
    read-only.

    Shapes: x (T, D), w_q and w_k (D, H*K), w_v (D, H*V), w_o (H*V, O), each at most
    `MAX_SHAPES`; a bias is as wide as its matrix: b_q and b_k (H*K,), b_v (H*V,), b_o (O,).
    notes say what of a file was left unread.
    Raises: ShapeError, SettingsError for a number that is not finite, or beyond `MAX_VALUE`.
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
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, given in self.given.items():
            object.__setattr__(self, name, as_matrix(name, given))

    @property
    def given(self) -> dict[str, Array]:
        """The matrices and biases there are, by name."""
        named = {name: getattr(self, name) for name in ALL_SYMBOLS}
        return {name: array for name, array in named.items() if array is not None}

    @property
    def weights(self) -> dict[str, Any]:
        """All but X, as `dataclasses.replace(projections, **own.weights)` takes them."""
        return {name: array for name, array in self.given.items() if name != "x"}

    def updated(self, newer: UserMatrices) -> UserMatrices:
        """These matrices with the newer ones in place of their namesakes."""
        return replace(self, **newer.given, notes=newer.notes)

    def sizes(self, n_heads: int, joined: bool = False, free: bool = False) -> dict[str, int]:
        """The sizes that the matrices decide, under the names of the scenario's fields.

        joined: whether the layer has no W_O where none is given here: its heads are then joined but
        not mixed. free: whether its output then has a width of its own, not that of the inputs.
        Raises: ShapeError saying which matrices do not fit each other, or the number of heads.

        >>> UserMatrices(x=[[0.5] * 8] * 3, w_q=[[0.5] * 6] * 8).sizes(n_heads=2)
        {'n_tokens': 3, 'd_model': 8, 'd_k': 3}
        """
        d_model, all_keys, all_values = (
            _common(self.given, *sides) for sides in (_READ, _COMPARED, _MIXED)
        )
        drawn_out = _PUT_OUT_FREELY if free else _PUT_OUT_LIKE_READ
        drawn_out = _JOINED if joined and self.w_v is not None else drawn_out
        width_out = _common(self.given, *(drawn_out if self.w_o is None else _PUT_OUT))
        sizes = {
            "n_tokens": None if self.x is None else len(self.x),
            "d_model": d_model or (0 if free or self.w_o is not None else width_out),
            "d_k": all_keys and _per_head(self.deciding("d_k"), "d_k", all_keys, n_heads),
            "d_v": all_values and _per_head(self.deciding("d_v"), "d_v", all_values, n_heads),
            "d_o": width_out if free and not joined else 0,
        }
        return {name: size for name, size in sizes.items() if size}

    def deciding(self, size: str) -> str:
        """Which matrices decide d_k or d_v, as a sentence begins with them; nothing where none
        does.

        >>> UserMatrices(w_v=[[1.0] * 6], b_q=[1.0]).deciding("d_v")
        'W_V has 6 columns'
        """
        return _sides_in_words(self.given, (_COMPARED if size == "d_k" else _MIXED)[0])

    def encode(self) -> str:
        """The matrices as one text that an address or a JSON file can carry."""
        return pack(self.given)

    @classmethod
    def decode(cls, text: str) -> UserMatrices:
        """The matrices of such a text, bit by bit the same. Raises: FileError, ShapeError,
        SettingsError.
        """
        matrices: dict[str, Any] = unpack(text)
        return cls(**matrices)

    def url_value(self) -> str:
        """What stands in the URL: the text itself, or the key of a kept one if it is too long."""
        return value_for_url(self.encode())

    @classmethod
    def from_url(cls, value: str) -> UserMatrices:
        """The matrices that a URL stands for. Raises: FileError, ShapeError,
        SettingsError.
        """
        return cls.decode(stored_text(value) if is_key(value) else value)


def value_for_url(text: str) -> str:
    """What stands for encoded matrices in the URL of a page."""
    return text if len(text) <= MAX_URL_CHARACTERS else store_text(text)


def read_matrices(data: bytes, file_name: str) -> UserMatrices:
    """The matrices of an NPZ file (any of them) or of a CSV file (one of them).

    The file's name decides how it is read, and may say which matrix a CSV file holds; it is never
    used as a path.
    Raises: FileError, ShapeError, SettingsError.
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
        one: dict[str, Any] = {matrix: numbers}
        return UserMatrices(**one)
    if kind != ".npz":
        raise FileError(
            f"The file {name[:60]!r} is neither .npz nor .csv; save the matrices in one of these"
        )
    found, unread = read_npz(data)
    matrices: dict[str, Any] = dict(found)
    listed = ", ".join(title[:40] for title in unread[:8]) + (", …" if len(unread) > 8 else "")
    known = ", ".join(ALL_SYMBOLS.values())
    if not matrices:
        raise FileError(f"The file holds none of {known}, but {listed or 'nothing'}; rename them")
    notes = (f"Left unread, because the app has no use for it: {listed}.",) if unread else ()
    return UserMatrices(**matrices, notes=notes)


def layer_matrices(trace: Trace) -> UserMatrices:
    """The matrices and biases of a layer with one sequence, as if they were the user's own;
    those that there are.
    """
    p = trace.projections
    biases = {name: getattr(p, name) for name in BIASES}
    return UserMatrices(trace.inputs[0], p.w_q, p.w_k, p.w_v, p.w_o, **biases)


def template(trace: Trace) -> bytes:
    """The matrices now shown as one NPZ file, to change and load again. Loading it unchanged
    changes no number.
    """
    return write_npz(layer_matrices(trace).given)


def _common(given: Mapping[str, Array], sides: Mapping[str, int], reason: str) -> int:
    """The length of the sides that must agree, over those matrices that are given; 0 where none
    is.
    """
    lengths = [given[name].shape[side] for name, side in sides.items() if name in given]
    if len(set(lengths)) > 1:
        raise ShapeError(
            f"{_sides_in_words(given, sides)}: these must be equal, because {reason}; "
            "change the matrices, or drop those loaded before"
        )
    return lengths[0] if lengths else 0


def _sides_in_words(given: Mapping[str, Array], sides: Mapping[str, int]) -> str:
    """The sides of those matrices that are given, in words."""
    return ", ".join(
        f"{ALL_SYMBOLS[name]} has "
        + counted(
            given[name].shape[side], "number" if name in BIAS_SYMBOLS else ("row", "column")[side]
        )
        for name, side in sides.items()
        if name in given
    )


def _per_head(cause: str, size: str, width: int, n_heads: int) -> int:
    """How wide one head is where all together are `width`; cause: what makes them so wide."""
    if width % n_heads:
        *fewer, last = (count for count in nearest_divisors(width, n_heads) if count <= MAX_HEADS)
        choices = " or ".join([*map(str, fewer), counted(last, "head")])
        raise ShapeError(
            f"{cause}, but {width} cannot be shared by {n_heads} heads evenly: choose {choices}, or"
            f" a width that {n_heads} divides"
        )
    if width // n_heads > MAX_HEAD_WIDTH:
        raise ShapeError(
            f"{cause}, which makes {size} = {width // n_heads} with {counted(n_heads, 'head')}, but"
            f" a head may be at most {MAX_HEAD_WIDTH} wide: choose more heads"
        )
    return width // n_heads
