"""The projections as layers of the MQL5 book make them: a convolution over one long buffer.

The buffer holds the tokens one after the other, n·C numbers. A window as wide as a token, moved by
a token each time, reads them one by one; each filter is a column of the weights. h heads need h
times as many filters, and no second object. Source: MQL5 book, chapter on multi-head
self-attention.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attention_core.checks import Array, as_stack, check_alike, whole_number
from attention_core.errors import ShapeError
from attention_core.head_blocks import head_columns
from attention_core.trace import Trace

MADE = {"queries": "w_q", "keys": "w_k", "values": "w_v"}


def convolve(buffer: ArrayLike, filters: ArrayLike, step: int) -> Array:
    """A convolution in one dimension with several filters, written as a loop over the windows.

    Shapes: buffer (n,), filters (count, window) -> (windows, count). Raises: ShapeError,
    SettingsError.

    >>> convolve([1.0, 2.0, 3.0, 4.0], [[1.0, 10.0]], step=2).tolist()
    [[21.0], [43.0]]
    """
    numbers = as_stack("buffer", buffer, 1, exactly=True)
    kernels = as_stack("filters", filters, 2, exactly=True)
    whole_number("step", step, 1)
    window = kernels.shape[1]
    if len(numbers) < window:
        raise ShapeError(
            f"the window of {window} is wider than the buffer, {len(numbers)}: give a longer buffer"
        )
    starts = range(0, len(numbers) - window + 1, step)
    return np.array([kernels @ numbers[at : at + window] for at in starts])


@dataclass(frozen=True)
class AsConvolution:
    """One projection as a convolution: the window, how many filters one head and all heads need,
    and the largest difference from the layer's own, of one head and of all.
    """

    field: str
    window: int
    filters_of_one: int
    filters_of_all: int
    gaps: tuple[float, float]


def projections_as_convolutions(trace: Trace, head: int = 0) -> tuple[AsConvolution, ...]:
    """Queries, keys and values of the first sequence as convolutions, of one head and of all.

    >>> from attention_core import Projections, attend
    >>> trace = attend(np.eye(2, 4), Projections.random(d_model=4, n_heads=2))
    >>> [one.filters_of_all // one.filters_of_one for one in projections_as_convolutions(trace)]
    [2, 2, 2]
    """
    return tuple(_as_convolution(trace, field, weights, head) for field, weights in MADE.items())


def _as_convolution(trace: Trace, field: str, weights: str, head: int) -> AsConvolution:
    tokens_TD = (trace.inputs if field == "queries" else trace.memory)[0]
    filters = getattr(trace.projections, weights).T
    bias = getattr(trace.projections, weights.replace("w", "b"))
    made, width = getattr(trace, field)[0], tokens_TD.shape[1]
    own = head_columns(trace, field, head)
    gaps = []
    for part in (own, slice(None)):
        found = convolve(tokens_TD.ravel(), filters[part], step=width)
        found = found if bias is None else found + bias[part]
        check_alike("the convolution", found, field, made[:, part])
        gaps.append(float(np.abs(found - made[:, part]).max()))
    return AsConvolution(field, width, own.stop - own.start, len(filters), (gaps[0], gaps[1]))


@dataclass(frozen=True)
class ArraySize:
    """The shape of one array in a layer with one head, and in one whose heads share the array."""

    name: str
    one: tuple[int, ...]
    fused: tuple[int, ...]


def sizes_beside_one(trace: Trace) -> tuple[ArraySize, ...]:
    """Inputs, weights and what they make, of one head and of all heads side by side: as the book's
    two tables have them.
    """
    n_heads = trace.sizes["H"]
    rows = [ArraySize("inputs", trace.inputs.shape[1:], trace.inputs.shape[1:])]
    for field, weights in MADE.items():
        owners = n_heads if field == "queries" else trace.sizes["G"]
        arrays = {weights: getattr(trace.projections, weights), field: getattr(trace, field)[0]}
        for name, array in arrays.items():
            n_rows, n_columns = array.shape
            rows.append(ArraySize(name, (n_rows, n_columns // owners), (n_rows, n_columns)))
    return tuple(rows)
