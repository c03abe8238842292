"""A causal mask for fewer queries than keys: which corner it must start from when the newest token
asks alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_core.attention import attend
from attention_core.errors import ShapeError
from attention_core.masks import causal_mask, window_mask
from attention_core.trace import Trace

from ..heads.reruns import rerun


@dataclass(frozen=True)
class LastQuery:
    """The last token alone, with the keys of all: hidden_top_left is how many of these a mask from
    the top left hides.

    top_left, bottom_right: how far the output then is, at most, from that of the whole sequence.
    """

    hidden_top_left: int
    top_left: float
    bottom_right: float


def last_query_alone(trace: Trace) -> LastQuery:
    """The layer under a causal mask on all its tokens, and on the last one with the keys of all.

    Raises: ShapeError for cross-attention.

    >>> from attention_core import Projections
    >>> found = last_query_alone(attend([[1.0], [2.0], [3.0]], Projections.weightless(1)))
    >>> found.hidden_top_left, round(found.top_left, 2), found.bottom_right
    (2, 1.95, 0.0)
    """
    if trace.memory is not trace.inputs:
        raise ShapeError("the trace must be of self-attention: its last query has a key of its own")
    x, n_keys, p = trace.inputs, trace.sizes["S"], trace.projections
    corners = causal_mask(1, n_keys), window_mask(n_keys, n_keys, right=0)[-1:]
    whole = rerun(trace, mask=None, bias=None, causal=True, residual=False).output[:, -1:]
    alone = [
        attend(x[:, -1:], p, memory=x, mask=mask, scale=trace.scale, softcap=trace.softcap).output
        for mask in corners
    ]
    return LastQuery(int((~corners[0]).sum()), *(float(np.abs(one - whole).max()) for one in alone))
