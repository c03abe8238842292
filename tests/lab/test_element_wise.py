"""The lecture note's element-wise formulas, with the numbers of one query."""

from __future__ import annotations

import re

import numpy as np
import pytest

from attention_lab.notation.element_wise import output_of_element, weights_of_element
from attention_lab.scenario import trace_of
from tests.lab.scenario_cases import SMALL

NUMBER = re.compile(r"-?\d+\.\d{3}")


def test_the_weights_of_one_element() -> None:
    trace = trace_of(SMALL)
    _, line = weights_of_element(trace, head=1, query=2, key=3)
    shown = [0, 1, 3, 5]
    expected = [
        *trace.masked_scores[0, 1, 2][shown],
        *trace.probabilities[0, 1, 2][shown],
    ]
    np.testing.assert_allclose([float(one) for one in NUMBER.findall(line)], expected, atol=6e-4)
    assert line.count(r"\cdots") == 4


@pytest.mark.parametrize("key", [0, 2, 5])
def test_the_output_of_one_element(key: int) -> None:
    trace = trace_of(SMALL)
    *_, line = output_of_element(trace, head=1, query=4, key=key, feature=2)
    *factors, total = (float(one) for one in NUMBER.findall(line))
    shown = sorted({0, 1, key, 5})
    pairs = zip(trace.probabilities[0, 1, 4][shown], trace.values[0, shown, 5], strict=True)
    np.testing.assert_allclose(factors, np.array(list(pairs)).ravel(), atol=6e-4)
    assert total == pytest.approx(trace.head_outputs[0, 1, 4, 2], abs=6e-4)
