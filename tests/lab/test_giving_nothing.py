"""A row that wants to give nothing, against the engine's own sink."""

from __future__ import annotations

import numpy as np
import pytest

from attention_core import Projections, attend
from attention_lab.scenario import Scenario, trace_of
from attention_lab.story.scores import GATES, LOWERED, given_by


@pytest.mark.parametrize("mask", ["none", "causal"])
def test_a_sink_takes_what_the_engine_says(mask: str) -> None:
    trace = trace_of(Scenario(n_heads=2, mask=mask))
    for head, query in ((0, 3), (1, 7)):
        found = given_by(trace, head, query)
        for one, lowered in zip(found, LOWERED, strict=True):
            # Lowering all scores by a number is a sink with the number as its logit.
            again = attend(
                trace.inputs[0], trace.projections, causal=mask == "causal", sink=lowered
            )
            assert one.with_sink == pytest.approx(again.probabilities[0, head, query].sum())
            assert one.alone == pytest.approx(1, abs=1e-15)
        shares = [one.with_sink for one in found]
        assert shares == sorted(shares, reverse=True)
        length = np.linalg.norm(trace.head_outputs[0, head, query])
        np.testing.assert_allclose([one.gated for one in found], np.array(GATES) * length)


def test_a_row_without_keys_has_nothing_to_give() -> None:
    trace = attend(np.eye(2), Projections.weightless(2), mask=[[False, False], [True, True]])
    assert given_by(trace, 0, 0) == ()
