"""Pictures as JSON: what plotly.js reads in the browser."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

# Element types that plotly.js reads from base64; other arrays travel as lists.
TYPES = ("|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<f4", "<f8")


def packed(part: Any) -> Any:
    """A part of a figure with its arrays as plotly.js reads them from JSON.

    >>> packed({"z": np.zeros((1, 2), "f4"), "name": "z"})
    {'z': {'dtype': 'f4', 'bdata': 'AAAAAAAAAAA=', 'shape': '1, 2'}, 'name': 'z'}
    """
    if isinstance(part, dict):
        return {key: packed(value) for key, value in part.items()}
    if isinstance(part, list) and part and isinstance(part[0], dict):
        return [packed(item) for item in part]
    if not isinstance(part, np.ndarray):
        return part
    if part.dtype.str not in TYPES or not part.size:
        return part.tolist()
    array = {"dtype": part.dtype.str[1:], "bdata": base64.b64encode(part.tobytes()).decode("ascii")}
    return array | ({"shape": str(part.shape)[1:-1]} if part.ndim > 1 else {})
