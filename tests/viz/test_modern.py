"""The boards of today's variants hold what was computed."""

from __future__ import annotations

import numpy as np
import pytest

from attention_lab.diagonal.modern.delta_rule import DeltaRule, corrections, unit_vectors
from attention_lab.diagonal.modern.variants import VARIANTS, weightless_vectors
from attention_viz.diagonal.modern import delta_board, variants_board
from tests.viz.reading_scenes import sent, worked_out

X = np.random.default_rng(0).normal(size=(5, 3))
LABELS = ("we", "like", "green", "tea", "today")


def test_every_variant_has_its_board() -> None:
    runs = [(one, one.run(weightless_vectors(X), one.usual)) for one in VARIANTS]
    board = variants_board(runs, LABELS, ("sink", 2, 1))
    assert [panel["array"] for panel in board["panels"]] == [one.key for one in VARIANTS]
    assert board["cell"] == {"array": "sink", "index": [2, 1]}
    for one, looks in runs:
        np.testing.assert_allclose(sent(board, one.key), looks.weights, atol=1e-6)
        assert (one.key in board["rules"]) == (looks.scores is not None)
    assert board["rules"]["sink"]["adds"] == [{"array": "sink", "at": [{"parts": []}] * 2}]


@pytest.mark.parametrize("decay", [1.0, 0.5])
def test_a_step_of_the_delta_rule_adds_up_on_its_board(decay: float) -> None:
    keys, rule = unit_vectors(X), DeltaRule(0.75, decay)
    step = corrections(keys, keys, X, rule)[3]
    board = delta_board(step, rule.beta, "3 tea")
    assert set(board["rules"]) == {"read", "change", "output", "write", "after"}
    for name in board["rules"]:
        shown = sent(board, name)
        made = [worked_out(board, name, index) for index in np.ndindex(shown.shape)]
        np.testing.assert_allclose(shown.ravel(), made, atol=1e-6)
    np.testing.assert_allclose(sent(board, "after"), step.after, atol=1e-6)
    np.testing.assert_allclose(sent(board, "output")[0], step.output, atol=1e-6)
