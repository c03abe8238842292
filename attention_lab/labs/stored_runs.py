"""Three runs of one task, computed beforehand, so that the page *Training* can answer at once.

`training_runs.npz` holds their losses and some of their weights, in 32 bits a number.
`scripts/make_training_runs.py` makes it; a test trains again and compares.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from attention_core.checks import Array
from attention_core.projections import Projections

from .loss_curves import LossPoint
from .training import TRAINED_ARRAYS
from .training_settings import WIDE_MODEL, TrainingSettings

STORED_FILE = Path(__file__).with_name("training_runs.npz")
N_STORED_POINTS = 11  # of a run: at its start and after each tenth
_ONE, _TWO = TrainingSettings(n_heads=1), TrainingSettings(n_heads=2)
_WIDE = TrainingSettings(n_heads=1, d_k=_ONE.training_task.wide[0], d_v=_ONE.training_task.wide[1])
# One head, one head with as many numbers as two, and two heads.
STORED_SETTINGS = {"1 head": _ONE, WIDE_MODEL: _WIDE, "2 heads": _TWO}


@dataclass(frozen=True, eq=False)
class StoredRun:
    """A finished run. losses: of every checkpoint. points: the weights at some steps, the last one
    included.
    """

    losses: list[LossPoint]
    points: list[tuple[int, Projections]]


@cache
def stored_runs() -> dict[str, StoredRun]:
    """The stored runs by the names of `STORED_SETTINGS`."""
    with np.load(STORED_FILE, allow_pickle=False) as file:
        arrays = {name: file[name].astype(np.float64) for name in file.files}
    return {name: _run(settings, name, arrays) for name, settings in STORED_SETTINGS.items()}


def _run(settings: TrainingSettings, name: str, arrays: dict[str, Array]) -> StoredRun:
    weights: dict[str, Any] = {array: arrays[f"{name}/{array}"] for array in TRAINED_ARRAYS}
    points = []
    for place in range(N_STORED_POINTS):
        kept = {array: stacked[place] for array, stacked in weights.items()}
        step = settings.last_step * place // (N_STORED_POINTS - 1)
        points.append((step, Projections(**kept, n_heads=settings.n_heads)))
    losses = [(int(step), float(loss)) for step, loss in arrays[f"{name}/losses"]]
    return StoredRun(losses, points)
