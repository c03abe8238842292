"""The projections as the MQL5 book computes them: a convolution over one long buffer.

The buffer holds the tokens one after the other, n·C numbers. A window as wide as a token moves by
one token at a time; each filter is a column of the weights. h heads need h times as many filters
in the same layer. The output matrix is a convolution, too: its buffer holds the joined heads, so
its window is h times as wide, and its filters stay as many.
Source: MQL5 book, chapter on multi-head self-attention.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array
from attention_core.trace import Trace, head_columns

from ..rounding import tolerance
from ..words.numbers import Case, Count, Number
from .weight_blocks import head_contributions

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
    """One projection as a convolution. sizes: the window and the filters of one head, then those of
    all. difference: the largest from the projection, for one head and for all heads; None for
    rounding alone.
    """

    field: Case
    sizes: tuple[Count, ...]
    difference: Number | None


def projections_as_convolutions(trace: Trace, head: int = 0) -> tuple[ProjectionConvolution, ...]:
    """Queries, keys and values of the first sequence as convolutions, for one head and for all; and
    the output, if the layer has an output matrix.

    >>> from attention_core import Projections, attend
    >>> trace = attend(np.eye(2, 4), Projections.random(d_model=4, n_heads=2))
    >>> [one.sizes[3] // one.sizes[1] for one in projections_as_convolutions(trace)]
    [2, 2, 2, 1]
    """
    convolutions = [
        _as_convolution(trace, field, weights, head) for field, weights in WEIGHTS_OF_FIELD.items()
    ]
    if trace.projections.w_o is not None:
        convolutions.append(_output_as_convolution(trace, trace.projections.w_o, head))
    return tuple(convolutions)


def _as_convolution(trace: Trace, field: str, weights: str, head: int) -> ProjectionConvolution:
    tokens_TD = (trace.inputs if field == "queries" else trace.memory)[0]
    filters = getattr(trace.projections, weights).T
    bias = getattr(trace.projections, weights.replace("w", "b"))
    projected, width = getattr(trace, field)[0], tokens_TD.shape[1]
    own = head_columns(trace, field, head)
    gaps = []
    for part in (own, slice(None)):
        sums = convolve_windows(tokens_TD.ravel(), filters[part], step=width)
        if bias is not None:
            sums = sums + bias[part]
        gaps.append(sums - projected[:, part])
    return _compared(trace, field, (width, own.stop - own.start, width, len(filters)), gaps)


def _output_as_convolution(trace: Trace, w_o: Array, head: int) -> ProjectionConvolution:
    """The output as a convolution over the joined heads, and what one head adds to it as one over
    its own outputs.
    """
    own, filters, merged_TF = head_columns(trace, "merged", head), w_o.T, trace.merged[0]
    added = convolve_windows(merged_TF[:, own].ravel(), filters[:, own], own.stop - own.start)
    sums = convolve_windows(merged_TF.ravel(), filters, step=len(w_o))
    if trace.projections.b_o is not None:
        sums = sums + trace.projections.b_o
    if trace.residual:
        sums = sums + trace.inputs[0]
    gaps = added - head_contributions(trace)[0, head], sums - trace.output[0]
    sizes = own.stop - own.start, len(filters), len(w_o), len(filters)
    return _compared(trace, "output", sizes, gaps)


def _compared(
    trace: Trace, field: str, sizes: tuple[int, ...], gaps: Sequence[Array]
) -> ProjectionConvolution:
    gap = max(float(np.abs(one).max()) for one in gaps)
    difference = Number(gap) if gap > tolerance(trace, field) else None
    return ProjectionConvolution(Case(field), tuple(map(Count, sizes)), difference)


@dataclass(frozen=True)
class ArraySize:
    """The rows and columns of one array for one head, and for all heads in one array."""

    name: Case
    one: tuple[Count, ...]
    fused: tuple[Count, ...]

    @property
    def numbers_of_one(self) -> Count:
        """How many numbers the array of one head holds."""
        return Count(math.prod(self.one))

    @property
    def numbers_of_all(self) -> Count:
        """How many numbers the array of all heads holds."""
        return Count(math.prod(self.fused))


def array_sizes(trace: Trace) -> tuple[ArraySize, ...]:
    """The shapes of inputs, weights and results for one head and for all heads: the two tables of
    the book.
    """
    n_heads = trace.sizes["H"]
    shape = tuple(map(Count, trace.inputs.shape[1:]))
    rows = [ArraySize(Case("inputs"), shape, shape)]
    for field, weights in WEIGHTS_OF_FIELD.items():
        owners = n_heads if field == "queries" else trace.sizes["G"]
        arrays = {weights: getattr(trace.projections, weights), field: getattr(trace, field)[0]}
        for name, array in arrays.items():
            n_rows, n_columns = map(Count, array.shape)
            of_one = (n_rows, Count(n_columns // owners))
            rows.append(ArraySize(Case(name), of_one, (n_rows, n_columns)))
    return tuple(rows)
