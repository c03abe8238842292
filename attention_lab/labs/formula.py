"""A formula as it is shown: what it is called, how it is written, what it says, and the
function that computes it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

from attention_core.number_types import check_range, too_large

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class Formula:
    """One formula. latex: as a page prints it. says: one plain sentence. compute: the function
    of that formula.
    """

    title: str
    latex: str
    says: str
    compute: Callable[..., Any]


def in_range(function: Callable[P, R]) -> Callable[P, R]:
    """A formula that answers numbers which grow too large with an error of ours, not with
    infinity and a warning.
    """

    @wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        with np.errstate(over="ignore", invalid="ignore"):
            try:
                result = function(*args, **kwargs)
            except np.linalg.LinAlgError as error:
                raise too_large(np.float64) from error
        check_range(np.asarray(result))
        return result

    return checked
