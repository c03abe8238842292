"""Modules of PyTorch as it saved them, without PyTorch."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from attention_core import Projections, attend

with np.load(Path(__file__).resolve().parents[1] / "data" / "torch_modules.npz") as file:
    GOLDEN = dict(file)


@pytest.mark.parametrize("name", ["fused", "no_bias", "separate", "sequence_first"])
def test_a_module_gives_what_pytorch_gave(name: str) -> None:
    start = f"{name}/state/"
    state = {key.removeprefix(start): GOLDEN[key] for key in GOLDEN if key.startswith(start)}
    n_heads = int(GOLDEN[f"{name}/num_heads"])
    layer = Projections.from_torch(SimpleNamespace(state_dict=lambda: state, num_heads=n_heads))
    found = attend(GOLDEN[f"{name}/x"], layer, memory=GOLDEN[f"{name}/memory"])
    np.testing.assert_allclose(found.output, GOLDEN[f"{name}/output"], rtol=0, atol=1e-13)
