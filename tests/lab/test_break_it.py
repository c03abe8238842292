"""The bench for broken layers: every mistake is caught by a check that is shown, and nothing is
found where none is.
"""

from __future__ import annotations

import pytest

from attention_lab.masks.mistake_checks import NO_MISTAKE, examine_layer
from attention_lab.masks.mistakes import MISTAKES, hidden_mistake
from attention_lab.scenario import Scenario

SCENARIOS = {
    "default": Scenario(),
    "causal": Scenario(mask="causal"),
    "prime": Scenario(text="we like tea and cake", d_model=21, n_heads=3),
}


@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.parametrize("mistake", [mistake.key for mistake in MISTAKES])
def test_every_mistake_is_caught(name: str, mistake: str) -> None:
    layer = examine_layer(SCENARIOS[name], mistake, masked=True)
    failed = {key for key, result in layer.results.items() if not result.passed}
    assert "reference" in failed
    assert (failed > {"reference"}) == (mistake != "scale")
    assert layer.first_wrong_field is not None


@pytest.mark.parametrize("name", SCENARIOS)
def test_no_mistake_fails_no_check(name: str) -> None:
    layer = examine_layer(SCENARIOS[name], NO_MISTAKE)
    assert all(result.passed for result in layer.results.values())
    assert layer.first_wrong_field is None


def test_a_mask_is_added_only_where_there_is_none() -> None:
    assert examine_layer(SCENARIOS["default"], "mask").right.mask is None
    hidden = examine_layer(SCENARIOS["default"], "mask", masked=True).right.hidden_keys[0, 0]
    assert hidden.tolist() == [11 - t for t in range(12)]
    window = Scenario(mask="window", window=1)
    assert examine_layer(window, "mask", masked=True).right.hidden_keys.max() == 10


def test_rounds_of_spot_the_mistake() -> None:
    found = [hidden_mistake(number).key for number in range(60)]
    assert set(found) == {mistake.key for mistake in MISTAKES}
    assert found == [hidden_mistake(number).key for number in range(60)]
    assert found[:8] != [mistake.key for mistake in MISTAKES]
