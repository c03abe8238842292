"""Values that no function takes, by what should stand in their place."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

NO_NUMBER = (None, "no", [], {}, True, math.nan, math.inf, 1j, np.timedelta64(2, "s"))
NO_COUNT = (*NO_NUMBER, 1.0, -1, 2**70, 10**5000, np.ones((2, 2)))
NO_SEED = (None, "no", 0.5, -1, 2**64, [1])
NO_SWITCH = (None, "no", 0, 1, [], np.ones(2))
NO_NAME = (None, "nonsense", "", 0, [], {}, np.array(["a"]))
NO_TEXT = (None, 0, [], b"no", np.ones(2))
NO_LIST = (None, "no", 0, 1.5, {}, np.array(1.0))
NO_ARRAY = (
    None,
    "no",
    [],
    {},
    [[1.0], [2.0, 3.0]],
    [[1j]],
    np.array([[None]]),
    np.full((5, 4), np.nan),
    np.empty((0, 4)),
)
NO_SHARES = (*NO_ARRAY, -np.ones((2, 2)), 2 * np.ones((2, 2)), np.full((2, 2), np.inf))
HUGE = np.broadcast_to(np.float64(1), (10**6, 10**6))

Case = tuple[Callable[..., Any], dict[str, Any], dict[str, tuple[Any, ...]]]

# What is called, arguments that it takes, and for each argument values that it does not.
