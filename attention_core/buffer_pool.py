"""Memory of large arrays that nobody reads any longer, kept for the next arrays of the same size.

The system takes large arrays back when they are dropped and clears every fresh page before it hands
it out: for the scores of the trained encoder, 226 MB at 512 tokens, that is up to a third of the
time of a run.
"""

from __future__ import annotations

import math
import weakref
from collections import deque
from functools import cache

import numpy as np
from numpy.typing import DTypeLike

from .checks import Array
from .errors import SettingsError

MIB = 2**20
# Smaller arrays the C library keeps by itself; the largest are four arrays of scores of 12 heads
# and 512 tokens.
MIN_POOLED_BYTES, MAX_POOLED_BYTES = MIB, 48 * MIB
MAX_KEPT_BUFFERS = 8  # the scores of six layers, what stands between them, and one more

# Threads may take and give at any moment, the collector too: of a deque, both are one indivisible
# step.
_spare: deque[memoryview] = deque(maxlen=MAX_KEPT_BUFFERS)


def pooled_array(shape: tuple[int, ...], dtype: DTypeLike) -> Array:
    """An array whose numbers are still to be written, like `numpy.empty`.

    Its memory is used again when the array and all its views are gone, never before. Raises:
    SettingsError where there is none left.

    >>> pooled_array((2, 3), np.float32).shape
    (2, 3)
    """
    size = math.prod(shape) * np.dtype(dtype).itemsize
    if not MIN_POOLED_BYTES <= size <= MAX_POOLED_BYTES:
        return _empty(shape, dtype)
    memory = _pop_spare(size) or _allocate(size)
    # Every view keeps this array alive: looking for the owner of its numbers, NumPy stops before a
    # memoryview.
    array = np.frombuffer(memory, dtype)
    weakref.finalize(array, _spare.append, memory).atexit = False
    return array.reshape(shape)


def _empty(shape: tuple[int, ...], dtype: DTypeLike) -> Array:
    try:
        return np.empty(shape, dtype)
    except MemoryError as error:
        sizes = " × ".join(map(str, shape))
        raise SettingsError(
            f"this machine has no memory for {sizes} numbers: choose fewer tokens or heads"
        ) from error


def _allocate(size: int) -> memoryview:
    """Memory from the system."""
    _keep_small_arrays()
    return np.empty(size, np.uint8).data


@cache
def _keep_small_arrays() -> None:
    """Once: take 31 MiB and give them back, unread.

    glibc keeps for itself blocks up to the largest it was ever given back, 32 MiB at most. Large
    arrays no longer go back; without this the smaller ones between them would, 1.25 times the run
    time for 8 sequences of 128 tokens.
    Source: mallopt(3), M_MMAP_THRESHOLD.
    """
    np.empty(31 * MIB, np.uint8)


def _pop_spare(size: int) -> memoryview | None:
    """Kept memory of exactly this size, which from now on is the caller's alone; None where
    there is none.
    """
    for _ in range(len(_spare)):
        try:
            memory = _spare.popleft()
        except IndexError:  # another thread was faster
            return None
        if memory.nbytes == size:
            return memory
        _spare.append(memory)
    return None
