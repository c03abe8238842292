"""What the training laboratory shows on demand: the models side by side, and the formulas of
the way back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from attention_core import STEPS
from attention_core.cache import cached
from attention_lab.labs.adam import ADAM
from attention_lab.labs.evaluation import best_possible
from attention_lab.labs.formula import Formula
from attention_lab.labs.gradient_trace import GRADIENTS
from attention_lab.labs.loss_curves import constant_loss, floors, mean_curve, weightless_loss
from attention_lab.labs.losses import LOSSES
from attention_lab.labs.readouts import weightless_score
from attention_lab.labs.stiefel_adam import STIEFEL_ADAM
from attention_lab.labs.tasks import N_TEST
from attention_lab.labs.training_settings import WIDE, TrainingSettings, expected_seconds, models
from attention_viz.labels import number
from attention_viz.labs.comparison_figure import comparison_figure

from ..facts import fact
from ..show import show_figure
from ..url_state import choose_one
from .own_runs import run_of, train_on
from .training_run import score

MARK, CHOICES = "one answer per head", "right choices"
SEED_COUNTS = {"one": 1, "five": 5}
weightless, weightless_costs = cached(weightless_score), cached(weightless_loss)


def comparison(task: str) -> None:
    """The models of a task side by side: a button that trains what has not been trained yet,
    and the table.
    """
    several = choose_one(
        "Seeds",
        tuple(SEED_COUNTS),
        "one",
        key="train_seeds",
        help="The seed decides how the weights are drawn and which sequences are seen.",
    )
    seeds = range(SEED_COUNTS[str(several)])
    named = {name: [models(task, seed)[name] for seed in seeds] for name in models(task)}
    missing = [one for settings in named.values() for one in settings if not run_of(one).done]
    seconds = sum(map(expected_seconds, missing))
    st.caption(f"Runs still to be trained: {len(missing)}, about {seconds:.0f} s.")
    if missing and st.button("Train them all", icon=":material/play_arrow:", key="train all"):
        _train_all(missing)
        st.rerun()
    if not missing:
        by_accuracy = run_of(named["1 head"][0]).settings.lesson.by_accuracy
        what = "error"
        if by_accuracy:
            what = CHOICES
        _curves(task, named)
        st.dataframe(_rows(task, named, what), hide_index=True, alt="The models side by side")
        wide = ""
        if fact("has_a_wide_head", WIDE in named):
            wide = " A wide head has as many numbers as two heads, but learns to answer only one."
        st.caption(
            f"{what.capitalize()} on {N_TEST} unseen sequences. Seeds:"
            f" {', '.join(map(str, fact('seeds_compared', list(seeds))))}. All other settings are"
            " those that this page starts with, not those chosen above. All models of a seed learn"
            " from the same sequences, which here do not depend on the weights. *weightless*:"
            " Q = K = V = X with the best linear readout, which needs no training. **Trained like"
            f" this, each head answers one question.**{wide} Weights made by hand can do more: on"
            " the page *Convolution* two heads ask for nine places."
        )


def _curves(task: str, named: dict[str, list[TrainingSettings]]) -> None:
    """The loss on the unseen sequences over the steps of each model, with what is left by the best
    constant and by one answer per head.
    """
    seeds = [one.seed for one in named["1 head"]]
    curves = {
        name: mean_curve([run_of(one).unseen_losses for one in settings])
        for name, settings in named.items()
    }
    level = sum(weightless_costs(task, seed) for seed in seeds) / len(seeds)
    left = floors(settings[0] for settings in named.values())
    marks = {"best constant": constant_loss(task)}
    marks |= {f"{MARK}, heads: {n_heads}": loss for n_heads, loss in left.items()}
    by_entropy = fact("losses_in_nats", named["1 head"][0].lesson.by_accuracy)
    what, constant = "error", "the variance of the targets, which counts as 1"
    if by_entropy:
        what = "cross-entropy in nats"
        constant = "the entropy of a letter, ln 6 nats: all six are equally likely"
    fact("curves", curves)
    fact("weightless_loss", level)
    fact("marks", marks)
    show_figure(comparison_figure(curves, {"weightless": level}, marks, what), "train models")
    st.caption(
        f"The {what} on the {N_TEST} unseen sequences"
        + (", the mean of five seeds" * (len(seeds) > 1))
        + f". *Best constant*: {constant}. The inputs decide the answer of every task, so the floor"
        " of a layer that answers everything is 0, which has no place on a logarithmic axis."
    )


def _train_all(missing: Sequence[TrainingSettings]) -> None:
    progress = st.progress(0.0, "Training …")
    st.button("Stop", icon=":material/stop:", help="Finished runs stay.", key="train all stop")
    for place, settings in enumerate(missing):
        train_on(run_of(settings), _within(progress.progress, place, len(missing)))


def _within(
    say: Callable[[float, str], object], place: int, total: int
) -> Callable[[float, str], object]:
    return lambda share, words: say((place + share) / total, f"run {place + 1} of {total}, {words}")


def _rows(
    task: str, named: dict[str, list[TrainingSettings]], what: str
) -> list[dict[str, object]]:
    seeds = [settings.seed for settings in named["1 head"]]
    totals = [weightless(task, seed).total for seed in seeds]
    nats = [weightless_costs(task, seed) for seed in seeds] if what == CHOICES else []
    rows = [_row("weightless", None, totals, what) | {MARK: "–"} | _nats(nats)]
    for name, settings in named.items():
        found = [score(one, run_of(one).points[-1][1]).total for one in settings]
        nats = [run_of(one).unseen_losses[-1][1] for one in settings] if what == CHOICES else []
        mark = {MARK: number(best_possible(task, settings[0].n_heads, settings[0].widths[1]), 4)}
        rows.append(_row(name, settings[0].n_parameters, found, what) | mark | _nats(nats))
    return rows


def _nats(losses: Sequence[float]) -> dict[str, object]:
    """The mean cross-entropy of a model where its score is another number."""
    if not losses:
        return {}
    return {"cross-entropy": number(sum(losses) / len(losses), 4)}


def _row(name: str, size: int | None, totals: Sequence[float], what: str) -> dict[str, object]:
    row: dict[str, object] = {
        "model": name,
        "numbers to learn": f"{size:,}" if size else "–",
        what: number(sum(totals) / len(totals), 4),
    }
    if len(totals) > 1:
        row |= {"smallest": number(min(totals), 4), "largest": number(max(totals), 4)}
    return row


def way_back(settings: TrainingSettings) -> None:
    """Every gradient beside the forward formula it undoes, in the order of the way back; the
    loss; the step.
    """
    loss = LOSSES[settings.lesson.loss]
    st.markdown("**The loss, and where it sends the output** ($Z$ is the target)")
    _formulas((loss.value, loss.gradient))
    st.markdown(
        "**Forward, and back** ($\\nabla_A$ is the gradient of the loss with respect to $A$)"
    )
    for step in GRADIENTS.values():
        if step.name in ("b_q", "b_k", "b_v"):
            continue  # the layers of this laboratory have b_O only
        left, right = st.columns([4, 5], vertical_alignment="center")
        left.latex(STEPS[step.step].formula)
        right.latex(step.formula)
        right.caption(step.sentence)
    if fact("adam_on_the_manifold", settings.constraint != "free"):
        st.markdown(
            "**Adam on the Stiefel manifold**, for matrices whose columns stay orthonormal; the"
            " others take the usual step"
        )
        _formulas(tuple(STIEFEL_ADAM.values()))
    else:
        st.markdown("**Adam**")
        _formulas(tuple(ADAM.values()))
    st.caption(
        "Written by hand as NumPy functions, one per formula, and tested against the automatic"
        " differentiation of PyTorch 2.13 and against finite differences."
    )


def _formulas(formulas: Sequence[Formula]) -> None:
    for formula in formulas:
        left, right = st.columns([4, 5], vertical_alignment="center")
        left.latex(formula.latex)
        right.caption(f"**{formula.title}**: {formula.says}")
