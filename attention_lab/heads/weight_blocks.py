"""The part of each weight matrix that belongs to one head: what it reads, the products of such
parts that decide what the head does, and what each head adds to the output.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array
from attention_core.formulas import split_heads
from attention_core.projections import Projections
from attention_core.trace import Trace, head_columns

from .counts import compare_counts

# The field that is divided among the heads in the same way as the weight matrix.
FIELD_OF_MATRIX = {"w_q": "queries", "w_k": "keys", "w_v": "values", "w_o": "merged"}


def head_slice(trace: Trace, matrix: str, head: int) -> Array:
    """The block of a weight matrix that belongs to one head: columns of w_q, w_k, w_v, rows of w_o.

    Shapes: (D, K), (D, K), (D, V), (V, O).
    """
    weights, block = getattr(trace.projections, matrix), _block(trace, matrix, head)
    part: Array = weights[block] if matrix == "w_o" else weights[:, block]
    return part


def _block(trace: Trace, matrix: str, head: int) -> slice:
    return head_columns(trace, FIELD_OF_MATRIX[matrix], head)


def features_read(trace: Trace, matrix: str, head: int) -> int:
    """How many features a head reads: the rows of its block of w_q, w_k or w_v that are not all
    0.
    """
    return int(head_slice(trace, matrix, head).any(axis=1).sum())


def heads_mixed(trace: Trace, column: int) -> int:
    """How many heads contribute to one number of the output: the heads whose part of this column
    of W_O is not all 0.
    """
    rows_HVO = output_rows(trace.projections)
    return int(rows_HVO[:, :, column].any(axis=1).sum())


def is_identity(trace: Trace, matrix: str) -> bool:
    """Whether w_q, w_k or w_v changes nothing: the matrix is the identity, and there is no bias."""
    weights, bias = (
        getattr(trace.projections, name) for name in (matrix, matrix.replace("w", "b"))
    )
    return bias is None and np.array_equal(weights, np.eye(*weights.shape))


def output_rows(projections: Projections) -> Array:
    """Each head's block of rows of W_O; without W_O, of the identity. Shapes: (H, V, O)."""
    p = projections
    w_o = np.eye(p.d_out, dtype=p.dtype) if p.w_o is None else p.w_o
    rows_HVO: Array = w_o.reshape(p.n_heads, p.d_v, p.d_out)
    return rows_HVO


def value_output_products(projections: Projections) -> Array:
    """W_V W_O of each head. This product alone decides what the head passes on of a token that it
    reads, apart from biases. Its rank is at most d_v.

    Shapes: (H, M, O). Source: Elhage et al. 2021, "A Mathematical Framework for Transformer
    Circuits" (OV circuit).
    """
    p = projections
    value_HMV = split_heads(p.w_v[np.newaxis], p.groups)[0].repeat(p.n_heads // p.groups, axis=0)
    product_HMO: Array = value_HMV @ output_rows(p)
    return product_HMO


def head_contributions(trace: Trace) -> Array:
    """What each head adds to the output: O_h times its block of rows of W_O. The sum over the
    heads is merged W_O.

    Shapes: (B, H, T, O). Without W_O each head fills its own columns; the others are 0.
    """
    added_BHTO: Array = trace.head_outputs @ output_rows(trace.projections)
    return added_BHTO


def absorbed_contributions(trace: Trace) -> Array:
    """The same, computed with W_O inside the values: each head mixes X (W_V W_O)_h, which is as
    wide as the output.

    Shapes: (B, H, T, O).
    """
    p = trace.projections
    wide_BHSO = trace.memory[:, np.newaxis] @ value_output_products(p)
    if p.b_v is not None:
        bias_HV = p.b_v.reshape(p.groups, p.d_v).repeat(p.n_heads // p.groups, axis=0)
        wide_BHSO = wide_BHSO + bias_HV[:, np.newaxis] @ output_rows(p)
    added_BHTO: Array = trace.probabilities @ wide_BHSO
    return added_BHTO


@dataclass(frozen=True)
class AbsorbedSize:
    """How many numbers W_V and W_O hold, and how many the products (W_V W_O)_h of all heads."""

    apart: int
    products: int

    @property
    def compared(self) -> str:
        """Whether the products hold "fewer" numbers, "as many", or "more"."""
        return compare_counts(self.products, self.apart)


def absorbed_size(trace: Trace) -> AbsorbedSize:
    """The numbers that a layer stores with W_O apart, and with W_O in its values. A missing W_O
    counts 0.
    """
    p, sizes = trace.projections, trace.sizes
    apart = p.w_v.size + (0 if p.w_o is None else p.w_o.size)
    return AbsorbedSize(apart, sizes["H"] * sizes["M"] * sizes["O"])


def output_gap(trace: Trace, contributions: Callable[[Trace], Array] = head_contributions) -> float:
    """The largest difference between the output and the sum of its parts, over all tokens and
    features. Only rounding makes it differ from 0.
    """
    total_BTO = contributions(trace).sum(axis=1)
    if trace.projections.b_o is not None:
        total_BTO = total_BTO + trace.projections.b_o
    if trace.residual:
        total_BTO = total_BTO + trace.inputs
    return float(np.abs(total_BTO - trace.output).max())
