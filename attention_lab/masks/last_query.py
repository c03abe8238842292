"""A causal mask for fewer queries than keys: at which corner it must start when only the newest
token has a query.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_core.attention import attend
from attention_core.masks import causal_mask, window_mask
from attention_core.trace import Trace

from ..heads.reruns import rerun


@dataclass(frozen=True)
class LastQuery:
    """The query of the last token alone, with the keys of all tokens.

    hidden_top_left: how many keys a mask from the top left hides. top_left, bottom_right: the
    largest difference between the output with each mask and that of the whole sequence.
    """

    hidden_top_left: int
    top_left: float
    bottom_right: float


def last_query_alone(trace: Trace) -> LastQuery:
    """The layer under a causal mask on all tokens, and on the last query with the keys of all
    tokens. Self-attention only.

    >>> from attention_core import Projections
    >>> found = last_query_alone(attend([[1.0], [2.0], [3.0]], Projections.weightless(1)))
    >>> found.hidden_top_left, round(found.top_left, 2), found.bottom_right
    (2, 1.95, 0.0)
    """
    x, n_keys, p = trace.inputs, trace.sizes["S"], trace.projections
    corners = causal_mask(1, n_keys), window_mask(n_keys, n_keys, right=0)[-1:]
    whole = rerun(trace, mask=None, bias=None, causal=True, residual=False).output[:, -1:]
    alone = [
        attend(x[:, -1:], p, memory=x, mask=mask, scale=trace.scale, softcap=trace.softcap).output
        for mask in corners
    ]
    return LastQuery(int((~corners[0]).sum()), *(float(np.abs(one - whole).max()) for one in alone))
