"""The weights of one layer: W_Q, W_K, W_V, W_O, their biases, and where they come from."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from .checks import Array, as_numbers, check_switch, engine_dtype, head_width, shown, whole_number
from .errors import SettingsError, ShapeError
from .initialisation import Stream, draw, generator, orthonormal_columns
from .limits import check_room
from .option_checks import float_type, in_type, uneven_sharing

MATRICES = ("w_q", "w_k", "w_v", "w_o")
BIASES = ("b_q", "b_k", "b_v", "b_o")
STREAMS = {name: Stream[name.upper()] for name in MATRICES + BIASES}


@dataclass(frozen=True, eq=False)
class Projections:
    """The matrices of one multi-head attention layer, all heads side by side.

    Shapes: w_q (D, H*K), w_k (D_memory, G*K), w_v (D_memory, G*V), w_o (H*V, D_out) or None when
    the heads are joined but not mixed; a bias is as wide as its matrix, or None. G, the number of
    key/value heads, is H unless heads share keys and values. Every array is copied and read-only.
    Raises: ShapeError, SettingsError.

    >>> Projections.random(d_model=6, n_heads=2).d_k
    3
    """

    w_q: Array
    w_k: Array
    w_v: Array
    w_o: Array | None = None
    _: KW_ONLY
    n_heads: int
    n_kv_heads: int | None = None
    b_q: Array | None = None
    b_k: Array | None = None
    b_v: Array | None = None
    b_o: Array | None = None

    def __post_init__(self) -> None:
        given = {name: getattr(self, name) for name in MATRICES + BIASES}
        for name in MATRICES[:3]:
            if given[name] is None:
                raise ShapeError(
                    f"{name} must be a matrix of shape (features in, features out), but is None"
                )
        arrays = {
            name: as_numbers(name, values) for name, values in given.items() if values is not None
        }
        dtype = engine_dtype(*arrays.values())
        for name, array in arrays.items():
            frozen = np.array(array, dtype=dtype)
            frozen.setflags(write=False)
            object.__setattr__(self, name, frozen)
        object.__setattr__(self, "n_heads", whole_number("n_heads", self.n_heads, 1))
        n_kv_heads = self.n_heads if self.n_kv_heads is None else self.n_kv_heads
        object.__setattr__(self, "n_kv_heads", whole_number("n_kv_heads", n_kv_heads, 1))
        _check_sizes(self)

    @property
    def groups(self) -> int:
        """G, the number of key/value heads."""
        return self.n_kv_heads or self.n_heads

    @property
    def d_model(self) -> int:
        """D, the width of the vectors that queries are made from."""
        return int(self.w_q.shape[0])

    @property
    def d_memory(self) -> int:
        """The width of the vectors that keys and values are made from."""
        return int(self.w_k.shape[0])

    @property
    def d_k(self) -> int:
        """K, the width of a query or key of one head."""
        return int(self.w_q.shape[1]) // self.n_heads

    @property
    def d_v(self) -> int:
        """V, the width of a value of one head."""
        return int(self.w_v.shape[1]) // self.groups

    @property
    def d_out(self) -> int:
        """The width of the layer's output."""
        return self.n_heads * self.d_v if self.w_o is None else int(self.w_o.shape[1])

    @property
    def dtype(self) -> np.dtype[np.floating]:
        """float32 when every matrix came as float32, else float64."""
        return self.w_q.dtype

    def astype(self, dtype: DTypeLike) -> Projections:
        """The same weights as float32 or float64. Raises: SettingsError for another type, or
        one too small for them.
        """
        wanted = float_type(dtype)
        converted = copy(
            self
        )  # `replace` would copy what is a copy already: half a gigabyte of a large layer
        for name in MATRICES + BIASES:
            if (array := getattr(self, name)) is not None:
                frozen = in_type(name, array, wanted)
                frozen.setflags(write=False)
                object.__setattr__(converted, name, frozen)
        return converted

    @classmethod
    def random(
        cls,
        d_model: int,
        n_heads: int,
        *,
        d_k: int | None = None,
        d_v: int | None = None,
        seed: int = 0,
        init: str = "xavier",
        d_memory: int | None = None,
        n_kv_heads: int | None = None,
        bias: bool = False,
    ) -> Projections:
        """Independent random matrices; the same arguments give the same numbers.

        d_k and d_v default to d_model / n_heads, d_memory to d_model, n_kv_heads to n_heads; fewer
        are shared. init is a name of `INITIALISATIONS`; with bias there are all four, normal with
        standard deviation 0.1.
        """
        check_switch("bias", bias)
        d_k, d_v = head_widths(d_model, n_heads, d_k, d_v)
        d_memory = d_model if d_memory is None else whole_number("d_memory", d_memory, 1)
        groups = n_heads if n_kv_heads is None else whole_number("n_kv_heads", n_kv_heads, 1)
        widths = (n_heads * d_k, groups * d_k, groups * d_v, d_model)
        heights = (d_model, d_memory, d_memory, n_heads * d_v)
        arrays: dict[str, Any] = {
            name: draw(init, seed, STREAMS[name], n_in, n_out)
            for name, n_in, n_out in zip(MATRICES, heights, widths, strict=True)
        }
        if bias:
            for name, width in zip(BIASES, widths, strict=True):
                arrays[name] = 0.1 * generator(seed, STREAMS[name]).standard_normal(width)
        return cls(**arrays, n_heads=n_heads, n_kv_heads=groups)

    @classmethod
    def weightless(cls, d_model: int, n_heads: int = 1) -> Projections:
        """No weights at all: Q = K = V = X (identity matrices), heads joined without W_O.
        Source: slides, S3-01.
        """
        head_width(whole_number("d_model", d_model, 1), whole_number("n_heads", n_heads, 1))
        check_room(rows=d_model, columns=d_model)
        identity = np.eye(d_model)
        return cls(identity, identity, identity, n_heads=n_heads)

    @classmethod
    def tied(
        cls,
        d_model: int,
        n_heads: int,
        *,
        d_k: int | None = None,
        d_v: int | None = None,
        seed: int = 0,
        init: str = "xavier",
    ) -> Projections:
        """Random weights in which keys are made like queries: W_K = W_Q, so the raw scores are
        symmetric.
        """
        free = cls.random(d_model, n_heads, d_k=d_k, d_v=d_v, seed=seed, init=init)
        return replace(free, w_k=free.w_q)

    @classmethod
    def stiefel(
        cls,
        d_model: int,
        n_heads: int,
        *,
        d_k: int | None = None,
        d_v: int | None = None,
        seed: int = 0,
    ) -> Projections:
        """Each head's W_Q, W_K and W_V has orthonormal columns; W_O has orthonormal columns or
        rows.

        Raises: SettingsError when d_k or d_v exceeds d_model.
        Source: Brantner, GeometricMachineLearning.jl manual, MultiHeadAttention.
        """
        d_k, d_v = head_widths(d_model, n_heads, d_k, d_v)
        check_room(rows=d_model, columns=n_heads * max(d_k, d_v))
        arrays: dict[str, Any] = {}
        for name, width in (("w_q", d_k), ("w_k", d_k), ("w_v", d_v)):
            rng = generator(seed, STREAMS[name])
            arrays[name] = np.hstack(
                [orthonormal_columns(rng, d_model, width) for _ in range(n_heads)]
            )
        w_o = draw("orthogonal", seed, STREAMS["w_o"], n_heads * d_v, d_model)
        return cls(**arrays, w_o=w_o, n_heads=n_heads)

    @classmethod
    def from_heads(
        cls, heads: Iterable[tuple[ArrayLike, ArrayLike, ArrayLike]], w_o: ArrayLike | None = None
    ) -> Projections:
        """One (w_q, w_k, w_v) per head, laid side by side in that order.

        Shapes: each (D, K), (D, K), (D, V); w_o (H*V, D_out).
        """
        try:
            one_by_one = iter(heads)
        except TypeError as error:
            raise SettingsError(
                f"heads is {shown(heads)} but must be a list of (w_q, w_k, w_v)"
            ) from error
        given = list(one_by_one)
        lists = [
            t
            for t in given
            if isinstance(t, (tuple, list, np.ndarray)) and getattr(t, "ndim", 1) > 0
        ]
        if not given or len(lists) < len(given) or any(len(triple) != 3 for triple in lists):
            raise ShapeError(
                "heads must hold one (w_q, w_k, w_v) for each head, and at least one head"
            )
        triples = [
            tuple(as_numbers(f"head {h}", matrix) for matrix in triple)
            for h, triple in enumerate(given)
        ]
        for name, matrices in zip(MATRICES, zip(*triples, strict=True), strict=False):
            if matrices[0].ndim != 2 or any(
                matrix.shape != matrices[0].shape for matrix in matrices
            ):
                shapes = ", ".join(str(matrix.shape) for matrix in matrices)
                raise ShapeError(
                    f"{name} must be a matrix of the same shape in every head, but has shapes"
                    f" {shapes}"
                )
        w_q, w_k, w_v = (np.hstack(matrices) for matrices in zip(*triples, strict=True))
        return cls(
            w_q, w_k, w_v, None if w_o is None else as_numbers("w_o", w_o), n_heads=len(triples)
        )


def head_widths(d_model: int, n_heads: int, d_k: int | None, d_v: int | None) -> tuple[int, int]:
    """d_k and d_v as given; a missing one is d_model / n_heads, or like the given one where
    that is no whole number.
    """
    for name, size in (("d_model", d_model), ("n_heads", n_heads), ("d_k", d_k), ("d_v", d_v)):
        if size is not None or name in ("d_model", "n_heads"):
            whole_number(name, size, 1)
    if d_model % n_heads == 0:
        return d_k or d_model // n_heads, d_v or d_model // n_heads
    if d_k is None and d_v is None:
        head_width(d_model, n_heads, ", or give d_k (and d_v)")
    return d_k or d_v or 0, d_v or d_k or 0


def _check_sizes(p: Projections) -> None:
    for name in MATRICES:
        matrix = getattr(p, name)
        if matrix is not None and (matrix.ndim != 2 or 0 in matrix.shape):
            raise ShapeError(
                f"{name} must be a matrix of shape (features in, features out), but has"
                f" {matrix.shape}"
            )
    if p.n_heads % p.groups:
        raise SettingsError(uneven_sharing(p.n_heads, p.groups))
    for name, matrix, heads in (
        ("w_q", p.w_q, p.n_heads),
        ("w_k", p.w_k, p.groups),
        ("w_v", p.w_v, p.groups),
    ):
        if matrix.shape[1] % heads:
            raise ShapeError(
                f"{name} has {matrix.shape[1]} columns but its {heads} heads need a multiple of"
                f" {heads}"
            )
    if p.w_k.shape[1] != p.d_k * p.groups:
        raise ShapeError(
            f"a query has width {p.d_k} but a key has width {p.w_k.shape[1] / p.groups:g}; make w_q"
            " and w_k agree"
        )
    if p.w_k.shape[0] != p.w_v.shape[0]:
        raise ShapeError(
            f"w_k reads {p.w_k.shape[0]} features but w_v reads {p.w_v.shape[0]}; both read the"
            " memory"
        )
    if p.w_o is not None and p.w_o.shape[0] != p.n_heads * p.d_v:
        raise ShapeError(
            f"w_o has {p.w_o.shape[0]} rows but must have n_heads * d_v = {p.n_heads * p.d_v}"
        )
    _check_biases(p)


def _check_biases(p: Projections) -> None:
    for bias_name, matrix_name in zip(BIASES, MATRICES, strict=True):
        bias, matrix = getattr(p, bias_name), getattr(p, matrix_name)
        width = p.d_out if matrix is None else matrix.shape[1]
        if bias is not None and bias.shape != (width,):
            raise ShapeError(
                f"{bias_name} must have shape ({width},) like the columns of {matrix_name}:"
                f" {bias.shape}"
            )
