"""The weights of one layer: W_Q, W_K, W_V, W_O, their biases, and where they come from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from .checks import (
    Array,
    as_numbers,
    check_choice,
    check_switch,
    float_type,
    seed_number,
    whole_number,
)
from .display import array_type, html_table, text_table
from .errors import SettingsError, ShapeError, short_repr
from .initialisation import INITIALISATIONS, Stream, draw, generator, orthonormal_columns
from .layer_names import module_arguments, state_arguments
from .numbers import check_room, engine_dtype, in_type
from .positions import pair_order
from .projection_checks import check_weights, head_width, head_widths, joined_heads
from .steps import GIVEN_AXES

MATRICES = ("w_q", "w_k", "w_v", "w_o")
BIASES = ("b_q", "b_k", "b_v", "b_o")
STREAMS = {name: Stream[name.upper()] for name in MATRICES + BIASES}


@dataclass(frozen=True, eq=False, repr=False)
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
        arrays = {name: as_numbers(name, data) for name, data in given.items() if data is not None}
        dtype = engine_dtype(*arrays.values())
        for name, array in arrays.items():
            arrays[name] = np.array(array, dtype=dtype)
            arrays[name].setflags(write=False)
            object.__setattr__(self, name, arrays[name])
        object.__setattr__(self, "n_heads", whole_number("n_heads", self.n_heads, 1))
        n_kv_heads = self.n_heads if self.n_kv_heads is None else self.n_kv_heads
        object.__setattr__(self, "n_kv_heads", whole_number("n_kv_heads", n_kv_heads, 1))
        check_weights(arrays, self.n_heads, self.groups)

    def __repr__(self) -> str:
        return text_table(self._title, self._rows)

    def _repr_html_(self) -> str:
        return html_table(self._title, ("weights", "array", "axes"), self._rows)

    @property
    def _title(self) -> str:
        shared = f" that share {self.groups} keys and values" * (self.groups != self.n_heads)
        return (
            f"Projections: {self.n_heads} heads{shared}, d_model {self.d_model}, d_k {self.d_k},"
            f" d_v {self.d_v}"
        )

    @property
    def _rows(self) -> list[tuple[str, str, str]]:
        """The name, the type and the axes of each matrix and bias."""
        arrays = {name: getattr(self, name) for name in MATRICES + BIASES}
        return [(n, array_type(a), GIVEN_AXES[n]) for n, a in arrays.items() if a is not None]

    @property
    def groups(self) -> int:
        """G, the number of key/value heads."""
        return self.n_kv_heads or self.n_heads

    @property
    def n_weights(self) -> int:
        """How many numbers the matrices hold, without biases.

        >>> [Projections.random(12, n_heads).n_weights for n_heads in (1, 3, 12)]
        [576, 576, 576]
        """
        matrices = (getattr(self, name) for name in MATRICES)
        return sum(matrix.size for matrix in matrices if matrix is not None)

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
        # `replace` would copy what is a copy already: half a gigabyte of a large layer.
        converted = copy(self)
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
        d_out: int | None = None,
        seed: int = 0,
        init: str = "xavier",
        d_memory: int | None = None,
        n_kv_heads: int | None = None,
        bias: bool = False,
    ) -> Projections:
        """Independent random matrices; the same arguments give the same numbers.

        d_k and d_v default to d_model / n_heads, d_out and d_memory to d_model, n_kv_heads to
        n_heads; fewer are shared. init is a name of `INITIALISATIONS`; with bias there are all
        four, normal with standard deviation 0.1.
        """
        check_switch("bias", bias)
        check_choice("init", init, INITIALISATIONS)
        seed_number(seed)
        d_k, d_v = head_widths(d_model, n_heads, d_k, d_v)
        d_out = d_model if d_out is None else whole_number("d_out", d_out, 1)
        d_memory = d_model if d_memory is None else whole_number("d_memory", d_memory, 1)
        groups = n_heads if n_kv_heads is None else whole_number("n_kv_heads", n_kv_heads, 1)
        widths = (n_heads * d_k, groups * d_k, groups * d_v, d_out)
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
        d_out: int | None = None,
        seed: int = 0,
        init: str = "xavier",
    ) -> Projections:
        """Random weights in which keys are made like queries: W_K = W_Q, so the raw scores are
        symmetric.
        """
        free = cls.random(d_model, n_heads, d_k=d_k, d_v=d_v, d_out=d_out, seed=seed, init=init)
        return replace(free, w_k=free.w_q)

    @classmethod
    def stiefel(
        cls,
        d_model: int,
        n_heads: int,
        *,
        d_k: int | None = None,
        d_v: int | None = None,
        d_out: int | None = None,
        seed: int = 0,
    ) -> Projections:
        """Each head's W_Q, W_K and W_V has orthonormal columns; W_O has orthonormal columns or
        rows.

        Raises: SettingsError when d_k or d_v exceeds d_model.
        Source: Brantner, GeometricMachineLearning.jl manual, MultiHeadAttention.
        """
        seed_number(seed)
        d_k, d_v = head_widths(d_model, n_heads, d_k, d_v)
        d_out = d_model if d_out is None else whole_number("d_out", d_out, 1)
        check_room(rows=d_model, columns=n_heads * max(d_k, d_v))
        arrays: dict[str, Any] = {}
        for name, width in (("w_q", d_k), ("w_k", d_k), ("w_v", d_v)):
            rng = generator(seed, STREAMS[name])
            arrays[name] = np.hstack(
                [orthonormal_columns(rng, d_model, width) for _ in range(n_heads)]
            )
        w_o = draw("orthogonal", seed, STREAMS["w_o"], n_heads * d_v, d_out)
        return cls(**arrays, w_o=w_o, n_heads=n_heads)

    @classmethod
    def from_torch(cls, module: Any) -> Projections:
        """The weights of a PyTorch module with one attention layer: `nn.MultiheadAttention`, fused
        or separate, or the attention of a transformers model.

        Its weights alone: a mask, rotary positions or a norm are options of `attend`. Raises:
        SettingsError, ShapeError.
        """
        return cls(**module_arguments(module))

    @classmethod
    def from_state_dict(
        cls, mapping: Mapping[str, Any], *, n_heads: int | None = None, layer: int | str = 0
    ) -> Projections:
        """The weights of one layer of `model.state_dict()`, or of any arrays with known names.

        layer: its place among the layers, from 0, or the beginning of its names. n_heads: None if
        the widths allow one number only. Raises: SettingsError, ShapeError.
        """
        return cls(**state_arguments(mapping, n_heads, layer))

    @classmethod
    def from_heads(
        cls, heads: Iterable[tuple[ArrayLike, ArrayLike, ArrayLike]], w_o: ArrayLike | None = None
    ) -> Projections:
        """One (w_q, w_k, w_v) per head, laid side by side in that order.

        Shapes: each (D, K), (D, K), (D, V); w_o (H*V, D_out).
        """
        n_heads, (w_q, w_k, w_v) = joined_heads(heads)
        return cls(w_q, w_k, w_v, None if w_o is None else as_numbers("w_o", w_o), n_heads=n_heads)


def check_projections(projections: object) -> None:
    """Raises: SettingsError for anything but `Projections`."""
    if not isinstance(projections, Projections):
        raise SettingsError(
            f"projections is {short_repr(projections)} but must be Projections, such as"
            " Projections.random"
        )


def reordered_pairs(projections: Projections, to: str = "halves") -> Projections:
    """The weights with the columns of W_Q and W_K, and their biases, in the other layout of pairs.

    With `Rotary(pairs=to)` they give the scores that the given weights give with the other layout.
    Raises: SettingsError.
    """
    check_projections(projections)
    order, changed = pair_order(projections.d_k, to), {}
    for name in ("w_q", "w_k", "b_q", "b_k"):
        if (given := getattr(projections, name)) is not None:
            heads = given.reshape(*given.shape[:-1], -1, projections.d_k)
            changed[name] = heads[..., order].reshape(given.shape)
    return replace(projections, **changed)
