"""How far rounding can move the numbers of a trace, so that a check can be as strict as the
arithmetic allows.
"""

from __future__ import annotations

import numpy as np

from attention_core.cache import cached
from attention_core.checks import Array
from attention_core.magnitudes import RELATIVE_ROUNDING
from attention_core.number_types import MAX_OF_TYPE
from attention_core.trace import STEPS, Trace

# Near zero numbers are rounded to whole steps, however small they are, of which a long sum may take
# a hundred; and one digit of the largest number would be infinity.
ROUNDING_RANGE = {
    dtype: (100 * float(np.finfo(dtype).smallest_subnormal), most / 2)
    for dtype, most in MAX_OF_TYPE.items()
}


def tolerance(trace: Trace, field: str) -> float:
    """The largest difference between a field and the same numbers added up in another order, on any
    machine.

    Units or range: 1e-13 (float32: 1e-5) of what the field is added up from, see `magnitudes`;
    within `ROUNDING_RANGE`.

    >>> from attention_core import Projections, attend
    >>> tolerance(attend([[3.0]], Projections.weightless(1)), "scores")
    1.8e-12
    """
    dtype = trace.output.dtype
    low, high = ROUNDING_RANGE[dtype]
    # In this order the upper limit is also what remains of infinity times zero.
    return max(low, min(high, RELATIVE_ROUNDING[dtype] * magnitudes(trace)[field]))


@cached
@np.errstate(over="ignore", invalid="ignore")
def magnitudes(trace: Trace) -> dict[str, float]:
    """What the largest rounding error of each field is a small part of, followed from step to step
    (see `attention_core.magnitudes`).
    """
    found: dict[str, Array] = {}
    for name, step in STEPS.items():
        found[name] = step.magnitude(trace, found)
    return {field: float(array.max()) for field, array in found.items()}
