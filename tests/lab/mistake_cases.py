"""A layer with every option that a mistake can concern, and the checks that a mistake fails."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from attention_core import Projections, Trace, attend
from attention_lab.masks.mistake_checks import run_checks
from attention_lab.masks.mistakes import MISTAKES, ReplacedSteps

T, D, H, K, V = 7, 15, 3, 5, 2
EMPTY_ROWS = st.sampled_from(["zero", "nan"])
every_mistake = pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.key)


def causal(**sizes: Any) -> Trace:
    """A causal layer with every axis another number."""
    sizes = {"n_heads": H, "d_k": K, "d_v": V} | sizes
    return attend(
        np.random.default_rng(2).normal(size=(2, T, D)), Projections.random(D, **sizes), causal=True
    )


def failed(trace: Trace, steps: ReplacedSteps) -> set[str]:
    """The checks that a layer does not pass."""
    return {key for key, verdict in run_checks(trace, steps).items() if not verdict.passed}
