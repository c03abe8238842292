"""The part of each weight matrix that belongs to one head, what it reads, and the products of such
parts that decide what the head does.
"""

from __future__ import annotations

import numpy as np

from attention_core.checks import Array
from attention_core.formulas import split_heads
from attention_core.projections import Projections
from attention_core.trace import Trace, head_columns

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


def query_key_products(projections: Projections) -> Array:
    """W_Q W_Kᵀ of each head. This product alone decides the scores, apart from biases. Its rank is
    at most d_k.

    Shapes: (H, D, M). Source: Elhage et al. 2021, "A Mathematical Framework for Transformer
    Circuits" (QK circuit).
    """
    p = projections
    query_HDK = split_heads(p.w_q[np.newaxis], p.n_heads)[0]
    key_HMK = split_heads(p.w_k[np.newaxis], p.groups)[0].repeat(p.n_heads // p.groups, axis=0)
    product_HDM: Array = query_HDK @ key_HMK.swapaxes(-1, -2)
    return product_HDM


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
