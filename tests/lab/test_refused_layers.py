"""Imported layers that cannot be shown are refused, and the advice helps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attention_core import AttentionError, FileError, Projections, SettingsError, ShapeError
from attention_core.projections import BIASES, MATRICES
from attention_lab.scenario import Scenario, trace_of
from attention_lab.user_data.layer_import import import_layer
from attention_lab.user_data.user_matrices import UserMatrices
from tests.lab.refusal import Facts, refused

TEXT = "one two three four five"


@pytest.mark.parametrize(
    ("layer", "kind", "facts"),
    [
        (
            Projections.random(768, 12),
            SettingsError,
            ("features", 768, 512),
        ),
        (Projections.random(34, 17), SettingsError, ("heads", 17, 16)),
        (
            Projections.random(8, 2, d_k=129),
            SettingsError,
            ("head", 129, 128),
        ),
        (Projections.random(8, 1, d_v=129), SettingsError, ("head", 129, 128)),
        (
            Projections.random(4096, 32, d_k=1, d_v=1),
            SettingsError,
            ("features", 4096, 512, "heads", 32, 16),
        ),
        (
            replace(Projections.random(8, 2), w_o=np.ones((8, 513))),
            SettingsError,
            ("features", 513, 512),
        ),
        (
            Projections.random(8, 2, d_memory=6),
            ShapeError,
            (8, 6),
        ),
        (Projections.weightless(8, 2), ShapeError, ("W_O",)),
    ],
)
def test_layers_that_are_refused(
    layer: Projections, kind: type[AttentionError], facts: Facts
) -> None:
    with refused(kind, *facts):
        import_layer(layer)


def test_numbers_that_are_not_finite_are_refused() -> None:
    with refused(FileError, "nan"):
        import_layer(Projections.random(8, 2), np.full((2, 8), np.nan))


def test_the_largest_layer_fits() -> None:
    layer = Projections.random(512, 16, bias=True).astype(np.float32)
    own = UserMatrices.from_url(import_layer(layer).url_value())
    assert own.sizes(16) == {"d_model": 512, "d_k": 32, "d_v": 32}
    assert all(np.array_equal(own.arrays[name], getattr(layer, name)) for name in MATRICES + BIASES)


@pytest.mark.parametrize(
    ("changes", "own", "facts", "remedies"),
    [
        (
            {"weights": "orthonormal"},
            {"w_q": (4, 64)},
            ("W_Q", 64, "d_k", 32, 2, 4, 8),
            [
                {"weights": "random"},
                {"own": UserMatrices(w_q=np.ones((4, 8))).encode()},
                {"own": ""},
            ],
        ),
        (
            {"weights": "orthonormal"},
            {"b_v": (14,)},
            ("b_V", 14, "d_v", 7, 2),
            [{"weights": "tied"}, {"own": UserMatrices(b_v=np.ones(12)).encode()}],
        ),
        (
            {"residual": True},
            {"w_o": (6, 5)},
            ("Residual", 6, 5, "W_O"),
            [{"residual": False}, {"own": UserMatrices(w_o=np.ones((6, 6))).encode()}],
        ),
    ],
)
def test_what_is_advised_beside_own_matrices_helps(
    changes: dict[str, Any], own: dict[str, Any], facts: Facts, remedies: list[dict[str, Any]]
) -> None:
    given: dict[str, Any] = {name: np.ones(shape) for name, shape in own.items()}
    scenario = replace(
        Scenario(text=TEXT, d_model=6, n_heads=2), own=UserMatrices(**given).encode(), **changes
    )
    with refused(ShapeError, *facts):
        trace_of(scenario)
    for remedy in remedies:
        assert trace_of(replace(scenario, **remedy))
