"""A cache of results: equal arguments give the same object.

All caches of the process share one budget in bytes, `CACHE_BYTES`. When it is spent, the result
that was not asked for the longest goes first, whichever cache it is in.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import is_dataclass
from functools import wraps
from threading import Lock
from typing import Any, Generic, ParamSpec, TypeVar, cast

import numpy as np

P = ParamSpec("P")
R = TypeVar("R")
K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

# For all caches together. A layer of the app's largest sizes takes 42 MB, one of its usual sizes
# 30 kB.
CACHE_BYTES = 256 * 2**20
PLAIN = (str, int, float, bool, type(None))  # types without arrays
ENTRY_BYTES = 1024  # what an entry takes besides its arrays


def _nothing(*_: Any) -> AbstractContextManager[None]:
    return nullcontext()


def cached(
    function: Callable[P, R], alone: Callable[..., AbstractContextManager[Any]] = _nothing
) -> Callable[P, R]:
    """Keep the results of a function. alone: what a call with some arguments waits for before it
    computes; who waited for the same result finds it.

    1, 1.0 and True are equal, but only the first is a whole number, so they are kept apart. With
    arguments that cannot be looked up, such as a list, no result is kept.

    >>> @cached
    ... def squares(n: int) -> list[int]:
    ...     return [i * i for i in range(n)]
    >>> squares(3) is squares(3)
    True
    """
    results: Cache[Hashable, R] = Cache()

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        key = (args, tuple(kwargs.items()), *map(type, (*args, *kwargs.values())))
        try:
            return results[key]
        except TypeError:
            return function(*args, **kwargs)
        except KeyError:
            # Not handled here, or errors of the function would be reported as consequences.
            pass
        with alone(*args, *kwargs.values()):
            if (kept := results.get(key)) is not None:
                return kept
            return results.add(key, function(*args, **kwargs))

    return call


class Cache(Generic[K, V]):
    """Values by their keys, which may be dropped when the budget is spent.

    >>> runs = Cache[str, list[float]]()
    >>> runs.add("first", [0.5]) is runs.get("first"), runs.get("second")
    (True, None)
    """

    def __getitem__(self, key: K) -> V:
        """Raises: KeyError for what is not kept, TypeError for a key that cannot be looked up."""
        return cast(V, _shared.get((self, key)))

    def get(self, key: K) -> V | None:
        """What is kept by a key, or None."""
        try:
            return self[key]
        except KeyError:
            return None

    def add(self, key: K, value: V) -> V:
        """Keep a value, and give it, or the one that another thread has added meanwhile. A value
        that has grown is added once more, and counted anew.
        """
        return cast(V, _shared.add((self, key), value))


def n_bytes(result: object) -> int:
    """The bytes of all arrays in a result: an array, a record, a list or a dictionary of them; each
    counts once, and those that were kept out not at all.

    >>> n_bytes({"x": np.zeros(3), "names": ("a", np.zeros((2, 2), np.float32))})
    40
    """
    owners = _owners(result)
    return sum(size for owner, size in owners.items() if owner not in _kept_out)


def keep_out(result: object) -> None:
    """Let arrays that stay as long as the process, such as weights, not count in results that hold
    them.
    """
    _kept_out.update(_owners(result))


_kept_out: set[int] = set()


def _owners(result: object) -> dict[int, int]:
    """The bytes of each array in a result, by the identity of the array that owns them."""
    owners: dict[int, int] = {}
    waiting: list[object] = [result]
    seen: set[int] = set()
    while waiting:
        one = waiting.pop()
        if type(one) in PLAIN:  # most of them
            continue
        if isinstance(one, np.ndarray):
            while isinstance(one.base, np.ndarray):
                one = one.base
            owners[id(one)] = one.nbytes
        elif isinstance(one, dict):
            waiting += one.values()
        elif isinstance(one, (list, tuple)):
            waiting += [part for part in one if type(part) not in PLAIN]
        elif is_dataclass(one) and not isinstance(one, type) and id(one) not in seen:
            seen.add(id(one))
            waiting += vars(one).values()
    return owners


def clear() -> None:
    """Forget all results."""
    _shared.clear()


class _Results:
    """The values of all caches, the one last asked for at the end."""

    def __init__(self) -> None:
        self._values: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._lock = Lock()
        self.n_bytes = 0

    def get(self, key: Hashable) -> Any:
        with self._lock:
            self._values.move_to_end(key)
            return self._values[key][0]

    def add(self, key: Hashable, value: Any) -> Any:
        size = ENTRY_BYTES + n_bytes((key, value))  # arrays in a key count as well
        with self._lock:
            kept, before = self._values.get(key, (value, 0))
            if kept is value:
                self._values[key] = value, size
                self.n_bytes += size - before
            self._values.move_to_end(key)
            while self.n_bytes > CACHE_BYTES and len(self._values) > 1:
                self.n_bytes -= self._values.popitem(last=False)[1][1]
        return kept

    def clear(self) -> None:
        with self._lock:
            self._values.clear()
            self.n_bytes = 0


_shared = _Results()
