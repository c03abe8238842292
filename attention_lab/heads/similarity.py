"""How far the shares of a head, or of all heads, differ from others."""

import numpy as np

from attention_core.checks import Array
from attention_core.trace import Trace

from .patterns import entropy, largest_entropy, pattern_of

LN_2 = largest_entropy(2)


def jensen_shannon(one_XTS: Array, other_XTS: Array) -> Array:
    """How different two rows of shares are: the entropy of their mean minus the mean of their
    entropies.

    Shapes: (X, T, S) twice -> (X, T). Units or range: 0 (equal) to ln 2 (nothing in common).
    Source: Lin 1991, equation 4.1.

    >>> float(jensen_shannon(np.array([1.0, 0.0]), np.array([0.0, 1.0])).round(4))
    0.6931
    """
    apart_XT = entropy((one_XTS + other_XTS) / 2) - (entropy(one_XTS) + entropy(other_XTS)) / 2
    return np.clip(apart_XT, 0.0, LN_2)  # only rounding can leave the range


def mean_head_divergence(before: Trace, after: Trace) -> float:
    """How far the heads of a layer differ from the same heads after a change: the mean
    Jensen-Shannon divergence / ln 2.

    Units or range: 0 (equal) to 1 (nothing in common). A query that may see no key counts as equal.
    """
    apart_BHT = jensen_shannon(pattern_of(before).probabilities, pattern_of(after).probabilities)
    return float(apart_BHT.mean()) / LN_2
