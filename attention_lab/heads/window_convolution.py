"""The projections as the MQL5 book computes them: a convolution over one long buffer.

The buffer holds the tokens one after the other, n·C numbers. A window as wide as a token moves by
one token at a time; each filter is a column of the weights. h heads need h times as many filters
in the same layer. Source: MQL5 book, chapter on multi-head self-attention.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array
from attention_core.trace import Trace, head_columns

WEIGHTS_OF_FIELD = {"queries": "w_q", "keys": "w_k", "values": "w_v"}


def convolve_windows(buffer: Array, filters: Array, step: int) -> Array:
    """A convolution in one dimension with several filters, written as a loop over the windows.

    Shapes: buffer (n,), filters (count, window) -> (windows, count).

    >>> convolve_windows(np.array([1.0, 2.0, 3.0, 4.0]), np.array([[1.0, 10.0]]), step=2).tolist()
    [[21.0], [43.0]]
    """
    window = filters.shape[1]
    starts = range(0, len(buffer) - window + 1, step)
    return np.array([filters @ buffer[at : at + window] for at in starts])


@dataclass(frozen=True)
class ProjectionConvolution:
    """One projection as a convolution: the window, the number of filters for one head and for all
    heads, and the largest difference from the projection, for one head and for all heads.
    """

    field: str
    window: int
    filters_of_one: int
    filters_of_all: int
    gaps: tuple[float, float]


def projections_as_convolutions(trace: Trace, head: int = 0) -> tuple[ProjectionConvolution, ...]:
    """Queries, keys and values of the first sequence as convolutions, for one head and for all.

    >>> from attention_core import Projections, attend
    >>> trace = attend(np.eye(2, 4), Projections.random(d_model=4, n_heads=2))
    >>> [one.filters_of_all // one.filters_of_one for one in projections_as_convolutions(trace)]
    [2, 2, 2]
    """
    return tuple(
        _as_convolution(trace, field, weights, head) for field, weights in WEIGHTS_OF_FIELD.items()
    )


def _as_convolution(trace: Trace, field: str, weights: str, head: int) -> ProjectionConvolution:
    tokens_TD = (trace.inputs if field == "queries" else trace.memory)[0]
    filters = getattr(trace.projections, weights).T
    bias = getattr(trace.projections, weights.replace("w", "b"))
    projected, width = getattr(trace, field)[0], tokens_TD.shape[1]
    own = head_columns(trace, field, head)
    gaps = []
    for part in (own, slice(None)):
        found = convolve_windows(tokens_TD.ravel(), filters[part], step=width)
        if bias is not None:
            found = found + bias[part]
        gaps.append(float(np.abs(found - projected[:, part]).max()))
    return ProjectionConvolution(
        field, width, own.stop - own.start, len(filters), (gaps[0], gaps[1])
    )


@dataclass(frozen=True)
class ArraySize:
    """The shape of one array for one head, and for all heads in one array."""

    name: str
    one: tuple[int, ...]
    fused: tuple[int, ...]


def array_sizes(trace: Trace) -> tuple[ArraySize, ...]:
    """The shapes of inputs, weights and results for one head and for all heads: the two tables of
    the book.
    """
    n_heads = trace.sizes["H"]
    rows = [ArraySize("inputs", trace.inputs.shape[1:], trace.inputs.shape[1:])]
    for field, weights in WEIGHTS_OF_FIELD.items():
        owners = n_heads if field == "queries" else trace.sizes["G"]
        arrays = {weights: getattr(trace.projections, weights), field: getattr(trace, field)[0]}
        for name, array in arrays.items():
            n_rows, n_columns = array.shape
            rows.append(ArraySize(name, (n_rows, n_columns // owners), (n_rows, n_columns)))
    return tuple(rows)
