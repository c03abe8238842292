"""A small scenario, and how two of its runs are compared."""

from __future__ import annotations

import numpy as np

from attention_core import Trace
from attention_lab.scenario import Scenario

SMALL = Scenario(text="we like green tea very much", d_model=6, n_heads=2)


def same(first: Trace, second: Trace, name: str) -> bool:
    """Whether a field of two traces is the same array, shape and numbers."""
    return np.array_equal(getattr(first, name), getattr(second, name))
