"""How far heads of low sharpness are from a convolution, and how the error falls with the
sharpness.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from attention_lab.labs.convolution import (
    error_curve,
    expected_error,
    leaked_attention,
    run_convolution,
)
from attention_lab.labs.convolution_heads import PADDINGS
from tests.lab.labs.convolution_cases import IMAGE, KERNEL, RNG, W


@pytest.mark.parametrize("padding", PADDINGS)
def test_heads_of_low_sharpness_differ(padding: str) -> None:
    assert run_convolution(IMAGE, KERNEL, 2.0, padding).largest_error > 0.3


@pytest.mark.parametrize(
    ("sharpness", "share"),
    [(0.25, 0.087), (1, 0.318), (2, 0.619), (4, 0.931), (8, 0.99866), (12, 0.999975)],
)
def test_the_smallest_share_of_a_target(sharpness: float, share: float) -> None:
    run = run_convolution(RNG.random((6, 6, 1)), KERNEL, sharpness, "nothing")
    assert run.target_share == pytest.approx(share, abs=6e-4)
    theta = 1 + 2 * sum(math.exp(-sharpness * k * k) for k in range(1, 30))
    assert run.target_share >= theta**-2 - 1e-15


def test_leaked_attention() -> None:
    assert (
        leaked_attention(3.0, "frame", (6, 6))
        == leaked_attention(3.0, "nothing", (6, 6))
        == pytest.approx(4 * math.exp(-3), rel=1e-15)
    )
    assert leaked_attention(3.0, "sink", (6, 6)) == pytest.approx(math.exp(-1.5), rel=1e-15)
    assert leaked_attention(3.0, "circular", (6, 6)) == pytest.approx(4 * math.exp(-1.5), rel=1e-12)
    assert leaked_attention(3.0, "circular", (2, 6)) == pytest.approx(
        math.exp(-6) + 2 * math.exp(-1.5), rel=1e-12
    )
    assert leaked_attention(3.0, "circular", (1, 1)) == 0


@pytest.mark.parametrize("padding", PADDINGS)
def test_the_error_falls_along_its_line(padding: str) -> None:
    sharpnesses = [6.0, 9.0, 12.0]
    errors = np.array(error_curve(IMAGE, KERNEL, sharpnesses, padding))
    bounds = [expected_error(IMAGE, KERNEL, alpha, padding) for alpha in sharpnesses]
    assert (errors < bounds).all()
    assert (errors > np.array(bounds) / 6).all()
    decay = -np.diff(np.log(errors)) / np.diff(sharpnesses)
    gap = {"sink": 0.5, "circular": 1 - math.cos(2 * math.pi / W)}.get(padding, 1.0)
    np.testing.assert_allclose(decay, gap, atol=0.12)
