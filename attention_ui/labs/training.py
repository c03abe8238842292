"""Parts of the page *Training*: the run and its button, its score, its heads."""

from __future__ import annotations

from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attention_core import attend
from attention_core.projections import Projections
from attention_core.trace import Trace
from attention_lab.cache import cached
from attention_lab.heads.head_worth import without_heads
from attention_lab.labs.evaluation import one_answer_loss, one_answer_score
from attention_lab.labs.loss_curves import LossPoint
from attention_lab.labs.stored_runs import STORED_SETTINGS, stored_runs
from attention_lab.labs.tasks import N_UNSEEN, unseen_examples
from attention_lab.labs.training_settings import TrainingSettings
from attention_viz.labels import format_number, format_percent
from attention_viz.labs.training import loss_figure

from ..facts import fact
from ..layer_import import offer_story
from ..show import show_figure
from ..url_state import cell_places
from .shared_runs import cached_score, head_habits
from .visitor_runs import VisitorRun, continue_training, reset_run

WHOLE_LAYER = "whole layer"
# The label of the button, by whether a run is done and whether it has begun.
BUTTON_LABELS = {(False, False): "Train", (False, True): "Continue", (True, True): "Train again"}
NEIGHBOURS = {-1: "before", 1: "after"}
# What a reader of a row of attention must know, by whether the task is about agreement.
SEQUENCE_HINTS = {
    True: "♀ ♂ ○ are the genders, 1 singular, + plural.",
    False: "Point at a cell for its arithmetic.",
}
# What the score on unseen sequences is, by whether it counts right choices.
SCORE_MEANINGS = {
    True: "The share of right choices.",
    False: (
        "The squared error divided by the variance of the target: 0 is perfect, 1 is always saying"
        " the mean."
    ),
}


def show_answer() -> None:
    """Say why there are several heads, with the numbers of the stored runs."""
    settings, runs = STORED_SETTINGS, stored_runs()
    ends = {name: run.points[-1][1] for name, run in runs.items()}
    errors = {name: cached_score(settings[name], end).total for name, end in ends.items()}
    fact("stored_errors", errors)
    habits = head_habits(settings["2 heads"], ends["2 heads"])
    looks = fact("stored_offsets", [int(habits.offsets[row.argmax()]) for row in habits.masses])
    shares = [format_percent(float(row.max())) for row in habits.masses]
    one, wide, two = (f"{error:.4f}" for error in errors.values())
    heads = ", ".join(
        f"head {head} gives {share} to the token {NEIGHBOURS[offset]} it"
        for head, (offset, share) in enumerate(zip(looks, shares, strict=True))
    )
    st.markdown(
        f"The task asks for two things. **Error of 1 head: {one}. Of 1 head with as many numbers as"
        f" two: {wide}. Of 2 heads: {two}.** A head has one row of shares for each token, so it"
        f" answers one question. Of the 2 heads, {heads}."
    )


def show_run(run: VisitorRun, step: int, curve: DeltaGenerator, button: DeltaGenerator) -> None:
    """Draw the loss of a run, and the button that trains it while the visitor watches. step: the
    checkpoint shown.
    """
    place = curve.empty()
    floor, last = one_answer_loss(run.settings), run.settings.last_step

    def draw(key: int, marked: int | None = None) -> None:
        with place.container():
            show_figure(
                loss_figure(_shown_losses(run), last, floor=floor, marked=marked),
                f"train loss {key}",
            )

    draw(-1, marked=step)
    asked = st.session_state.pop("train asked", False) and not run.done
    own_step = 0 if run.is_stored else run.step
    label, icon = BUTTON_LABELS[own_step == last, own_step > 0], ":material/play_arrow:"
    if asked:
        label, icon = "Stop", ":material/stop:"
    button.button(  # the same button while it trains, so that it keeps the focus of the keyboard
        label,
        icon=icon,
        key="train go",
        width="stretch",
        on_click=_press_train,
        args=(run, not asked),
    )
    if asked:
        continue_training(run, button.progress(run.step / last, "Training …").progress, draw)
        st.rerun()


def _shown_losses(run: VisitorRun) -> dict[str, list[LossPoint]]:
    """The loss of a run by its name; beside a run whose settings are stored, the other stored ones
    for comparison.
    """
    if run.settings not in STORED_SETTINGS.values():
        return {"loss": run.losses}
    return {
        name: run.losses if settings == run.settings else stored_runs()[name].losses
        for name, settings in STORED_SETTINGS.items()
    }


def _press_train(run: VisitorRun, asked: bool) -> None:
    """Let the next run of the page train or stop; a finished run starts again."""
    st.session_state["train asked"] = asked
    if run.done:
        reset_run(run.settings)


def show_score(run: VisitorRun, step: int, projections: Projections) -> None:
    """Draw the score of the layer at a checkpoint, and that of heads with one answer each."""
    result = cached_score(run.settings, projections)
    best = one_answer_score(run.settings.task, run.settings.n_heads, run.settings.widths[1])
    fact("step", step)
    fact("total_on_unseen", result.total)
    fact("one_answer_per_head", best)
    name, said, best_said = "Error", format_number(result.total, 4), format_number(best, 4)
    if result.by_accuracy:
        name, said, best_said = "Right choices", format_percent(result.total), format_percent(best)
    with st.container(horizontal=True):
        st.metric("Step", f"{step:,}", help="The step of the checkpoint shown.", border=True)
        st.metric(
            f"{name} on unseen sequences",
            said,
            border=True,
            help=f"On {N_UNSEEN} sequences that no step saw. {SCORE_MEANINGS[result.by_accuracy]}",
        )
        st.metric(
            "One answer per head",
            best_said,
            border=True,
            help=(
                "A head uses the same row of attention for all its value features. If that row does"
                " not depend on the contents, the head answers one question. With K independent"
                " questions and h heads the mean error is then 1 − h/K; on"
                f" {N_UNSEEN} sequences it can be a bit smaller or larger. For *agreement* with one"
                " head this is the best compromise, found by search. For *letters* it counts a"
                " guess for what no head looks up. Values narrower than an answer bring a part of"
                " it. Training reaches this score unless narrow keys or orthonormal weights prevent"
                " it. Weights with a better score exist, but they are hard to find."
            ),
        )


def choose_silenced_head(n_heads: int) -> int | None:
    """Draw a button for each head; return the silenced head."""
    held = cell_places(
        "train_without", "Silenced head", "", (n_heads,), "A head is a whole number from 0"
    )
    chosen = next(iter(held or ()), None)
    labels: dict[int | None, str] = {None: WHOLE_LAYER} | {
        head: _without_head(head) for head in range(n_heads)
    }
    icons = {chosen: ":material/check:"}
    with st.container(horizontal=True, gap="small"):
        for head, label in labels.items():
            st.button(
                label,
                key=f"train without {head}",
                icon=icons.get(head),
                on_click=_silence,
                args=(head,),
            )
    return chosen


def _without_head(head: int) -> str:
    return f"without head {head}"


def part_scores(
    settings: TrainingSettings, projections: Projections, head: int | None
) -> dict[str, Any]:
    """The score of each part of the task: of the whole layer, and of the layer without a head."""
    scores = {WHOLE_LAYER: cached_score(settings, projections)}
    if head is not None:
        scores[_without_head(head)] = _score_without(settings, projections, head)
    return scores


@cached
def _score_without(settings: TrainingSettings, projections: Projections, head: int) -> Any:
    return cached_score(settings, without_heads(projections, [head]))


def run_sequence(settings: TrainingSettings, projections: Projections, sequence: int) -> Trace:
    """The layer run on one of the unseen sequences."""
    inputs_BTD = unseen_examples(settings.task).inputs[sequence : sequence + 1]
    return attend(inputs_BTD, projections, scale=settings.scale)


def offer_trained_layer(settings: TrainingSettings, projections: Projections, trace: Trace) -> None:
    """A button that shows the trained layer in the story, with the sequence as X, in place of the
    layer of the sidebar.
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
