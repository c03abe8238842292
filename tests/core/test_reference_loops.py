"""The NumPy engine against plain Python loops: every intermediate, every option, any layer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given

from attention_core import STEPS, Projections, Trace, attend
from attention_core.projections import BIASES, MATRICES
from tests.core.random_layers import Layer, calls
from tests.core.reference_loops import attend_loops
from tests.core.trace_cases import CASES, arguments

TOLERANCE = {"float64": 1e-12, "float32": 1e-5}


def loops(x: np.ndarray, p: Projections, **call: Any) -> dict[str, Any]:
    """The reference's record for the arguments of `attend`."""
    weights = {name: getattr(p, name) for name in MATRICES + BIASES}
    lists = {name: array.tolist() for name, array in weights.items() if array is not None}
    n_keys = call.get("memory", x).shape[1]
    shapes: dict[str, Any] = {"sink": p.n_heads}
    shapes |= dict.fromkeys(("mask", "bias"), (len(x), p.n_heads, x.shape[1], n_keys))
    for name in call.keys() & {"mask", "bias", "sink"}:
        call[name] = np.broadcast_to(call[name], shapes[name]).tolist()
    if "memory" in call:
        call["memory"] = call["memory"].tolist()
    for name in call.keys() & {"rotary", "head_norm"}:
        call[name] = dict(vars(call[name]))
    for gain in call.get("head_norm", {}).keys() & {"query_gain", "key_gain"}:
        call["head_norm"][gain] = np.broadcast_to(call["head_norm"][gain], p.d_k).tolist()
    heads = {"n_heads": p.n_heads, "n_kv_heads": p.groups}
    return attend_loops(x.tolist(), lists | heads, **call)


def assert_agrees(trace: Trace, reference: dict[str, Any], dtype: str) -> None:
    """Every field has the reference's shape and values, in the dtype of the inputs."""
    assert list(reference) == list(trace.steps)
    for field, nested in reference.items():
        actual, expected = getattr(trace, field), np.array(nested)
        assert actual.shape == expected.shape, field
        assert actual.dtype == dtype, field
        finite = np.abs(expected[np.isfinite(expected)])
        tolerance = TOLERANCE[dtype] * max(1.0, finite.max(initial=0.0))
        np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance, err_msg=field)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("name", CASES)
def test_every_field_equals_the_loops(name: str, dtype: str) -> None:
    x, p, call = arguments(name, dtype)
    call.pop("empty_rows", None)
    assert_agrees(attend(x, p, **call), loops(x, p, **call), dtype)


@given(calls())
def test_any_layer_equals_the_loops(call: tuple[Layer, dict[str, Any]]) -> None:
    layer, options = call
    expected = loops(layer.x, layer.projections, memory=layer.memory, **options)
    assert_agrees(layer.run(**options), expected, "float64")


def test_every_step_has_a_reference() -> None:
    x, p, call = arguments("everything", "float64")
    assert list(loops(x, p, **call)) == list(STEPS)
