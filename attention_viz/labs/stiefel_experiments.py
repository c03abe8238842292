"""Two experiments of the page *Orthonormal projections*: one layer and a deep stack, trained with
orthonormal columns and without.
"""

from collections.abc import Mapping

from attention_lab.cache import cached
from attention_lab.labs.deep_stack import stack_accuracy, untrained_output_size
from attention_lab.labs.facts import StackFacts, TemperatureFacts, stack_facts, temperature_facts
from attention_lab.labs.stack_settings import (
    MAX_LAYERS,
    STACK_VARIANTS,
    StackSettings,
    expected_stack_seconds,
)
from attention_lab.labs.training_facts import cached_score
from attention_lab.labs.training_runs import LayerRun, Run, layer_run, stack_run
from attention_lab.labs.training_settings import TrainingSettings
from attention_lab.words.numbers import Number

from .. import blocks as b
from ..diagonal.choices import scale
from ..page_choices import Select, Switch, by_name
from .training import loss_figure
from .training_parts import TRAINS, missing_seconds, train_together

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
# By where the best temperature lies; named are the best, the usual and the lowest one.
BEST_TEMPERATURE = {
    "lowest": "The best of those tried here is the lowest, **{0}**; the usual one is {1}.",
    "usual": f"Here the best of those tried is the usual one, **{{0}}**. {SATURATED} {{2}}.",
    "between": (
        f"The best of those tried here is **{{0}}**; the usual one is {{1}}. {SATURATED} {{2}}."
    ),
}
BEHIND = {
    "no harm": " So in this stack Glorot’s numbers do no harm.",
    "between": "",
    "too large": (
        " Glorot’s numbers are too large for matrices of this shape: before training the outputs"
        " have size {0.size}, those of the others at most {0.other_size}, and the softmax"
        " saturates. Orthonormal columns at every step prevent this; **so does the right size at"
        " the start, without any constraint**."
    ),
}
TASK = Select(
    "stiefel_task",
    "Task",
    "neighbours",
    by_name(("neighbours", "agreement")),
    "buttons",
    resets=(TRAINS.key,),
)
LOSS = Select(
    "stiefel_loss",
    "Loss",
    "relative error",
    by_name(("relative error", "cross-entropy")),
    "buttons",
    help="relative error: the loss with which the package trains.",
    resets=(TRAINS.key,),
)
STACK_CONNECTION = Switch("stiefel_stack_connection", "add_connection", False, resets=(TRAINS.key,))
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
    errors = {name: cached_score(one.settings, one.newest[1]).total for name, one in runs.items()}
    rows = [[name, str(Number(error, 4))] for name, error in errors.items()]
    by_temperature = {
        1 / run.settings.scale: errors[name]
        for name, run in runs.items()
        if run.settings.constraint == "orthonormal"
    }
    told: list[b.Block] = [
        b.Table(["matrices", "error on unseen sequences"], rows),
        b.Text(
            "With orthonormal columns **the matrices cannot grow**, so training cannot sharpen"
            " attention by larger weights. A lower temperature can."
            f" {describe_temperatures(temperature_facts(by_temperature))}"
        ),
    ]
    return [b.Beside(([_losses(runs, "stiefel losses")], told), (3, 2))]


def describe_temperatures(facts: TemperatureFacts) -> str:
    """Which temperature of the layers with orthonormal columns is best, and the lowest one."""
    named = (
        f"{TEMPERATURES.get(one, ROOT)} (error {error})"
        for one, error in (facts.best, facts.usual, facts.lowest)
    )
    return BEST_TEMPERATURE[facts.case].format(*named)


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
        [STACK_VARIANTS[variant].description, str(Number(accuracy)), str(Number(size, 1))]
        for variant, (accuracy, size) in results.items()
    ]
    told: list[b.Block] = [
        b.Table(["start and constraint", "accuracy", "size at the end"], rows),
        b.caption(
            "Size at the end: the root mean square of the numbers that leave the last layer before"
            " training."
        ),
        b.Text(
            f"{describe_glorot(stack_facts(GLOROT, results))} This is a small experiment with"
            " made-up pictures: it does not refute the package’s own experiment on handwritten"
            " digits."
        ),
    ]
    return [b.Beside(([_losses(runs, "stiefel rows")], told), (2, 3))]


def describe_glorot(facts: StackFacts | None) -> str:
    """The package's default beside the other stacks that are trained."""
    if facts is None:
        return "Train the other stacks to compare them with the package’s default."
    lowest, highest = facts.others
    return (
        f"Right pictures with **Glorot’s numbers: {facts.right}**; with the others trained here:"
        f" from **{lowest}** to **{highest}**.{BEHIND[facts.case].format(facts)}"
    )
