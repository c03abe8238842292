"""The frozen gradients of PyTorch 2.13, made by scripts/make_gradient_golden.py."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

DATA = Path(__file__).resolve().parents[2] / "data"
RECORD: dict[str, Any] = json.loads((DATA / "gradient_golden.json").read_text(encoding="utf-8"))
TOLERANCE = 1e-10


@cache
def stored_arrays() -> dict[str, np.ndarray]:
    """All frozen arrays by key."""
    with np.load(DATA / "gradient_golden.npz", allow_pickle=False) as archive:
        return dict(archive)


def arrays(case: dict[str, Any], group: str) -> dict[str, np.ndarray]:
    """The inputs of a case, or the results of PyTorch."""
    return {name: stored_arrays()[key] for name, key in case[group].items()}
