"""The stored training runs are those of the code as it is."""

from __future__ import annotations

import numpy as np

from attention_lab.labs.stored_runs import STORED_FILE, STORED_SETTINGS, stored_runs
from attention_lab.labs.training_settings import TrainingSettings
from scripts.make_training_runs import arrays_to_store


def test_training_again_gives_what_is_stored() -> None:
    with np.load(STORED_FILE) as stored:
        again = arrays_to_store()
        assert set(stored.files) == set(again)
        for name in stored.files:
            np.testing.assert_allclose(stored[name], again[name], rtol=1e-4, atol=1e-5)


def test_a_stored_run_is_whole_and_small() -> None:
    for name, settings in STORED_SETTINGS.items():
        run = stored_runs()[name]
        for points in (run.losses, run.points):
            assert (points[0][0], points[-1][0]) == (0, settings.last_step)
    assert TrainingSettings() in STORED_SETTINGS.values()
    assert STORED_FILE.stat().st_size < 50_000
