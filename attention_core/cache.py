"""Results that are kept: equal arguments give the same object."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import is_dataclass
from functools import wraps
from threading import Lock
from typing import Generic, ParamSpec, TypeVar

import numpy as np

P = ParamSpec("P")
R = TypeVar("R")

# Of one function. A layer of the app's largest sizes takes 42 MB, one of its usual sizes 30 kB.
MOST_BYTES = 128 * 2**20


def remembered(
    most: int, most_bytes: int = MOST_BYTES
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Keep the results last asked for: so many, and no more bytes in their arrays, but always the
    last one.

    1, 1.0 and True are equal, but only the first is a whole number, so they are kept apart. Of
    arguments that cannot be looked up, such as a list, nothing is kept; the function checks them.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        kept: _Kept[R] = _Kept(most, most_bytes)

        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            key = (args, tuple(kwargs.items()), *map(type, (*args, *kwargs.values())))
            try:
                return kept.known(key)
            except TypeError:
                return function(*args, **kwargs)
            except KeyError:
                # not handled here, or errors of the function would be told as consequences of this
                # one
                pass
            return kept.add(key, function(*args, **kwargs))

        return call

    return decorate


def n_bytes(result: object) -> int:
    """The bytes of all arrays in a result: an array, a record, a list or a dictionary of them; each
    counts once.

    >>> n_bytes({"x": np.zeros(3), "names": ("a", np.zeros((2, 2), np.float32))})
    40
    """
    owners: dict[int, int] = {}
    waiting: list[object] = [result]
    while waiting:
        match waiting.pop():
            case np.ndarray() as array:
                while isinstance(array.base, np.ndarray):
                    array = array.base
                owners[id(array)] = array.nbytes
            case dict() as several:
                waiting += several.values()
            case list() | tuple() as several:
                waiting += (one for one in several if not isinstance(one, str))
            case record if is_dataclass(record) and not isinstance(record, type):
                waiting += vars(record).values()
    return sum(owners.values())


class _Kept(Generic[R]):
    """Results and their bytes, the one last asked for at the end."""

    def __init__(self, most: int, most_bytes: int) -> None:
        self.most, self.most_bytes = most, most_bytes
        self.results: OrderedDict[Hashable, tuple[R, int]] = OrderedDict()
        self.lock = Lock()

    def known(self, key: Hashable) -> R:
        """Raises: KeyError for what is not kept, TypeError for a key that cannot be looked up."""
        with self.lock:
            self.results.move_to_end(key)
            return self.results[key][0]

    def add(self, key: Hashable, result: R) -> R:
        """Keep a result, and give it, or the one that another thread has added meanwhile."""
        with self.lock:
            result, _ = self.results.setdefault(key, (result, n_bytes(result)))
            while len(self.results) > 1 and (
                len(self.results) > self.most or self._bytes() > self.most_bytes
            ):
                self.results.popitem(last=False)
        return result

    def _bytes(self) -> int:
        return sum(taken for _, taken in self.results.values())
