"""Parts of the page *Training* shown on demand: the models side by side, and the formulas of the
backward pass.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from attention_core.trace import Trace
from attention_lab.cache import cached
from attention_lab.labs.adam import ADAM
from attention_lab.labs.backward import gradient_formulas
from attention_lab.labs.evaluation import one_answer_score
from attention_lab.labs.formula import Formula
from attention_lab.labs.loss_curves import (
    constant_loss,
    one_answer_losses,
    weightless_loss,
)
from attention_lab.labs.losses import LOSSES
from attention_lab.labs.readouts import weightless_score
from attention_lab.labs.stiefel_adam import STIEFEL_ADAM
from attention_lab.labs.tasks import N_UNSEEN
from attention_lab.labs.training_settings import (
    WIDE_MODEL,
    TrainingSettings,
    expected_seconds,
    models,
)
from attention_lab.notation.formulas import formula
from attention_lab.notation.notation import OURS
from attention_viz.labels import format_number
from attention_viz.labs.training import comparison_figure

from ..show import show_figure
from .training_runs import cached_score, train_all, visitor_run

BEST_COLUMN, ACCURACY_COLUMN = "one answer per head", "right choices"
# What the loss is and what the best constant reaches, by whether the score counts right choices.
LOSS_NAMES = {True: "cross-entropy in nats", False: "error"}
BEST_CONSTANT = {
    True: "the entropy of a letter, ln 6 nats: all six are equally likely",
    False: "the variance of the targets, which counts as 1",
}
WIDE_HEAD_REMARKS = {
    True: (
        " A wide head has the same number of weights as two heads, yet it learns to answer only one"
        " question."
    ),
    False: "",
}
cached_weightless_score, cached_weightless_loss = cached(weightless_score), cached(weightless_loss)


def show_comparison(task: str) -> None:
    """The models of a task side by side: a button that trains the models not trained yet, then the
    curves and the table.
    """
    named = models(task)
    missing = [one for one in named.values() if not visitor_run(one).done]
    seconds = sum(map(expected_seconds, missing))
    st.caption(f"Runs still to be trained: {len(missing)}. Time: about {seconds:.0f} s.")
    if missing and st.button("Train them all", icon=":material/play_arrow:", key="train all"):
        train_all(missing, "train all stop")
        st.rerun()
    if not missing:
        _show_curves(task, named)
        _show_scores(task, named)


def _show_scores(task: str, named: dict[str, TrainingSettings]) -> None:
    """The scores of the models, and how they were trained."""
    what = "error"
    if named["1 head"].training_task.by_accuracy:
        what = ACCURACY_COLUMN
    st.dataframe(_rows(task, named, what), hide_index=True, alt="The models side by side")
    wide = WIDE_HEAD_REMARKS[WIDE_MODEL in named]
    st.caption(
        f"{what.capitalize()} on {N_UNSEEN} unseen sequences. Seed: {named['1 head'].seed}."
        " The models are trained with the values with which this page opens, not with those chosen"
        " above. All models of a seed learn from the same sequences: here these do not depend on"
        " the weights. *weightless*: Q = K = V = X with the best linear readout, which"
        f" takes no steps.{wide} **Trained like this, each head answers one question.** Weights"
        " set by hand may do more: on the page *Convolution* two heads ask for nine places."
    )


def _show_curves(task: str, named: dict[str, TrainingSettings]) -> None:
    """The loss on the unseen sequences against the steps of each model, with the loss of the best
    constant and that of one answer per head.
    """
    curves = {name: visitor_run(one).unseen_losses for name, one in named.items()}
    level = cached_weightless_loss(task, named["1 head"].seed)
    marks = {"best constant": constant_loss(task)}
    for n_heads, loss in one_answer_losses(named.values()).items():
        marks[f"{BEST_COLUMN}, heads: {n_heads}"] = loss
    by_entropy = named["1 head"].training_task.by_accuracy
    what = LOSS_NAMES[by_entropy]
    show_figure(comparison_figure(curves, {"weightless": level}, marks, what), "train models")
    st.caption(
        f"The {what} on the {N_UNSEEN} unseen sequences. *Best constant*:"
        f" {BEST_CONSTANT[by_entropy]}. In every task the inputs decide the answer. So a layer that"
        " answers everything has the loss 0, which has no place on a logarithmic axis."
    )


def _rows(task: str, named: dict[str, TrainingSettings], what: str) -> list[dict[str, object]]:
    seed = named["1 head"].seed
    found = {"weightless": ("–", cached_weightless_score(task, seed).total, "–")}
    losses = {"weightless": cached_weightless_loss(task, seed)}
    for name, one in named.items():
        run = visitor_run(one)
        best = one_answer_score(task, one.n_heads, one.widths[1])
        score = cached_score(one, run.points[-1][1]).total
        found[name] = (f"{one.n_parameters:,}", score, format_number(best, 4))
        losses[name] = run.unseen_losses[-1][1]
    rows: list[dict[str, object]] = [
        {"model": name, "numbers to learn": size, what: format_number(score, 4), BEST_COLUMN: best}
        for name, (size, score, best) in found.items()
    ]
    if what == ACCURACY_COLUMN:  # the score is another number than the loss
        for row, loss in zip(rows, losses.values(), strict=True):
            row["cross-entropy"] = format_number(loss, 4)
    return rows


def show_backward_pass(settings: TrainingSettings, trace: Trace) -> None:
    """The loss; every gradient beside the formula of the forward pass, in the order of the backward
    pass; the step of Adam.
    """
    loss = LOSSES[settings.training_task.loss]
    st.markdown("**The loss, and its gradient at the output** ($Z$ is the target)")
    _formulas((loss.value, loss.gradient))
    st.markdown(
        "**Forward pass, and backward pass** ($\\nabla_A$ is the gradient of the loss with respect"
        " to $A$)"
    )
    for step in gradient_formulas(trace).values():
        left, right = st.columns([4, 5], vertical_alignment="center")
        left.latex(formula(trace, step.step, OURS))
        right.latex(step.formula)
        right.caption(step.sentence)
    steps = ADAM
    says = (
        "**Adam**: each number moves by the learning rate times the mean of its gradients, divided"
        " by their usual size"
    )
    if settings.constraint != "free":
        steps = STIEFEL_ADAM
        says = (
            "**Adam on the Stiefel manifold**, for matrices whose columns stay orthonormal; the"
            " other arrays take the usual step of Adam"
        )
    st.markdown(says)
    _formulas(tuple(steps.values()))
    st.caption(
        "All formulas are NumPy functions, one for each. Tests compare them with the automatic"
        " differentiation of PyTorch 2.13 and with finite differences."
    )


def _formulas(formulas: Sequence[Formula]) -> None:
    for one in formulas:
        left, right = st.columns([4, 5], vertical_alignment="center")
        left.latex(one.latex)
        right.caption(f"**{one.title}**: {one.sentence}")
