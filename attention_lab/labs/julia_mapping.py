"""GeometricMachineLearning.jl beside our engine: its tokens are columns, and its manual and its
code differ.

The manual writes softmax(KᵀQ / √(N/h)) per head; the code computes softmax((P_Qᵀx)ᵀ (P_Kᵀx) / √N).
Both take the softmax down the columns. So in the code P_Q makes what we call keys, P_K makes the
queries, and the scores are smaller by √h.
Source: the package's manual, "Multihead Attention", and src/layers/multi_head_attention.jl, version
0.4.8.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attention_core.attention import attend
from attention_core.checks import (
    Array,
    as_numbers,
    as_stack,
    check_alike,
    check_choice,
    check_switch,
    seed_number,
    whole_number,
)
from attention_core.errors import SettingsError, ShapeError
from attention_core.head_widths import head_width
from attention_core.initialisation import orthonormal_columns
from attention_core.limits import check_room
from attention_core.number_types import check_range
from attention_core.projections import Projections
from attention_core.trace import Trace

from .formula import Formula


@dataclass(frozen=True, eq=False)
class JuliaHeads:
    """The package's weights: for every head P_Q, P_K and P_V of shape (N, n), n = N/h, as
    stacks (h, N, n).
    """

    p_q: Array
    p_k: Array
    p_v: Array

    def __post_init__(self) -> None:
        for name in ("p_q", "p_k", "p_v"):
            object.__setattr__(self, name, as_stack(name, getattr(self, name), 3, exactly=True))
        check_alike("p_q", self.p_q, "p_k", self.p_k)
        if self.p_v.shape[:2] != self.p_q.shape[:2]:
            raise ShapeError(
                f"p_v has shape {self.p_v.shape} but must have heads and rows as p_q:"
                f" {self.p_q.shape}"
            )

    @classmethod
    def random(cls, dim: int, n_heads: int, seed: int = 0) -> JuliaHeads:
        """Orthonormal columns in every matrix, as the package draws them with Stiefel = true.
        Raises: SettingsError.
        """
        n = head_width(whole_number("dim", dim, 1), whole_number("n_heads", n_heads, 1))
        check_room(dim=dim, columns=dim)
        rng = np.random.default_rng(seed_number(seed))
        stacks = (
            np.stack([orthonormal_columns(rng, dim, n) for _ in range(n_heads)]) for _ in range(3)
        )
        return cls(*stacks)


def column_softmax(scores_ST: Array) -> Array:
    """The softmax of each column, written out. Shapes: (keys, queries); every column sums to 1."""
    scores_ST = as_stack("scores", scores_ST, 2)
    exponentials_ST = np.exp(scores_ST - scores_ST.max(axis=0))
    shares: Array = exponentials_ST / exponentials_ST.sum(axis=0)
    return shares


@np.errstate(over="ignore", invalid="ignore")
def manual_layer(z: ArrayLike, heads: JuliaHeads, add_connection: bool = False) -> Array:
    """What the manual writes, head by head, joined one below the other. Shapes: z (N, T) -> (N,
    T).
    """
    outputs, z = [], _columns(z, heads, add_connection)
    for p_q, p_k, p_v in zip(heads.p_q, heads.p_k, heads.p_v, strict=True):
        q_nT, k_nT, v_nT = p_q.T @ z, p_k.T @ z, p_v.T @ z
        outputs.append(v_nT @ column_softmax(k_nT.T @ q_nT / math.sqrt(len(q_nT))))
    return _joined(outputs, z if add_connection else None)


@np.errstate(over="ignore", invalid="ignore")
def code_layer(z: ArrayLike, heads: JuliaHeads, add_connection: bool = False) -> Array:
    """What the code computes: P_Q and P_K have changed places, and the scale is √N for every
    head. Shapes as above.
    """
    outputs, z = [], _columns(z, heads, add_connection)
    for p_q, p_k, p_v in zip(heads.p_q, heads.p_k, heads.p_v, strict=True):
        q_nT, k_nT, v_nT = p_q.T @ z, p_k.T @ z, p_v.T @ z
        outputs.append(v_nT @ column_softmax(q_nT.T @ k_nT / math.sqrt(len(z))))
    return _joined(outputs, z if add_connection else None)


def _joined(outputs: list[Array], connection: Array | None) -> Array:
    joined: Array = np.vstack(outputs) if connection is None else np.vstack(outputs) + connection
    check_range(joined)
    return joined


def _columns(z: ArrayLike, heads: JuliaHeads, add_connection: bool) -> Array:
    """Tokens as columns that fit the heads. Raises: SettingsError, ShapeError."""
    check_switch("add_connection", add_connection)
    columns, (n_heads, n_rows, _), (_, _, d_v) = (
        as_numbers("z", z),
        heads.p_q.shape,
        heads.p_v.shape,
    )
    if columns.ndim != 2 or columns.shape[0] != n_rows or 0 in columns.shape:
        raise ShapeError(
            f"z has shape {columns.shape} but must have {n_rows} rows, one column per token"
        )
    if add_connection and n_heads * d_v != n_rows:
        raise SettingsError(
            f"add_connection adds {n_rows} rows to {n_heads * d_v}: they must agree"
        )
    return columns


def manual_projections(heads: JuliaHeads) -> tuple[Projections, float]:
    """The weights and the scale with which our engine computes what the manual writes."""
    triples = zip(heads.p_q, heads.p_k, heads.p_v, strict=True)
    return Projections.from_heads(list(triples)), 1 / math.sqrt(heads.p_q.shape[2])


def code_projections(heads: JuliaHeads) -> tuple[Projections, float]:
    """The weights and the scale with which our engine computes what the code computes."""
    triples = zip(heads.p_k, heads.p_q, heads.p_v, strict=True)
    return Projections.from_heads(list(triples)), 1 / math.sqrt(heads.p_q.shape[1])


@dataclass(frozen=True)
class Convention:
    """One way the package is written down: its own formula, and the weights and scale that give
    the same here.
    """

    formula: Formula
    mapping: Callable[[JuliaHeads], tuple[Projections, float]]
    ours: str


CONVENTIONS = {
    "manual": Convention(
        Formula(
            "Manual",
            r"P_V^{\top} Z \, \mathrm{softmax}\!\left(\frac{(P_K^{\top} Z)^{\top} (P_Q^{\top}"
            r" Z)}{\sqrt{N/h}}\right)",
            "Keys times queries, softmax down the columns, scale √(N/h).",
            manual_layer,
        ),
        manual_projections,
        r"W_Q = [P_Q \mid \cdots],\ W_K = [P_K \mid \cdots],\ W_V = [P_V \mid \cdots],\ s ="
        r" 1/\sqrt{n}",
    ),
    "code": Convention(
        Formula(
            "Code",
            r"P_V^{\top} Z \, \mathrm{softmax}\!\left(\frac{(P_Q^{\top} Z)^{\top} (P_K^{\top}"
            r" Z)}{\sqrt{N}}\right)",
            "Queries times keys, softmax down the columns, scale √N: P_Q and P_K have changed"
            " places.",
            code_layer,
        ),
        code_projections,
        r"W_Q = [P_K \mid \cdots],\ W_K = [P_Q \mid \cdots],\ W_V = [P_V \mid \cdots],\ s ="
        r" 1/\sqrt{N}",
    ),
}


@dataclass(frozen=True, eq=False)
class MappingCheck:
    """The package's output, (N, T), the trace of our engine, and the largest difference between
    the two.
    """

    theirs: Array
    trace: Trace
    difference: float


def check_mapping(
    z: ArrayLike, heads: JuliaHeads, convention: str, add_connection: bool = False
) -> MappingCheck:
    """The same layer in the package's convention and in ours. Shapes: z (N, T). Raises:
    SettingsError, ShapeError.

    >>> check_mapping(np.eye(6, 5), JuliaHeads.random(6, 2), "code",
    ...     add_connection=True).difference < 1e-12
    True
    """
    chosen = CONVENTIONS[check_choice("convention", convention, CONVENTIONS)]
    columns = _columns(z, heads, add_connection)
    projections, scale = chosen.mapping(heads)
    trace = attend(columns.T, projections, scale=scale, residual=add_connection)
    theirs: Array = chosen.formula.compute(columns, heads, add_connection)
    return MappingCheck(theirs, trace, float(np.abs(trace.output[0].T - theirs).max()))
