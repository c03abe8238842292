"""Values of a wrong kind, by the kind that is expected."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

NO_NUMBER = (None, "no", [], {}, True, math.nan, math.inf, 1j, np.timedelta64(2, "s"))
NO_COUNT = (*NO_NUMBER, 1.0, -1, 2**70, 10**5000, np.ones((2, 2)))
NO_SWITCH = (None, "no", 0, 1, [], np.ones(2))
NO_NAME = (None, "nonsense", "", 0, [], {}, np.array(["a"]))
NO_TEXT = (None, 0, [], b"no", np.ones(2))
NO_LIST = (None, "no", 0, 1.5, {}, np.array(1.0))
HUGE = np.broadcast_to(np.float64(1), (10**6, 10**6))

# A function, valid arguments, and for each argument values that are refused.
Case = tuple[Callable[..., Any], dict[str, Any], dict[str, tuple[Any, ...]]]
