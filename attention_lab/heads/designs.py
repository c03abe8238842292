"""Two designs of a layer with several heads, counted as the MQL5 book counts them: an attention
object for each head, run one after the other and joined; and one object for all heads.

Counted without what options add to both, such as masks, positions and biases.
Source: MQL5 book, chapter on multi-head self-attention; the objects are those of its class
CNeuronAttention: three layers for Query, Key and Value, the coefficients, and the result.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

from attention_core.trace import Trace

from ..words.numbers import Count
from .counts import compare_counts

OBJECTS_OF_ATTENTION = 5  # layers of queries, keys and values; coefficients; result
# Projections of queries, keys and values; scores, their division, softmax; values mixed.
CALLS_OF_ATTENTION = 7


class DesignCount(NamedTuple):
    """What a design takes for one sequence. objects: layers, and arrays that are kept. calls: of
    operations on whole arrays, one after the other. copied: numbers copied to join the heads.
    """

    objects: Count
    calls: Count
    copied: Count
    multiplications: Count


@dataclass(frozen=True)
class Designs:
    """Both designs of one layer. separate: an object for each head. together: one for all heads."""

    separate: DesignCount
    together: DesignCount

    def compared(self, count: str) -> str:
        """Whether separate objects take "more" of a count than one object, "as many" or "fewer"."""
        return compare_counts(getattr(self.separate, count), getattr(self.together, count))


def count_designs(trace: Trace) -> Designs:
    """The counts of both designs for the sizes of a layer.

    Separate heads cannot share keys and values: each computes its own. A single head needs no
    joining. One object has the heads write into parts of one array, so nothing is copied.

    >>> from attention_core import Projections, attend
    >>> import numpy as np
    >>> designs = count_designs(attend(np.eye(4), Projections.random(d_model=4, n_heads=2)))
    >>> designs.separate.objects, designs.together.objects, designs.compared("multiplications")
    (12, 6, 'as many')
    """
    n_heads, groups = trace.sizes["H"], trace.projections.groups
    has_output, is_joined = trace.projections.w_o is not None, n_heads > 1
    separate = DesignCount(
        Count(OBJECTS_OF_ATTENTION * n_heads + is_joined + has_output),
        Count(CALLS_OF_ATTENTION * n_heads + is_joined + has_output),
        Count(math.prod(trace.merged.shape[1:]) * is_joined),
        Count(_multiplications(trace, n_heads)),
    )
    together = DesignCount(
        Count(OBJECTS_OF_ATTENTION + has_output),
        Count(CALLS_OF_ATTENTION + has_output),
        Count(0),
        Count(_multiplications(trace, groups)),
    )
    return Designs(separate, together)


def _multiplications(trace: Trace, n_key_heads: int) -> int:
    """Those of the matrix products and of the division, if so many heads have keys and values of
    their own.
    """
    sizes, w_o = trace.sizes, trace.projections.w_o
    n_heads, n_queries, n_keys, d_k, d_v = (sizes[letter] for letter in "HTSKV")
    projections = n_queries * sizes["D"] * n_heads * d_k + n_keys * sizes["M"] * n_key_heads * (
        d_k + d_v
    )
    scores = n_heads * n_queries * n_keys * (d_k + 1 + d_v)
    return projections + scores + (0 if w_o is None else n_queries * w_o.size)
