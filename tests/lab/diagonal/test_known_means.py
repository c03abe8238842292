"""What breaks diagonal dominance, what brings it back: 32 tokens of 32 features against known
means of 300 draws.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attention_lab.diagonal.measures import self_attention_of
from attention_lab.diagonal.metrics import measure_diagonal
from attention_lab.diagonal.settings import DiagonalSettings, trace_of_settings

BASE = DiagonalSettings(tokens="drawn", n_tokens=32, d_model=32)
DRAWS, KNOWN_DRAWS = 40, 300
COLUMNS = (
    *("self_mass", "argmax_rate", "mean_margin", "mean_log_cross_ratio"),
    *("majority_rate", "violation_rate"),
)

# The case, then the columns; None where no value is known.
TABLE: list[tuple[dict[str, Any], tuple[float | None, ...]]] = [
    ({}, (0.792, 1, 3.62, 11.3, 0.924, 0)),
    ({"scaled": False}, (1, 1, 20.4, 63.9, 1, 0)),
    ({"temperature": 0.25}, (0.999, 1, 14.5, 45, 1, 0)),
    ({"layer_norm": True}, (0.8485, 1, 3.61, 11.3, 1, 0)),  # the one-line rule
    ({"positions": "added"}, (0.840, 0.999, 3.83, 13.1, 0.947, 0)),
    ({"causal": True}, (0.880, 1, 4.05, None, 0.976, 0)),
    ({"weights": "free"}, (0.032, 0.03, -2, 0, 0.001, 0.32)),
    ({"weights": "tied"}, (0.698, 0.992, 2.8, 11.3, 0.77, 0)),
    ({"weights": "tied", "d_k": 1}, (0.072, 0.062, -0.6, 2.0, 0.02, 0.041)),
    ({"weights": "angle", "angle": 60.0}, (0.276, 0.696, 0.6, 5.7, None, 0.002)),
    ({"weights": "angle", "angle": 180.0}, (0, 0, -8.5, -11.3, None, 0.99)),
    ({"weights": "tied orthonormal", "d_k": 8}, (0.291, 0.790, None, None, None, 0)),
]


def printed_to(value: float) -> float:
    """Half of a unit of the last printed place: three places for shares, one or two for logits."""
    return 0.0005 if abs(value) < 1 else 0.05 if abs(value) < 30 else 0.5


@pytest.mark.parametrize(("case", "known"), TABLE, ids=[str(case) for case, _ in TABLE])
def test_table_of_what_breaks_it(case: dict[str, Any], known: tuple[float | None, ...]) -> None:
    numbers = [
        measure_diagonal(self_attention_of(trace_of_settings(replace(BASE, seed=seed, **case))))
        for seed in range(DRAWS)
    ]
    for name, expected in zip(COLUMNS, known, strict=True):
        if expected is None:
            continue
        values = np.array([row[name] for row in numbers], dtype=float)
        spread = values.std(ddof=1) * np.sqrt(1 / DRAWS + 1 / KNOWN_DRAWS)
        rounding = 0.005 if name.endswith("_rate") else printed_to(expected)
        assert abs(values.mean() - expected) <= 3 * spread + rounding, name
