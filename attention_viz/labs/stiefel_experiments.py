"""Two experiments of the page *Orthonormal projections*: one layer and a deep stack, trained with
orthonormal columns and without.
"""

from collections.abc import Mapping

from attention_lab.cache import cached
from attention_lab.labs.deep_stack import compare_stack, stack_accuracy, untrained_output_size
from attention_lab.labs.evaluation import Score, compare_temperatures
from attention_lab.labs.stack_settings import (
    MAX_LAYERS,
    STACK_VARIANTS,
    StackSettings,
    expected_stack_seconds,
)
from attention_lab.labs.training_runs import LayerRun, Run, layer_run, stack_run
from attention_lab.labs.training_settings import TrainingSettings

from .. import blocks as b
from ..diagonal.choices import scale
from ..labels import format_number
from .training import loss_figure
from .training_parts import TRAINS, cached_score, missing_seconds, train_together

# The rows of the table of one layer: constraint and temperature, 0 for √d_k.
LAYER_VARIANTS = {
    "free": ("free", 0.0),
    "orthonormal": ("orthonormal", 0.0),
    "orthonormal, temperature ¼": ("orthonormal", 0.25),
    "orthonormal, temperature 1/16": ("orthonormal", 0.0625),
    "W_V alone orthonormal": ("orthonormal values", 0.0),
}
GLOROT = "glorot"  # the default of the package
ROOT, TEMPERATURES = "√d_k", {0.25: "¼", 0.0625: "1/16"}
SATURATED = (
    "Too low a temperature saturates the softmax: nearly all weight lies on one token before"
    " anything is learnt, and gradients become tiny. The lowest one:"
)
TASK = b.Select(
    "stiefel_task",
    "Task",
    "neighbours",
    b.by_name(("neighbours", "agreement")),
    "buttons",
    resets=(TRAINS.key,),
)
LOSS = b.Select(
    "stiefel_loss",
    "Loss",
    "relative error",
    b.by_name(("relative error", "cross-entropy")),
    "buttons",
    help="relative error: the loss with which the package trains.",
    resets=(TRAINS.key,),
)
STACK_CONNECTION = b.Switch(
    "stiefel_stack_connection", "add_connection", False, resets=(TRAINS.key,)
)
LAYERS = scale("stiefel_layers", "Layers", 12, 1, MAX_LAYERS)
EXPERIMENTS = (TASK, LOSS, STACK_CONNECTION, LAYERS, TRAINS)


def one_layer(values: b.Values) -> list[b.Block]:
    """One layer of two heads on a task: its matrices free or orthonormal, its temperature as usual
    or lower.
    """
    runs = {
        name: layer_run(TrainingSettings(values[TASK.key], constraint=columns, temperature=divisor))
        for name, (columns, divisor) in LAYER_VARIANTS.items()
    }
    label = "Train free and orthonormal layers"
    waiting = train_together(runs, missing_seconds(runs.values()), "models", values, label)
    return [b.row(values, TASK), *(waiting or _layers(runs))]


def _layers(runs: Mapping[str, LayerRun]) -> list[b.Block]:
    """The losses and errors of the trained layers, and what they show."""
    scores = {name: cached_score(run.settings, run.newest[1]) for name, run in runs.items()}
    rows = [[name, format_number(score.total, 4)] for name, score in scores.items()]
    told: list[b.Block] = [
        b.Table(["matrices", "error on unseen sequences"], rows),
        b.Text(
            "With orthonormal columns **the matrices cannot grow**, so training cannot sharpen"
            " attention by larger weights. A lower temperature can."
            f" {describe_temperatures(runs, scores)}"
        ),
    ]
    return [b.Beside(([_losses(runs, "stiefel losses")], told), (3, 2))]


def describe_temperatures(runs: Mapping[str, LayerRun], scores: Mapping[str, Score]) -> str:
    """Which temperature of the layers with orthonormal columns is best, and the lowest one."""
    chosen = {
        1 / run.settings.scale: name
        for name, run in runs.items()
        if run.settings.constraint == "orthonormal"
    }
    found = compare_temperatures({one: scores[name].total for one, name in chosen.items()})
    best, usual, lowest = (
        f"{TEMPERATURES.get(one, ROOT)} (error {format_number(found.errors[one], 4)})"
        for one in (found.best, found.usual, found.lowest)
    )
    if found.best == found.lowest:
        return f"The best of those tried here is the lowest, **{best}**; the usual one is {usual}."
    if found.best == found.usual:
        return f"Here the best of those tried is the usual one, **{best}**. {SATURATED} {lowest}."
    return (
        f"The best of those tried here is **{best}**; the usual one is {usual}. {SATURATED}"
        f" {lowest}."
    )


def _losses(runs: Mapping[str, Run], name: str) -> b.Chart:
    last = next(iter(runs.values())).settings.last_step
    return b.Chart(loss_figure({title: run.losses for title, run in runs.items()}, last), name)


def deep_stack(values: b.Values) -> list[b.Block]:
    """Stacks of layers with four starts and constraints, trained when a visitor asks for it."""
    loss, connection, layers = (values[one.key] for one in (LOSS, STACK_CONNECTION, LAYERS))
    runs = {
        variant: stack_run(StackSettings(variant, loss, layers, connection=connection))
        for variant in STACK_VARIANTS
    }
    seconds = sum(expected_stack_seconds(run.settings) for run in runs.values() if not run.done)
    waiting = train_together(runs, seconds, "stacks", values, "Train the stacks")
    done = {variant: run for variant, run in runs.items() if run.done}
    shown = _stacks(done) if done else []
    return [b.row(values, LOSS, STACK_CONNECTION, LAYERS), *waiting, *shown]


@cached
def _stack_result(settings: StackSettings) -> tuple[float, float]:
    """The accuracy of a trained stack, and the size of the outputs of the untrained one."""
    weights = stack_run(settings).latest.weights
    return stack_accuracy(settings, weights), untrained_output_size(settings)


def _stacks(runs: Mapping[str, Run]) -> list[b.Block]:
    """The losses, accuracies and sizes of the trained stacks, and what they show."""
    results = {variant: _stack_result(run.settings) for variant, run in runs.items()}
    rows = [
        [STACK_VARIANTS[variant].description, f"{accuracy:.3f}", f"{size:.1f}"]
        for variant, (accuracy, size) in results.items()
    ]
    told: list[b.Block] = [
        b.Table(["start and constraint", "accuracy", "size at the end"], rows),
        b.caption(
            "Size at the end: the root mean square of the numbers that leave the last layer before"
            " training."
        ),
        b.Text(
            f"{describe_glorot(results)} This is a small experiment with made-up pictures: it does"
            " not refute the package’s own experiment on handwritten digits."
        ),
    ]
    return [b.Beside(([_losses(runs, "stiefel rows")], told), (2, 3))]


def describe_glorot(results: Mapping[str, tuple[float, float]]) -> str:
    """The package's default beside the other stacks that are trained."""
    if GLOROT not in results or len(results) == 1:
        return "Train the other stacks to compare them with the package’s default."
    found = compare_stack(GLOROT, results)
    lowest, highest = (f"{one:.3f}" for one in found.others)
    says = (
        f"Right pictures with **Glorot’s numbers: {found.accuracy:.3f}**; with the others trained"
        f" here: from **{lowest}** to **{highest}**."
    )
    if not found.is_behind:
        return f"{says} So in this stack Glorot’s numbers do no harm."
    if not found.is_larger:
        return says
    return (
        f"{says} Glorot’s numbers are too large for matrices of this shape: before training the"
        f" outputs have size {found.size:.1f}, those of the others at most"
        f" {found.other_sizes[1]:.1f}, and the softmax saturates. Orthonormal columns at every step"
        " prevent this; **so does the right size at the start, without any constraint**."
    )
