"""The block of a weight matrix that belongs to one head, and what it reads."""

from __future__ import annotations

import numpy as np

from attention_core.checks import Array, check_choice, short_repr, whole_number
from attention_core.errors import SettingsError
from attention_core.head_blocks import head_columns
from attention_core.trace import Trace

from .basis_change import output_rows

# The field that has its heads side by side as a weight matrix has: in its columns, or in the rows
# of W_O.
LIKE = {"w_q": "queries", "w_k": "keys", "w_v": "values", "w_o": "merged"}


def head_slice(trace: Trace, matrix: str, head: int) -> Array:
    """The block of a weight matrix that belongs to one head: columns of w_q, w_k, w_v, rows of w_o.

    Shapes: (D, K), (D, K), (D, V), (V, O). Raises: SettingsError.
    """
    field = LIKE.get(matrix) if isinstance(matrix, str) else None
    weights, n_heads = getattr(trace.projections, matrix) if field else None, trace.sizes["H"]
    if field is None or weights is None or not 0 <= whole_number("head", head) < n_heads:
        raise SettingsError(
            f"there is no block of {short_repr(matrix)} for head {head} of {n_heads}; choose"
            " another"
        )
    block = head_columns(trace, field, head)
    part: Array = weights[block] if matrix == "w_o" else weights[:, block]
    return part


def features_read(trace: Trace, matrix: str, head: int) -> int:
    """From how many features a head takes anything: the rows of its block of w_q, w_k or w_v that
    are not all 0.

    Raises: SettingsError.
    """
    return int(head_slice(trace, matrix, head).any(axis=1).sum())


def heads_mixed(trace: Trace, column: int) -> int:
    """From how many heads a number of the output takes anything: blocks of the column of W_O that
    are not all 0.

    Raises: SettingsError.
    """
    rows_HVO = output_rows(trace.projections)
    whole_number("column", column, 0, rows_HVO.shape[2] - 1)
    return int(rows_HVO[:, :, column].any(axis=1).sum())


def gives_back(trace: Trace, matrix: str) -> bool:
    """Whether w_q, w_k or w_v gives what it gets: it is the identity, and no bias follows.
    Raises: SettingsError.
    """
    check_choice("matrix", matrix, ("w_q", "w_k", "w_v"))
    weights, bias = (
        getattr(trace.projections, name) for name in (matrix, matrix.replace("w", "b"))
    )
    return bias is None and np.array_equal(weights, np.eye(*weights.shape))
