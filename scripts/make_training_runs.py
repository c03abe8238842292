"""Train the runs with which the pages *Training* and *Two layers* open, the head of a claim, one
head and four kernels on the task of the page *Convolution* that depends on content, and layers that
do without one of their matrices, and store them.

Run by hand when the task, the first weights or the training change; it takes some seconds:

    .venv/bin/python -m scripts.make_training_runs

Writes training_runs.npz, circuit_runs.npz and content_task.npz in attention_lab/labs/, and
attention_lab/why_three.json. Everything is drawn from a seed, so equal code and the NumPy of
requirements.txt give equal runs.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict

import numpy as np

from attention_core.checks import Array
from attention_lab.labs import content_training
from attention_lab.labs.checkpoints import Checkpoint, Weights
from attention_lab.labs.circuit import train_circuit
from attention_lab.labs.content_training import SIDES, attention_learner, kernel_learner
from attention_lab.labs.training import train_layer
from attention_lab.labs.training_runs import (
    CIRCUIT_FILE,
    STORED_CIRCUITS,
    STORED_ENDS,
    STORED_FILE,
    STORED_SETTINGS,
)
from attention_lab.why_three import COMPARED, STORED_SCORES, train_and_score


def layers_to_store() -> dict[str, Array]:
    """Train the runs of single layers; gives the arrays of the file by their names."""
    runs = {}
    for name, settings in STORED_SETTINGS.items():
        run = list(train_layer(settings))
        runs[name] = _watched(run, run[:: (len(run) - 1) // 10])
    for name, settings in STORED_ENDS.items():
        *_, last = train_layer(settings)
        runs[name] = last.weights
    return _named(runs)


def circuits_to_store() -> dict[str, Array]:
    """The same for the small model of two layers; of the first run the weights at each 100 steps,
    of the others those at the end.
    """
    runs = {}
    for name, settings in STORED_CIRCUITS.items():
        run = list(train_circuit(settings))
        runs[name] = _watched(run, run[-1:] if runs else run[::10])
    return _named(runs)


def contents_to_store() -> dict[str, Array]:
    """The same for the task that depends on content: the weights at the end."""
    learners = {"attention": attention_learner()}
    learners |= {f"kernel {side}": kernel_learner(side) for side in SIDES}
    return _named({name: content_training.train(one) for name, one in learners.items()})


def _watched(run: Sequence[Checkpoint], kept: Sequence[Checkpoint]) -> Weights:
    """The losses of a run, and the weights of some of its checkpoints, stacked."""
    stacked = {name: np.stack([one.weights[name] for one in kept]) for name in kept[0].weights}
    return {"losses": np.array([(one.step, one.loss) for one in run])} | stacked


def _named(runs: Mapping[str, Weights]) -> dict[str, Array]:
    return {
        f"{name}/{own}": array.astype(np.float32)
        for name, arrays in runs.items()
        for own, array in arrays.items()
    }


if __name__ == "__main__":
    np.savez_compressed(STORED_FILE, **layers_to_store())
    np.savez_compressed(CIRCUIT_FILE, **circuits_to_store())
    np.savez_compressed(content_training.STORED_FILE, **contents_to_store())
    scores = [asdict(train_and_score(settings)) for settings in COMPARED]
    STORED_SCORES.write_text(json.dumps(scores, indent=1) + "\n", encoding="utf-8")
    print(f"{STORED_FILE.name}: {STORED_FILE.stat().st_size:,} bytes")
