"""GeometricMachineLearning.jl beside our engine: its tokens are columns, and its manual and its
code differ.

For each head the manual writes softmax(KᵀQ / √(N/h)), and the code computes
softmax((P_Qᵀx)ᵀ (P_Kᵀx) / √N). Both take the softmax of each column. So in the code P_Q makes what
we call keys, P_K makes the queries, and the scores are smaller by √h.
Source: the package's manual, "Multihead Attention", and src/layers/multi_head_attention.jl, version
0.4.8.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from attention_core.attention import attend
from attention_core.checks import Array
from attention_core.initialisation import orthonormal_columns
from attention_core.projections import Projections
from attention_core.trace import Trace

from ..home import read_table


@dataclass(frozen=True, eq=False)
class JuliaHeads:
    """The package's weights: P_Q, P_K and P_V of each head, as stacks (h, N, n) with n = N/h."""

    p_q: Array
    p_k: Array
    p_v: Array

    @classmethod
    def random(cls, dim: int, n_heads: int, seed: int = 0) -> JuliaHeads:
        """Orthonormal columns in every matrix, as the package draws them with Stiefel = true."""
        rng, width = np.random.default_rng(seed), dim // n_heads
        drawn = [orthonormal_columns(rng, dim, width) for _ in range(3 * n_heads)]
        return cls(*np.stack(drawn).reshape(3, n_heads, dim, width))


def column_softmax(scores_ST: Array) -> Array:
    """The softmax of each column. Shapes: (keys, queries); every column sums to 1."""
    exponentials_ST = np.exp(scores_ST - scores_ST.max(axis=0))
    shares: Array = exponentials_ST / exponentials_ST.sum(axis=0)
    return shares


def package_layer(
    z: Array, heads: JuliaHeads, by_code: bool, add_connection: bool = False
) -> Array:
    """The outputs of the heads, one below the other, as the manual writes them; or as the code
    computes them: P_Q and P_K are exchanged, and the scale is 1/√N for every head. Shapes: z (N, T)
    -> (N, T).
    """
    outputs = []
    for p_q, p_k, p_v in zip(heads.p_q, heads.p_k, heads.p_v, strict=True):
        q_nT, k_nT, v_nT = p_q.T @ z, p_k.T @ z, p_v.T @ z
        scores = q_nT.T @ k_nT / math.sqrt(len(z))
        if not by_code:
            scores = k_nT.T @ q_nT / math.sqrt(len(q_nT))
        outputs.append(v_nT @ column_softmax(scores))
    output: Array = np.vstack(outputs) + add_connection * z
    return output


def engine_projections(heads: JuliaHeads, by_code: bool) -> tuple[Projections, float]:
    """The weights and the scale with which our engine computes the same."""
    queries, keys = (heads.p_k, heads.p_q) if by_code else (heads.p_q, heads.p_k)
    weights = Projections.from_heads(list(zip(queries, keys, heads.p_v, strict=True)))
    return weights, 1 / math.sqrt(heads.p_q.shape[1 if by_code else 2])


@dataclass(frozen=True)
class Convention:
    """One form of the package's layer: its formula and a sentence. ours: the weights and the scale
    that give the same here, as LaTeX.
    """

    latex: str
    sentence: str
    ours: str


CONVENTIONS = {row.pop("name"): Convention(**row) for row in read_table("conventions")}


@dataclass(frozen=True, eq=False)
class MappingCheck:
    """The package's output, (N, T), the trace of our engine, and the largest difference of both
    outputs.
    """

    theirs: Array
    trace: Trace
    difference: float


def check_mapping(
    z: Array, heads: JuliaHeads, convention: str, add_connection: bool = False
) -> MappingCheck:
    """The same layer in the package's convention and in ours. convention: a key of `CONVENTIONS`.
    Shapes: z (N, T).

    >>> check_mapping(np.eye(6, 5), JuliaHeads.random(6, 2), "code",
    ...     add_connection=True).difference < 1e-12
    True
    """
    by_code = convention == "code"
    projections, scale = engine_projections(heads, by_code)
    trace = attend(z.T, projections, scale=scale, residual=add_connection)
    theirs = package_layer(z, heads, by_code, add_connection)
    return MappingCheck(theirs, trace, float(np.abs(trace.output[0].T - theirs).max()))


def mapping_example(convention: str, add_connection: bool, seed: int) -> MappingCheck:
    """The package's layer and ours on 7 tokens of 12 features, with 3 heads of orthonormal columns.

    >>> mapping_example("manual", False, 0).difference < 1e-12
    True
    """
    z = np.random.default_rng(1000 + seed).standard_normal((12, 7))
    return check_mapping(z, JuliaHeads.random(12, 3, seed), convention, add_connection)
