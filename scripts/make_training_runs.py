"""Train the runs with which the page *Training* opens, the head of a claim, and layers that do
without one of their matrices, and store them.

Run by hand when the task, the first weights or the training change; it takes some seconds:

    .venv/bin/python -m scripts.make_training_runs

Writes training_runs.npz and circuit_runs.npz in attention_lab/labs/, and
attention_lab/why_three.json. Everything is drawn
from the seed of the settings, so equal code and the NumPy of requirements.txt give equal runs.
"""

import json
from dataclasses import asdict

import numpy as np

from attention_core.checks import Array
from attention_lab.labs.circuit import CIRCUIT_ARRAYS, train_circuit
from attention_lab.labs.training import TRAINED_ARRAYS, train_layer
from attention_lab.labs.training_runs import (
    CIRCUIT_FILE,
    N_STORED_POINTS,
    STORED_CIRCUITS,
    STORED_ENDS,
    STORED_FILE,
    STORED_SETTINGS,
)
from attention_lab.why_three import COMPARED, STORED_SCORES, train_and_score


def arrays_to_store() -> dict[str, Array]:
    """Train the runs; gives the arrays of the file by their names."""
    arrays = {}
    for name, settings in STORED_SETTINGS.items():
        run = list(train_layer(settings))
        kept = run[:: (len(run) - 1) // (N_STORED_POINTS - 1)]
        arrays[f"{name}/losses"] = np.array([(one.step, one.loss) for one in run])
        for array in TRAINED_ARRAYS:
            arrays[f"{name}/{array}"] = np.stack([getattr(one.projections, array) for one in kept])
    for name, settings in STORED_ENDS.items():
        *_, last = train_layer(settings)
        arrays |= {f"{name}/{array}": getattr(last.projections, array) for array in TRAINED_ARRAYS}
    return {name: array.astype(np.float32) for name, array in arrays.items()}


def circuits_to_store() -> dict[str, Array]:
    """The same for the small model of two layers."""
    arrays = {}
    for settings, steps in STORED_CIRCUITS.items():
        name = f"{settings.n_layers} layers of {settings.n_heads}"
        run = {one.step: one for one in train_circuit(settings)}
        arrays[f"{name}/losses"] = np.array([(step, one.loss) for step, one in run.items()])
        for step in steps:
            for array in CIRCUIT_ARRAYS:
                arrays[f"{name}/{step}/{array}"] = run[step].weights[array]
    return {name: array.astype(np.float32) for name, array in arrays.items()}


if __name__ == "__main__":
    np.savez_compressed(STORED_FILE, **arrays_to_store())
    np.savez_compressed(CIRCUIT_FILE, **circuits_to_store())
    scores = [asdict(train_and_score(settings)) for settings in COMPARED]
    STORED_SCORES.write_text(json.dumps(scores, indent=1) + "\n", encoding="utf-8")
    print(f"{STORED_FILE.name}: {STORED_FILE.stat().st_size:,} bytes")
