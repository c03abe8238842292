"""How far shares differ from others: known values."""

from __future__ import annotations

import math

import numpy as np
import pytest

from attention_core import Projections, attend
from attention_lab.heads.reruns import rerun
from attention_lab.heads.similarity import jensen_shannon, mean_head_divergence


def test_a_divergence_by_hand() -> None:
    half = -(0.75 * math.log(0.75) + 0.25 * math.log(0.25)) - math.log(2) / 2
    rows = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
    found = jensen_shannon(np.broadcast_to(rows[0], (3, 2)), rows)
    assert found == pytest.approx([0, half, math.log(2)], abs=1e-12)


def test_a_head_that_reads_another_token_is_1_apart() -> None:
    x = 30 * np.eye(2)
    trace = attend(x, Projections.weightless(2))
    assert mean_head_divergence(trace, rerun(trace, scale=-1.0)) == pytest.approx(1.0)
