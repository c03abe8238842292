"""Parts of the pages that train: several runs that are trained together, the models of a task side
by side, and the formulas of the backward pass.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple

from attention_core.trace import Trace
from attention_lab.labs.adam import ADAM
from attention_lab.labs.backward import gradient_formulas
from attention_lab.labs.formula import Formula
from attention_lab.labs.losses import LOSSES
from attention_lab.labs.stiefel_adam import STIEFEL_ADAM
from attention_lab.labs.tasks import N_UNSEEN
from attention_lab.labs.training_facts import ModelsFacts, cached_weightless_loss, models_facts
from attention_lab.labs.training_runs import (
    LayerRun,
    Run,
    constant_loss,
    layer_run,
    one_answer_losses,
)
from attention_lab.labs.training_settings import (
    TrainingSettings,
    expected_seconds,
    models,
)
from attention_lab.notation.formulas import formula
from attention_lab.notation.notation import OURS
from attention_lab.words.numbers import Number

from .. import blocks as b
from ..page_choices import Select
from .training import comparison_figure

SECONDS = 0.4  # for which a run trains before the page is drawn again
TRAINS = Select(
    "train_now",
    "What trains",
    "nothing",
    {"nothing": "nothing", "run": "the run", "models": "the models", "stacks": "the stacks"},
)
BEST_COLUMN, ACCURACY_COLUMN = "one answer per head", "right choices"
# What the loss is and what the best constant reaches, by whether the score counts right choices.
LOSS_NAMES = {True: "cross-entropy in nats", False: "error"}
BEST_CONSTANT = {
    True: "the entropy of a letter, ln 6 nats: all six are equally likely",
    False: "the variance of the targets, which counts as 1",
}
# The formulas of a step, and what it is, by whether columns stay orthonormal.
OPTIMISERS = {
    False: (
        ADAM,
        "**Adam**: each number moves by the learning rate times the mean of its gradients, divided"
        " by their usual size",
    ),
    True: (
        STIEFEL_ADAM,
        "**Adam on the Stiefel manifold**, for matrices whose columns stay orthonormal; the other"
        " arrays take the usual step of Adam",
    ),
}
WIDE_HEAD_REMARK = (
    " A wide head has the same number of weights as two heads, yet it learns to answer only one"
    " question."
)


def train_together(
    runs: Mapping[str, Run], seconds: float, which: str, values: b.Values, label: str
) -> list[b.Block]:
    """Train the first run that is not done, if a visitor has asked for it; nothing once all are
    done.

    seconds: how long all runs that are not done take. which: the option of `TRAINS` that asks for
    it. label: of the button that does.
    """
    trains = values[TRAINS.key] == which
    missing = {name: run for name, run in runs.items() if not run.done}
    if not missing:
        return []
    name, run = next(iter(missing.items()))
    if not trains:
        return [
            b.caption(f"Runs still to be trained: {len(missing)}. Time: about {seconds:.0f} s."),
            b.Button(label, {TRAINS.key: which}),
        ]
    run.train(SECONDS)
    _, loss = run.losses[-1]
    where = f"step {run.step:,} of {run.settings.last_step:,}: loss {Number(loss, 4)}"
    return [
        b.Text(f"Run {len(runs) - len(missing) + 1} of {len(runs)}, *{name}*, {where}."),
        b.Button("Stop", {TRAINS.key: TRAINS.default}, help="What has been trained stays."),
        b.Later(0.1, {TRAINS.key: which}),
    ]


def missing_seconds(runs: Iterable[LayerRun]) -> float:
    """About how long the runs take that are not done."""
    return sum(expected_seconds(run.settings) for run in runs if not run.done)


def comparison(task: str, values: b.Values) -> list[b.Block]:
    """The models of a task side by side: a button that trains them, then curves and a table."""
    runs = {name: layer_run(one) for name, one in models(task).items()}
    seconds = missing_seconds(runs.values())
    waiting = train_together(runs, seconds, "models", values, "Train them all")
    if not all(run.done for run in runs.values()):
        return waiting
    return [*_curves(task, runs), *_scores(models_facts(runs))]


def _curves(task: str, runs: Mapping[str, LayerRun]) -> list[b.Block]:
    """The loss on the unseen sequences against the steps of each model, with the loss of the best
    constant and that of one answer per head.
    """
    first = runs["1 head"].settings
    curves = {name: run.unseen_losses for name, run in runs.items()}
    level = cached_weightless_loss(task, first.seed)
    marks = {"best constant": constant_loss(task)}
    for n_heads, loss in one_answer_losses(run.settings for run in runs.values()).items():
        marks[f"{BEST_COLUMN}, heads: {n_heads}"] = loss
    by_entropy = first.training_task.by_accuracy
    what = LOSS_NAMES[by_entropy]
    return [
        b.Chart(comparison_figure(curves, {"weightless": level}, marks, what), "train models"),
        b.caption(
            f"The {what} on the {N_UNSEEN} unseen sequences. *Best constant*:"
            f" {BEST_CONSTANT[by_entropy]}. In every task the inputs decide the answer. So a layer"
            " that answers everything has the loss 0, which has no place on a logarithmic axis."
        ),
    ]


def _scores(facts: ModelsFacts) -> list[b.Block]:
    """The scores of the models, and how they were trained."""
    what = ACCURACY_COLUMN if facts.by_accuracy else "error"
    head = ["model", "numbers to learn", what, BEST_COLUMN, "cross-entropy"]
    rows = [
        [name, *("–" if one is None else str(one) for one in astuple(model))]
        for name, model in facts.models.items()
    ]
    n_columns = len(head) - (not facts.by_accuracy)  # the score may be the loss
    return [
        b.Table(head[:n_columns], [row[:n_columns] for row in rows]),
        b.caption(
            f"{what.capitalize()} on {N_UNSEEN} unseen sequences. Seed: {facts.seed}. The models"
            " are trained with the values with which the page opens, not with those chosen above."
            " All models of a seed learn from the same sequences: here these do not depend on the"
            " weights. *weightless*: Q = K = V = X with the best linear readout, which takes no"
            f" steps.{WIDE_HEAD_REMARK * facts.wide} **Trained like this, each head"
            " answers one question.** Weights set by hand may do more: on the page *Convolution*"
            " two heads ask for nine places."
        ),
    ]


def backward_pass(settings: TrainingSettings, trace: Trace) -> list[b.Block]:
    """The loss; every gradient beside the formula of the forward pass, in the order of the backward
    pass; the step of Adam.
    """
    loss = LOSSES[settings.training_task.loss]
    optimiser, says = OPTIMISERS[settings.constraint != "free"]
    return [
        b.Text("**The loss, and its gradient at the output** ($Z$ is the target)"),
        *formula_rows((loss.value, loss.gradient)),
        b.Text(
            "**Forward pass, and backward pass** ($\\nabla_A$ is the gradient of the loss with"
            " respect to $A$)"
        ),
        *(
            _side_by_side(formula(trace, one.step, OURS), f"${one.formula}$\n\n{one.sentence}")
            for one in gradient_formulas(trace).values()
        ),
        b.Text(says),
        *formula_rows(optimiser),
        b.caption(
            "All formulas are NumPy functions, one for each. Tests compare them with the automatic"
            " differentiation of PyTorch 2.13 and with finite differences."
        ),
    ]


def formula_rows(formulas: Iterable[Formula]) -> list[b.Block]:
    """Each formula with its name and a sentence beside it."""
    return [_side_by_side(one.latex, f"**{one.title}**: {one.sentence}") for one in formulas]


def _side_by_side(latex: str, says: str) -> b.Beside:
    parts: tuple[Sequence[b.Block], ...] = ([b.Formula(latex)], [b.Text(says)])
    return b.Beside(parts, (4, 5))
