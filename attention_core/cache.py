"""Results that are kept: equal arguments give the same object."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import is_dataclass
from functools import wraps
from itertools import count
from threading import Lock
from typing import Any, Generic, ParamSpec, TypeVar
from weakref import WeakSet

import numpy as np

P = ParamSpec("P")
R = TypeVar("R")

# Of one function. A layer of the app's largest sizes takes 42 MB, one of its usual sizes 30 kB.
MOST_BYTES = 128 * 2**20
MOST_BYTES_OF_ALL = 4 * MOST_BYTES


def cached(most: int, most_bytes: int = MOST_BYTES) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Keep the results last asked for: so many, and no more bytes in their arrays, but always the
    last one. All functions together keep `MOST_BYTES_OF_ALL`.

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
    """The results of one function, the one last asked for at the end."""

    def __init__(self, most: int, most_bytes: int) -> None:
        self.most, self.most_bytes = most, most_bytes
        self.results: OrderedDict[Hashable, _Result[R]] = OrderedDict()
        self.n_bytes = 0
        _everything.add(self)

    def known(self, key: Hashable) -> R:
        """Raises: KeyError for what is not kept, TypeError for a key that cannot be looked up."""
        with _lock:
            self.results.move_to_end(key)
            result = self.results[key]
            result.asked = next(_count)
            return result.value

    def add(self, key: Hashable, value: R) -> R:
        """Keep a result, and give it, or the one that another thread has added meanwhile."""
        new = _Result(value, n_bytes(value))
        with _lock:
            result = self.results.setdefault(key, new)
            result.asked = next(_count)
            self.results.move_to_end(key)
            self.n_bytes += new.n_bytes if result is new else 0
            while len(self.results) > 1 and (
                len(self.results) > self.most or self.n_bytes > self.most_bytes
            ):
                self.drop()
            _make_room()
        return result.value

    def drop(self) -> None:
        """Forget the result that was not asked for the longest."""
        self.n_bytes -= self.results.popitem(last=False)[1].n_bytes

    def oldest(self) -> int:
        """When the result that was not asked for the longest was asked for last."""
        return next(iter(self.results.values())).asked


class _Result(Generic[R]):
    """A result, its bytes, and when it was asked for last, as a running number."""

    def __init__(self, value: R, n_bytes: int) -> None:
        self.value, self.n_bytes, self.asked = value, n_bytes, 0


_lock = Lock()
_count = count()
_everything: WeakSet[_Kept[Any]] = WeakSet()


def _make_room() -> None:
    """Drop what nobody has asked for the longest, of whichever function, till all fit; the last one
    stays.
    """
    full = [kept for kept in _everything if kept.results]
    while sum(kept.n_bytes for kept in full) > MOST_BYTES_OF_ALL:
        if sum(len(kept.results) for kept in full) == 1:
            break
        min(full, key=_Kept.oldest).drop()
        full = [kept for kept in full if kept.results]
