"""The child process of the training benchmark: it times whole runs of the page *Training* in one
library.

It is started as python -m benchmarks._training LIBRARY THREADS, with its thread counts in the
environment before any library is imported. It answers each line ("layer" or "stack", settings) on
standard input with (wall seconds, CPU seconds, score). All libraries start from the same weights
and see the same sequences.
"""

from __future__ import annotations

import json
import math
import sys
import time
from typing import Any

import numpy as np

from attention_core import Projections
from attention_lab.labs.adam import learning_rate_at
from attention_lab.labs.deep_stack import stack_accuracy, train_stack
from attention_lab.labs.evaluation import score_layer
from attention_lab.labs.stack_settings import StackSettings
from attention_lab.labs.training import TRAINED_ARRAYS, first_checkpoint, train_layer
from attention_lab.labs.training_settings import TrainingSettings


def numpy_run(settings: TrainingSettings) -> Projections:
    """A run as on the page, with all its checkpoints, in float64."""
    *_, point = train_layer(settings)
    return point.projections


def torch_run(settings: TrainingSettings, kind: str, threads: int) -> Projections:
    """The same run in PyTorch: autograd and torch.optim.Adam; `kind` is a name of
    benchmarks.training.LIBRARIES.
    """
    import torch

    torch.set_num_threads(threads)
    dtype = torch.float32 if kind == "torch-float32" else torch.float64
    start = first_checkpoint(settings)
    leaves = {
        name: torch.tensor(getattr(start.projections, name), dtype=dtype, requires_grad=True)
        for name in TRAINED_ARRAYS
    }
    optimiser = torch.optim.Adam(leaves.values(), lr=settings.learning_rate, fused=kind != "torch")
    rng = np.random.default_rng(0)
    rng.bit_generator.state = start.generator_state
    for step in range(1, settings.last_step + 1):
        examples = settings.training_task.draw(rng, settings.batch)
        inputs, targets = (
            torch.from_numpy(array).to(dtype) for array in (examples.inputs, examples.targets)
        )
        output = torch_layer(inputs, leaves, settings, in_one_call=kind == "torch")
        optimiser.zero_grad()
        torch_loss(output, targets, settings).backward()
        optimiser.param_groups[0]["lr"] = learning_rate_at(
            step, settings.last_step, settings.learning_rate
        )
        optimiser.step()
    weights = {name: leaf.detach().double().numpy() for name, leaf in leaves.items()}
    return Projections(**weights, n_heads=settings.n_heads)


def torch_layer(
    inputs: Any, leaves: dict[str, Any], settings: TrainingSettings, in_one_call: bool
) -> Any:
    """The layer: scaled_dot_product_attention in one call, or its three operations, which are
    faster at these sizes.
    """
    import torch

    projected = (
        (inputs @ leaves[name]).unflatten(-1, (settings.n_heads, -1))
        for name in ("w_q", "w_k", "w_v")
    )
    query, key, value = (heads.transpose(1, 2) for heads in projected)
    if in_one_call:
        heads = torch.nn.functional.scaled_dot_product_attention(query, key, value)
    else:
        heads = (
            torch.softmax(query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1]), dim=-1)
            @ value
        )
    return heads.transpose(1, 2).flatten(2) @ leaves["w_o"] + leaves["b_o"]


def torch_loss(output: Any, targets: Any, settings: TrainingSettings) -> Any:
    """The loss of the task, in PyTorch."""
    import torch

    parts = output.unflatten(-1, tuple(targets.shape[2:]))
    if settings.training_task.by_accuracy:
        return torch.nn.functional.cross_entropy(parts.flatten(0, 2), targets.flatten(0, 2))
    return torch.nn.functional.mse_loss(parts, targets)


def stack_run(settings: StackSettings) -> float:
    """The accuracy on unseen pictures after a run of the deep stack in NumPy."""
    *_, point = train_stack(settings)
    return stack_accuracy(settings, point.weights)


def timed(
    library: str, threads: int, kind: str, options: dict[str, Any]
) -> tuple[float, float, float]:
    """Wall seconds, CPU seconds and the score of one run, without the time to score a layer."""
    wall, cpu = time.perf_counter(), time.process_time()
    if kind == "stack":
        accuracy = stack_run(StackSettings(**options))
        return time.perf_counter() - wall, time.process_time() - cpu, accuracy
    settings = TrainingSettings(**options)
    projections = (
        numpy_run(settings) if library == "numpy" else torch_run(settings, library, threads)
    )
    seconds = time.perf_counter() - wall, time.process_time() - cpu
    return (*seconds, score_layer(settings, projections).total)


def serve() -> None:
    """Answer standard input line by line."""
    library, threads = sys.argv[1], int(sys.argv[2])
    for line in sys.stdin:
        kind, options = json.loads(line)
        print(json.dumps(timed(library, threads, kind, options)), flush=True)


if __name__ == "__main__":
    serve()
