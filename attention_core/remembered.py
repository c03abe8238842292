"""Results that are kept: equal arguments give the same object."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def remembered(maxsize: int) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """`lru_cache` for functions that check their arguments: what cannot be kept, such as a list, reaches the check.

    1, 1.0 and True are equal, but only the first is a whole number, so they are kept apart.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        kept = lru_cache(maxsize, typed=True)(function)

        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                hash((args, *kwargs.values()))
            except TypeError:
                return function(*args, **kwargs)
            return kept(*args, **kwargs)  # type: ignore[arg-type]

        return call

    return decorate
