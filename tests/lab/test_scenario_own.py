"""Own matrices and edits of a scenario: the sizes they decide, and what they leave alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attention_core import AttentionError
from attention_lab.choices import WEIGHT_KINDS, resolve
from attention_lab.scenario import trace_of
from attention_lab.user_data.edits import Edit, Edits
from attention_lab.user_data.user_matrices import UserMatrices
from tests.lab.refusal import Facts, refused
from tests.lab.scenario_cases import SMALL, same


def test_own_matrices_decide_the_sizes() -> None:
    rng = np.random.default_rng(3)
    shapes = {"x": (5, 7), "w_q": (7, 22), "w_k": (7, 22), "w_v": (7, 26), "w_o": (26, 7)}
    own = UserMatrices(**{name: rng.normal(size=shape) for name, shape in shapes.items()})
    for weights in (weights for weights in WEIGHT_KINDS if weights != "trained"):
        trace = trace_of(replace(SMALL, own=own.url_value(), weights=weights, d_k=3))
        assert {axis: trace.sizes[axis] for axis in "HTDKV"} == {
            "H": 2,
            "T": 5,
            "D": 7,
            "K": 11,
            "V": 13,
        }
        assert (trace.inputs[0] == own.x).all()
        assert all(
            (getattr(trace.projections, name) == matrix).all()
            for name, matrix in own.weights.items()
        )


def test_one_own_matrix_keeps_the_rest() -> None:
    own = UserMatrices(w_q=np.ones((7, 22)))
    scenario = replace(SMALL, own=own.url_value(), d_v=13)
    trace, plain = trace_of(scenario), trace_of(replace(SMALL, d_model=7, d_k=11, d_v=13))
    assert (trace.projections.w_q == 1).all()
    assert all(same(trace, plain, name) for name in ("inputs", "keys", "values"))
    assert resolve(scenario) == replace(scenario, d_model=7, d_k=11)
    assert resolve(SMALL) is SMALL


def test_edits_come_on_top_of_own_matrices() -> None:
    own = UserMatrices(w_v=np.ones((6, 6)))
    edits = Edits((Edit("w_v", 1, 2, 5.0), Edit("x", 3, 4, 0.5)))
    before = trace_of(replace(SMALL, own=own.url_value()))
    after = trace_of(replace(SMALL, own=own.url_value(), edits=edits.url_value()))
    assert np.argwhere(after.projections.w_v != before.projections.w_v).tolist() == [[1, 2]]
    assert np.argwhere(after.inputs[0] != before.inputs[0]).tolist() == [[3, 4]]
    assert (after.projections.w_v[1, 2], after.inputs[0, 3, 4]) == (5.0, 0.5)


@pytest.mark.parametrize(
    ("changes", "facts"),
    [
        ({"edits": "wq_0_0_nan"}, ("value", "wq_0_0_nan")),
        ({"own": "!"}, ("matrices",)),
        ({"own": UserMatrices(w_q=np.ones((6, 9))).encode()}, (2, "heads")),
        ({"edits": ".gone"}, ("state file",)),
    ],
)
def test_bad_edits_and_matrices_are_named(changes: dict[str, Any], facts: Facts) -> None:
    with refused(AttentionError, *facts):
        trace_of(replace(SMALL, **changes))
