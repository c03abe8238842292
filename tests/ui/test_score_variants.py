"""The topics of additive scores and of one softmax state the numbers of the layer that is shown."""

from __future__ import annotations

import numpy as np
import pytest

from tests.ui.app import facts, opened, page_context, scenes, sent


@pytest.mark.parametrize(
    ("topic", "name"), [("additive scores", "additive"), ("one softmax", "one_softmax")]
)
@pytest.mark.parametrize("mask", ["none", "causal"])
def test_the_board_has_both_shares(topic: str, name: str, mask: str) -> None:
    app = opened("invariances", inv_topic=topic, head=1, query=3, mask=mask)
    other, usual = facts(app)[name].shares, page_context(app).trace.probabilities[0, 1]
    (scene,) = scenes(app)
    shown = [sent(scene["arrays"][panel["array"]]) for panel in scene["panels"]]
    for array, numbers in zip(shown, (usual, other, other - usual), strict=True):
        assert np.allclose(array, numbers, atol=1e-6)


def test_what_a_query_gets() -> None:
    stated = facts(opened("invariances", inv_topic="one softmax", head=2, query=5))
    assert stated["of_query"] == stated["one_softmax"].of_query[5]
    stated = facts(opened("invariances", inv_topic="additive scores"))
    assert stated["largest_scores"][1] == stated["additive"].largest <= stated["additive"].bound
