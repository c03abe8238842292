"""Parts of the page *Training* shown on demand: the models side by side, and the formulas of the
backward pass.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from attention_core.projections import BIASES
from attention_core.trace import Trace
from attention_lab.cache import cached
from attention_lab.labs.adam import ADAM
from attention_lab.labs.backward import GRADIENTS
from attention_lab.labs.evaluation import one_answer_score
from attention_lab.labs.formula import Formula
from attention_lab.labs.loss_curves import (
    constant_loss,
    mean_curve,
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
from attention_viz.labs.training_comparison import comparison_figure

from ..facts import fact
from ..show import show_figure
from ..url_state import choose_one
from .shared_runs import cached_score
from .visitor_runs import N_SEEDS, train_all, visitor_run

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
    several = choose_one(
        "Seeds",
        N_SEEDS,
        "one",
        key="train_seeds",
        help="The seed decides the first weights and the sequences of the training.",
    )
    seeds = range(N_SEEDS[several])
    named = {name: [models(task, seed)[name] for seed in seeds] for name in models(task)}
    missing = [one for settings in named.values() for one in settings if not visitor_run(one).done]
    seconds = sum(map(expected_seconds, missing))
    st.caption(f"Runs still to be trained: {len(missing)}. Time: about {seconds:.0f} s.")
    if missing and st.button("Train them all", icon=":material/play_arrow:", key="train all"):
        train_all(missing, "train all stop")
        st.rerun()
    if not missing:
        _show_curves(task, named)
        _show_scores(task, named, list(seeds))


def _show_scores(task: str, named: dict[str, list[TrainingSettings]], seeds: list[int]) -> None:
    """The scores of the models, and how they were trained."""
    what = "error"
    if named["1 head"][0].training_task.by_accuracy:
        what = ACCURACY_COLUMN
    st.dataframe(_rows(task, named, what), hide_index=True, alt="The models side by side")
    wide = WIDE_HEAD_REMARKS[fact("has_a_wide_head", WIDE_MODEL in named)]
    fact("seeds_compared", seeds)
    st.caption(
        f"{what.capitalize()} on {N_UNSEEN} unseen sequences. Seeds: {', '.join(map(str, seeds))}."
        " The models are trained with the values with which this page opens, not with those chosen"
        " above. All models of a seed learn from the same sequences: here these do not depend on"
        " the weights. *weightless*: Q = K = V = X with the best linear readout, which"
        f" takes no steps.{wide} **Trained like this, each head answers one question.** Weights"
        " set by hand may do more: on the page *Convolution* two heads ask for nine places."
    )


def _show_curves(task: str, named: dict[str, list[TrainingSettings]]) -> None:
    """The loss on the unseen sequences against the steps of each model, with the loss of the best
    constant and that of one answer per head.
    """
    seeds = [one.seed for one in named["1 head"]]
    curves = {
        name: mean_curve([visitor_run(one).unseen_losses for one in settings])
        for name, settings in named.items()
    }
    level = sum(cached_weightless_loss(task, seed) for seed in seeds) / len(seeds)
    left = one_answer_losses(settings[0] for settings in named.values())
    marks = {"best constant": constant_loss(task)}
    marks |= {f"{BEST_COLUMN}, heads: {n_heads}": loss for n_heads, loss in left.items()}
    by_entropy = fact("losses_in_nats", named["1 head"][0].training_task.by_accuracy)
    what = LOSS_NAMES[by_entropy]
    fact("curves", curves)
    fact("weightless_loss", level)
    fact("marks", marks)
    show_figure(comparison_figure(curves, {"weightless": level}, marks, what), "train models")
    st.caption(
        f"The {what} on the {N_UNSEEN} unseen sequences. Each curve is a mean over the seeds;"
        f" seeds: {len(seeds)}. *Best constant*: {BEST_CONSTANT[by_entropy]}. In every task the"
        " inputs decide the answer. So a layer that answers everything has the loss 0, which has no"
        " place on a logarithmic axis."
    )


def _rows(
    task: str, named: dict[str, list[TrainingSettings]], what: str
) -> list[dict[str, object]]:
    seeds = [settings.seed for settings in named["1 head"]]
    totals = [cached_weightless_score(task, seed).total for seed in seeds]
    nats = [cached_weightless_loss(task, seed) for seed in seeds] if what == ACCURACY_COLUMN else []
    rows = [_row("weightless", None, totals, what) | {BEST_COLUMN: "–"} | _nats(nats)]
    for name, settings in named.items():
        found = [cached_score(one, visitor_run(one).points[-1][1]).total for one in settings]
        nats = (
            [visitor_run(one).unseen_losses[-1][1] for one in settings]
            if what == ACCURACY_COLUMN
            else []
        )
        mark = {
            BEST_COLUMN: format_number(
                one_answer_score(task, settings[0].n_heads, settings[0].widths[1]), 4
            )
        }
        rows.append(_row(name, settings[0].n_parameters, found, what) | mark | _nats(nats))
    return rows


def _nats(losses: Sequence[float]) -> dict[str, object]:
    """The mean cross-entropy of a model whose score is another number."""
    return {"cross-entropy": format_number(sum(losses) / len(losses), 4)} if losses else {}


def _row(name: str, size: int | None, totals: Sequence[float], what: str) -> dict[str, object]:
    row: dict[str, object] = {
        "model": name,
        "numbers to learn": f"{size:,}" if size else "–",
        what: format_number(sum(totals) / len(totals), 4),
    }
    if len(totals) > 1:
        row |= {"smallest": format_number(min(totals), 4), "largest": format_number(max(totals), 4)}
    return row


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
    for step in GRADIENTS.values():
        if step.name in BIASES and getattr(trace.projections, step.name) is None:
            continue
        left, right = st.columns([4, 5], vertical_alignment="center")
        left.latex(formula(trace, step.step, OURS))
        right.latex(step.formula)
        right.caption(step.sentence)
    steps = ADAM
    says = (
        "**Adam**: each number moves by the learning rate times the mean of its gradients, divided"
        " by their usual size"
    )
    if fact("adam_on_the_manifold", settings.constraint != "free"):
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
