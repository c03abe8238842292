"""The bench for broken layers: every fault is caught by a check that is shown, and nothing is
found where none is.
"""

from __future__ import annotations

import pytest

from attention_lab.masks.bench import NO_FAULT, examined
from attention_lab.masks.faults import FAULTS, hidden_fault
from attention_lab.scenario import Scenario

SCENARIOS = {
    "default": Scenario(),
    "causal": Scenario(mask="causal"),
    "prime": Scenario(text="we like tea and cake", d_model=21, n_heads=3),
}


@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.parametrize("fault", [fault.key for fault in FAULTS])
def test_every_fault_is_caught(name: str, fault: str) -> None:
    """Under a mask every fault fails a check besides the comparison with the reference, but for
    the scale.
    """
    layer = examined(SCENARIOS[name], fault, masked=True)
    failed = {key for key, verdict in layer.verdicts.items() if not verdict.passed}
    assert "reference" in failed
    assert (failed > {"reference"}) == (fault != "scale")
    assert layer.differs_from is not None


@pytest.mark.parametrize("name", SCENARIOS)
def test_no_fault_fails_no_check(name: str) -> None:
    """The right layer passes all checks and differs nowhere."""
    layer = examined(SCENARIOS[name], NO_FAULT)
    assert all(verdict.passed for verdict in layer.verdicts.values())
    assert layer.differs_from is None


def test_a_mask_is_added_only_where_there_is_none() -> None:
    """A scenario with a mask keeps its own; without the wish for one none is added."""
    assert examined(SCENARIOS["default"], "mask").right.mask is None
    hidden = examined(SCENARIOS["default"], "mask", masked=True).right.hidden_keys[0, 0]
    assert hidden.tolist() == [11 - t for t in range(12)]
    window = Scenario(mask="window", window=1)
    assert examined(window, "mask", masked=True).right.hidden_keys.max() == 10


def test_rounds_of_spot_the_bug() -> None:
    """Every fault comes up within a few dozen rounds, equal rounds have equal faults, and they
    do not go in order.
    """
    found = [hidden_fault(number).key for number in range(60)]
    assert set(found) == {fault.key for fault in FAULTS}
    assert found == [hidden_fault(number).key for number in range(60)]
    assert found[:8] != [fault.key for fault in FAULTS]
