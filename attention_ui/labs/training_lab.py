"""What stands around the pictures of the training laboratory: the run, its verdict, its heads."""

from __future__ import annotations

from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attention_core import attend
from attention_core.cache import cached
from attention_core.projections import Projections
from attention_core.trace import Trace
from attention_lab.heads.head_worth import switch_off
from attention_lab.labs.evaluation import best_possible, loss_floor
from attention_lab.labs.tasks import N_TEST, unseen_examples
from attention_lab.labs.training_settings import (
    TrainingSettings,
)
from attention_viz.labels import number, percent
from attention_viz.labs.training_figures import loss_figure

from ..facts import fact
from ..own_layer import offer_story
from ..show import show_figure
from ..url_state import pinned
from .own_runs import OwnRun, train_again, train_on
from .training_run import score

# What the button says, by whether a run is done and whether it has begun.
LABELS = {(False, False): "Train", (False, True): "Continue", (True, True): "Train again"}


def watch(run: OwnRun, step: int, left: DeltaGenerator, right: DeltaGenerator) -> None:
    """The loss of a run, and the button that trains it while the user watches. step: the
    checkpoint looked at.
    """
    place = left.empty()
    floor, last = loss_floor(run.settings), run.settings.last_step

    def draw(key: int) -> None:
        with place.container():
            marked = step if key == -1 else None
            show_figure(
                loss_figure({"loss": run.losses}, last, floor=floor, marked=marked),
                f"train loss {key}",
            )

    draw(-1)
    asked = st.session_state.pop("train asked", False) and not run.done
    label, icon = LABELS[run.done, run.step > 0], ":material/play_arrow:"
    if asked:
        label, icon = "Stop", ":material/stop:"
    right.button(  # the same one while it trains, so that the keyboard stays on it
        label,
        icon=icon,
        key="train go",
        width="stretch",
        on_click=_go_on,
        args=(run, not asked),
    )
    if asked:
        train_on(run, right.progress(run.step / last, "Training …").progress, draw)
        st.rerun()


def _go_on(run: OwnRun, asked: bool) -> None:
    """Let the next run of the page train, from the start where the run has come to its end."""
    st.session_state["train asked"] = asked
    if run.done:
        train_again(run.settings)


def verdict(run: OwnRun, step: int, projections: Projections) -> None:
    """How well the layer does at a checkpoint, and how well heads with one answer each could."""
    result = score(run.settings, projections)
    best = best_possible(run.settings.task, run.settings.n_heads, run.settings.widths[1])
    fact("step", step)
    fact("total_on_unseen", result.total)
    fact("one_answer_per_head", best)
    name, show, says = "right choices", percent, "The share of right choices."
    if not result.by_accuracy:
        name, show = "error", _four_digits
        says = (
            "The squared error as a share of the target’s variance: 0 is perfect; the mean has 1."
        )
    with st.container(horizontal=True):
        st.metric("Step", f"{step:,}", help="Of the checkpoint that is looked at.", border=True)
        st.metric(
            f"{name.capitalize()} on unseen sequences",
            show(result.total),
            border=True,
            help=f"On {N_TEST} sequences that no step saw. {says}",
        )
        st.metric(
            "One answer per head",
            show(best),
            border=True,
            help=(
                "A head gives every value channel the same row of attention. Where that row does"
                " not depend on the contents it answers one question: with K independent questions"
                f" and h heads an error of 1 − h/K stays on average ({N_TEST} sequences can come"
                " out a bit better or worse). For agreement with one head the best compromise,"
                " found by search; for letters a guess for what no head looks up. Values narrower"
                " than an answer bring a part of it. Training comes this far unless keys of few"
                " numbers or orthonormal weights hold it back; weights that pass it exist, and are"
                " hard to find."
            ),
        )


def _four_digits(value: float) -> str:
    return number(value, 4)


def silenced(n_heads: int) -> int | None:
    """Draw a button for each head, and give which one is silenced."""
    held = pinned(
        "train_without", "Silenced head", "", (n_heads,), "A head is a whole number from 0"
    )
    chosen = next(iter(held or ()), None)
    with st.container(horizontal=True, gap="small"):
        for head in (None, *range(n_heads)):
            st.button(
                "whole layer" if head is None else f"without head {head}",
                key=f"train without {head}",
                icon=":material/check:" if head == chosen else None,
                on_click=_silence,
                args=(head,),
            )
    return chosen


def parts_of(
    settings: TrainingSettings, projections: Projections, head: int | None
) -> dict[str, Any]:
    """The score of every part of the task: of the whole layer, and without a head."""
    whole = {"whole layer": score(settings, projections)}
    if head is None:
        return whole
    return whole | {f"without head {head}": _without(settings, projections, head)}


@cached
def _without(settings: TrainingSettings, projections: Projections, head: int) -> Any:
    return score(settings, switch_off(projections, [head]))


def one_sequence(settings: TrainingSettings, projections: Projections, sequence: int) -> Trace:
    """The layer run on one of the unseen sequences."""
    inputs_BTD = unseen_examples(settings.task).inputs[sequence : sequence + 1]
    return attend(inputs_BTD, projections, scale=settings.scale)


def take_along(settings: TrainingSettings, projections: Projections, trace: Trace) -> None:
    """A button that puts the trained layer, and the sequence as X, in the place of those of the
    sidebar.
    """
    offer_story(
        projections,
        "train take",
        x=trace.inputs[0],
        disabled=settings.temperature != 0,
        controls={"mask": "none", "scaling": "on", "residual": False, "n_tokens": "fit"},
    )


def _silence(head: int | None) -> None:
    st.session_state["train_without"] = "" if head is None else str(head)
