"""What each head adds to the output: its result times its rows of W_O, or values that already
contain W_O.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from attention_core.checks import Array
from attention_core.trace import Trace

from .weight_blocks import output_rows, value_output_products


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


def absorbed_size(trace: Trace) -> tuple[int, int]:
    """How many numbers W_V and W_O hold together, and how many the products (W_V W_O)_h of all
    heads hold. A missing W_O counts 0.
    """
    p, sizes = trace.projections, trace.sizes
    apart = p.w_v.size + (0 if p.w_o is None else p.w_o.size)
    return apart, sizes["H"] * sizes["M"] * sizes["O"]


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
