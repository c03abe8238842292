"""The notations that are tested, and a layer with sizes that differ."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attention_core import Projections, Trace, attend
from attention_lab.notation.texts import DOSHI, GML, MQL5, NOTATIONS, NOTE, SLIDES

B, T, S, D, M, K, V, H, G = 2, 3, 5, 7, 11, 13, 17, 6, 3
TEXTS = (GML, MQL5, DOSHI, SLIDES, NOTE)
ALL = pytest.mark.parametrize("notation", NOTATIONS.values(), ids=NOTATIONS)


def a_trace(*, cross: bool = False, d_model: int = D, **weights: Any) -> Trace:
    """Self-attention, or attention over a memory, every axis another prime (but the heads)."""
    rng = np.random.default_rng(3)
    made = {"d_k": K, "d_v": V, "d_memory": M if cross else d_model} | weights
    memory = rng.normal(size=(B, S, M)) if cross else None
    return attend(
        rng.normal(size=(B, T, d_model)), Projections.random(d_model, H, **made), memory=memory
    )
