"""The largest effect of rounding on the numbers of a trace, for checks as strict as possible."""

from __future__ import annotations

import numpy as np

from attention_core.checks import Array
from attention_core.magnitudes import RELATIVE_ROUNDING
from attention_core.numbers import MAX_OF_TYPE
from attention_core.trace import STEPS, Trace

from .cache import cached

# Near zero, numbers are rounded to whole steps of the smallest number, and a long sum may be a
# hundred steps off. One more digit of the largest number would be infinity.
ROUNDING_RANGE = {
    dtype: (100 * float(np.finfo(dtype).smallest_subnormal), most / 2)
    for dtype, most in MAX_OF_TYPE.items()
}


def tolerance(trace: Trace, field: str) -> float:
    """The largest difference between a field and the same sums in another order, on any machine.

    Units or range: 1e-13 (float32: 1e-5) of the sum of absolute values, see `magnitudes`; within
    `ROUNDING_RANGE`.

    >>> from attention_core import Projections, attend
    >>> tolerance(attend([[3.0]], Projections.weightless(1)), "scores")
    1.8e-12
    """
    dtype = trace.output.dtype
    low, high = ROUNDING_RANGE[dtype]
    # In this order NaN, infinity times zero, becomes the upper limit.
    return max(low, min(high, RELATIVE_ROUNDING[dtype] * magnitudes(trace)[field]))


@cached
@np.errstate(over="ignore", invalid="ignore")
def magnitudes(trace: Trace) -> dict[str, float]:
    """The number of each field to which its rounding error is relative, from step to step (see
    `attention_core.magnitudes`).
    """
    sizes: dict[str, Array] = {}
    for name, step in STEPS.items():
        sizes[name] = step.magnitude(trace, sizes)
    return {field: float(array.max()) for field, array in sizes.items()}
