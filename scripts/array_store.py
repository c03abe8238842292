"""Arrays for a data file. Equal arrays are stored once: many cases share inputs, weights and first
steps.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np


class ArrayStore:
    """Arrays by a short key; arrays with the same bits share a key."""

    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray] = {}
        self._keys: dict[tuple[str, tuple[int, ...], bytes], str] = {}

    def add(self, array: np.ndarray) -> str:
        """The key under which the array is stored."""
        array = np.asarray(array)
        identity = (array.dtype.str, array.shape, array.tobytes())
        if identity not in self._keys:
            self._keys[identity] = f"a{len(self._keys):04d}"
            self.arrays[self._keys[identity]] = array
        return self._keys[identity]

    def write(self, path: Path) -> None:
        """All arrays as one compressed file, the same bytes on every run."""
        np.savez_compressed(path, **self.arrays)
