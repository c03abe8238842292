"""Parts of the page *Training*: the choices of task, model and training, the run and its button,
its score, its heads.
"""

from __future__ import annotations

from typing import Any, NamedTuple

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
from attention_lab.labs.tasks import N_UNSEEN, TRAINING_TASKS, unseen_examples
from attention_lab.labs.training_settings import (
    CONSTRAINTS,
    SETTING_BOUNDS,
    WIDE_MODEL,
    TrainingSettings,
    expected_seconds,
)
from attention_viz.labels import format_number, format_percent
from attention_viz.labs.training import loss_figure
from attention_viz.reference.glossary import meaning

from ..layer_import import offer_story
from ..show import show_figure
from ..url_state import (
    PERSISTENCE,
    cell_places,
    choose_one,
    draw_bound,
    seed_input,
    whole_number_input,
)
from .training_runs import VisitorRun, cached_score, continue_training, head_habits, reset_run

# How many heads each model has.
HEADS_OF_MODELS = {
    "1 head": 1,
    WIDE_MODEL: 1,
    "2 heads": 2,
    "3 heads": 3,
    "4 heads": 4,
    "6 heads": 6,
}
LEARNING_RATES = ("0.001", "0.003", "0.01", "0.03", "0.1")
TEMPERATURE_LABELS = ("√d_k", "0.0625", "0.25", "0.5", "1", "2", "4")
# The divisor in the settings; 0 means √d_k.
DIVISORS = {"√d_k": 0.0} | {text: float(text) for text in TEMPERATURE_LABELS[1:]}
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


def choose_training() -> TrainingSettings:
    """Draw the widgets, each with fixed bounds and its value in the URL; return the settings."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        task = choose_one("Task", TRAINING_TASKS, "neighbours", **_key("task"))
        model = draw_bound(
            st.selectbox,
            "Model",
            tuple(HEADS_OF_MODELS),
            2,
            required=True,
            width=150,
            **_key("model"),
        )
        more = st.popover("More choices", icon=":material/tune:")
    with more:
        seed = seed_input(**_key("seed"))
        n_steps, batch, rate, constraint, temperature = _choose_optimiser()
    widths = TRAINING_TASKS[task].wide if model == WIDE_MODEL else (0, 0)  # 0: as the task sets it
    return TrainingSettings(
        task, HEADS_OF_MODELS[model], *widths, n_steps, batch, rate, constraint, temperature, seed
    )


def _choose_optimiser() -> tuple[int, int, float, str, float]:
    """Steps, batch, learning rate, constraint, and temperature, 0 for √d_k."""
    n_steps = _whole_number("Steps (0: set by the task)", "n_steps", 0, "steps", step=100)
    batch = _whole_number("Sequences per step", "batch", 32)
    rate = draw_bound(st.select_slider, "Learning rate", LEARNING_RATES, "0.01", **_key("rate"))
    constraint = draw_bound(
        st.selectbox,
        "Columns of W_Q, W_K, W_V",
        tuple(CONSTRAINTS),
        required=True,
        **_key("constraint"),
        help=(
            "free: all numbers can change. orthonormal: the columns of each head stay at length 1"
            " and at right angles to each other in training (Stiefel manifold). orthonormal values:"
            " this holds for W_V only."
        ),
    )
    temperature = draw_bound(
        st.select_slider,
        "Temperature: scores are divided by",
        TEMPERATURE_LABELS,
        **_key("temperature"),
        help=meaning("temperature"),
    )
    return n_steps, batch, float(rate), str(constraint), DIVISORS[str(temperature)]


def _whole_number(label: str, limit: str, default: int, name: str = "", **more: Any) -> int:
    """A field for a number. limit: its name in the bounds of the settings; name: in the URL."""
    about = _key(name or limit) | more
    return whole_number_input(st, label, *SETTING_BOUNDS[limit], default, **about)


def show_task(settings: TrainingSettings) -> None:
    """Draw the task in words."""
    st.markdown(f"**“{settings.training_task.instruction}”**")


def show_sizes(settings: TrainingSettings) -> None:
    """Draw the size of the layer and of its training."""
    task = settings.training_task
    d_k, d_v = settings.widths
    st.caption(
        f"Tokens: {task.n_tokens} · features: {task.d_model} · heads: {settings.n_heads}, each with"
        f" d_k {d_k} and d_v {d_v} · numbers to learn: {settings.n_parameters:,} · steps:"
        f" {settings.last_step:,} · new sequences per step: {settings.batch} · time: about"
        f" {expected_seconds(settings):.1f} s"
    )


def _key(name: str) -> dict[str, Any]:
    return {"key": f"train_{name}", **PERSISTENCE}


class StoredAnswer(NamedTuple):
    """Why there are several heads, in the numbers of the stored runs.

    errors: on unseen sequences, by the model. offsets, shares: where each of the 2 heads looks, and
    with how much of its attention.
    """

    errors: dict[str, float]
    offsets: list[int]
    shares: list[float]


def stored_answer() -> StoredAnswer:
    """The numbers of the stored runs."""
    ends = {name: run.points[-1][1] for name, run in stored_runs().items()}
    habits = head_habits(STORED_SETTINGS["2 heads"], ends["2 heads"])
    return StoredAnswer(
        {name: cached_score(STORED_SETTINGS[name], end).total for name, end in ends.items()},
        [int(habits.offsets[row.argmax()]) for row in habits.masses],
        [float(row.max()) for row in habits.masses],
    )


def show_answer() -> None:
    """Say why there are several heads."""
    found = stored_answer()
    one, wide, two = (f"{error:.4f}" for error in found.errors.values())
    heads = ", ".join(
        f"head {head} gives {format_percent(share)} to the token {NEIGHBOURS[offset]} it"
        for head, (offset, share) in enumerate(zip(found.offsets, found.shares, strict=True))
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
