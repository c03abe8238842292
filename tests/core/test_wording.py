"""The NumPy lines of every step reproduce it."""

from __future__ import annotations

import numpy as np
import pytest

from tests.core.trace_cases import CASES, ORDER, run


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", CASES)
def test_the_code_of_every_field_reproduces_it(name: str, dtype: str) -> None:
    trace, namespace = run(name, dtype)
    for field in trace.steps:
        with np.errstate(invalid="ignore"):
            exec(trace.code(field), namespace)  # the code under test is text
        expected = getattr(trace, field)
        assert namespace[field].shape == expected.shape, field
        tolerance = 1e-12 if dtype == "float64" else 1e-5
        np.testing.assert_allclose(
            namespace[field], expected, rtol=tolerance, atol=tolerance, err_msg=field
        )
        namespace[field] = expected


@pytest.mark.parametrize("name", CASES)
def test_the_code_names_only_what_the_step_needs(name: str) -> None:
    trace, _ = run(name)
    for field in trace.steps:
        words = set(compile(trace.code(field), field, "exec").co_names)
        assert words & set(ORDER) - {field} <= set(trace.needs(field)), field
