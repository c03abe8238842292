"""One array as a file."""

from __future__ import annotations

import io

import numpy as np

from .checks import Array


def array_to_npy(array: Array) -> bytes:
    """An array with its axes and full precision as an NPY file, which `numpy.load` reads.

    >>> np.load(io.BytesIO(array_to_npy(np.array([[1.5, 2.0]]))))
    array([[1.5, 2. ]])
    """
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()
