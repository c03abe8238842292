"""The page *Training* compared with PyTorch, and the tables of its results over several seeds.

One process per library, all with the same number of threads, runs the same training in turn, round
by round; a ratio is the median of the ratios of the rounds. Weights, sequences and steps are the
same everywhere.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from statistics import mean, median

from attention_lab.labs.evaluation import one_answer_score
from attention_lab.labs.readouts import weightless_score
from attention_lab.labs.stack_settings import STACK_VARIANTS, StackSettings
from attention_lab.labs.tasks import TRAINING_TASKS
from attention_lab.labs.training_settings import TrainingSettings, models

from ._children import NO_TORCH, Child, ask, clock_of, in_turn, ratio, start, table

LIBRARIES = {
    "numpy": "NumPy",
    "torch": "PyTorch",
    "torch-fused": "PyTorch, fused Adam",
    "torch-float32": "the same in float32",
}
RUNS = {
    f"{task}, {name}": settings
    for task in TRAINING_TASKS
    for name, settings in models(task).items()
}
ROUND_STEPS = 100  # of each run
Run = tuple[float, float, float]


def main(options: Sequence[str] = ()) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks training", description=__doc__)
    parser.add_argument("--threads", type=int, default=1, help="threads of every library (1)")
    parser.add_argument("--rounds", type=int, default=7, help="rounds of 100 steps per model (7)")
    parser.add_argument("--seeds", type=int, default=5, help="seeds of the tables of results (5)")
    chosen = parser.parse_args(list(options))
    names = list(LIBRARIES) if importlib.util.find_spec("torch") else ["numpy"]
    clock, why = clock_of(chosen.threads)
    print(
        f"Training: float64, {chosen.threads} thread(s), {chosen.rounds} rounds of {ROUND_STEPS}"
        f" steps. Clock: {why}."
    )
    print(
        "Columns with / are ratios NumPy / PyTorch, below 1 is faster; in brackets their quartiles"
        " over the rounds."
    )
    if len(names) == 1:
        print(NO_TORCH)
    children = {name: start("_training", name, chosen.threads) for name in names}
    print(table(speed_rows(children, chosen.rounds, clock)))
    print(
        f"Results of whole runs, seeds 0 to {chosen.seeds - 1}: error divided by the variance, or"
        " accuracy."
    )
    print(table(result_rows(children, range(chosen.seeds))))
    print("On the Stiefel manifold, two heads of width D/2:")
    print(table(stiefel_rows(children["numpy"], range(chosen.seeds))))
    print("Twelve layers, 200 steps: accuracy on unseen pictures.")
    print(table(stack_rows(children["numpy"], range(chosen.seeds))))
    for child in children.values():
        child.communicate()


def result(child: Child, settings: TrainingSettings | StackSettings) -> Run:
    """Wall seconds, CPU seconds and score of one run."""
    wall, cpu, score = ask(
        child, "stack" if isinstance(settings, StackSettings) else "layer", asdict(settings)
    )
    return wall, cpu, score


def speed_rows(children: dict[str, Child], rounds: int, clock: int) -> list[list[str]]:
    """The table of times: milliseconds of 100 steps in every library, and ratios to each PyTorch
    with quartiles.
    """
    names = list(children)
    rows = [
        [
            "model",
            *(f"{LIBRARIES[name]} ms" for name in names),
            *(f"/ {LIBRARIES[name]}" for name in names[1:]),
        ]
    ]
    for label, settings in RUNS.items():
        seconds: dict[str, list[float]] = {name: [] for name in names}
        for child in children.values():
            result(child, replace(settings, n_steps=10))
        for number in range(rounds):
            for name in in_turn(names, number):
                one = replace(settings, n_steps=ROUND_STEPS, seed=number)
                seconds[name].append(result(children[name], one)[clock])
        row = [label, *(f"{median(times) * 1000:.1f}" for times in seconds.values())]
        for name in names[1:]:
            row.append(ratio(seconds["numpy"], seconds[name]))
        rows.append(row)
    return rows


def result_rows(children: dict[str, Child], seeds: range) -> list[list[str]]:
    """The scores of all models and of one answer per head, the time of a whole run, and PyTorch's
    score as a check.
    """
    torch_child = children.get("torch")
    header = [
        "model",
        "parameters",
        *(f"seed {seed}" for seed in seeds),
        "mean",
        "one answer per head",
        "seconds",
    ]
    rows = [header + (["PyTorch, seed 0"] if torch_child else [])]
    for task in TRAINING_TASKS:
        scores = [weightless_score(task, seed).total for seed in seeds]
        rows.append(
            [f"{task}, weightless", "-", *cells(scores), "-", "-", *(["-"] if torch_child else [])]
        )
        for name, settings in models(task).items():
            runs = [result(children["numpy"], replace(settings, seed=seed)) for seed in seeds]
            row = [f"{task}, {name}", str(settings.n_parameters), *cells([run[2] for run in runs])]
            row += [
                f"{one_answer_score(task, settings.n_heads):.3f}",
                f"{median(run[1] for run in runs):.2f}",
            ]
            rows.append(row + ([f"{result(torch_child, settings)[2]:.4f}"] if torch_child else []))
    return rows


def stiefel_rows(child: Child, seeds: range) -> list[list[str]]:
    """Orthonormal columns in one layer, at two learning rates and three temperatures."""
    rows = [
        ["task", "constraint", "temperature", "rate", *(f"seed {seed}" for seed in seeds), "mean"]
    ]
    cases = [("free", 0.0), ("orthonormal", 0.0), ("orthonormal", 1 / 4), ("orthonormal", 1 / 16)]
    for task, width in (("neighbours", 5), ("agreement", 4)):
        for constraint, temperature in [*cases, ("orthonormal values", 0.0)]:
            for rate in (0.01, 0.03):
                settings = TrainingSettings(
                    task,
                    d_k=width,
                    d_v=width,
                    constraint=constraint,
                    temperature=temperature,
                    learning_rate=rate,
                )
                scores = [result(child, replace(settings, seed=seed))[2] for seed in seeds]
                divisor = f"{temperature:g}" if temperature else "√d_k"
                rows.append([task, constraint, divisor, f"{rate:g}", *cells(scores)])
    return rows


def stack_rows(child: Child, seeds: range) -> list[list[str]]:
    """The variants of the deep stack with both losses, and the CPU time of one seed."""
    rows = [["loss", "start", *(f"seed {seed}" for seed in seeds), "mean", "seconds"]]
    for loss in ("relative error", "cross-entropy"):
        for variant in STACK_VARIANTS:
            runs = [
                result(child, StackSettings(variant=variant, loss=loss, seed=seed))
                for seed in seeds
            ]
            rows.append(
                [
                    loss,
                    variant,
                    *cells([run[2] for run in runs]),
                    f"{median(run[1] for run in runs):.1f}",
                ]
            )
    return rows


def cells(scores: list[float]) -> list[str]:
    """The scores of all seeds and their mean."""
    return [*(f"{score:.4f}" for score in scores), f"{mean(scores):.4f}"]


if __name__ == "__main__":
    main(sys.argv[1:])
