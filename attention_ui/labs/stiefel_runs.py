"""Training on and off the manifold: one layer with temperatures, and the stack of twelve layers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from statistics import fmean

import streamlit as st

from attention_core.cache import Cache
from attention_lab.labs.deep_stack import stack_accuracy, train_stack
from attention_lab.labs.lab_examples import untrained_size
from attention_lab.labs.stack_settings import (
    LIMITS,
    ROWS,
    StackSettings,
    check_stack,
    expected_stack_seconds,
)
from attention_lab.labs.training_settings import TrainingSettings, expected_seconds
from attention_viz.labels import counted, number
from attention_viz.labs.training_figures import loss_figure

from ..facts import fact
from ..show import show_figure
from ..url_state import bound, choose_one
from .own_runs import run_of, train_on
from .training_run import score

# Losses by step, accuracy, size of the activations at the start.
Result = tuple[list[tuple[int, float]], float, float]
_stacks: Cache[StackSettings, Result] = Cache()
# The rows of the table of one layer: constraint and temperature, 0 for √d_k.
LAYERS = {
    "free": ("free", 0.0),
    "orthonormal": ("orthonormal", 0.0),
    "orthonormal, temperature ¼": ("orthonormal", 0.25),
    "orthonormal, temperature 1/16": ("orthonormal", 0.0625),
    "W_V alone orthonormal": ("orthonormal values", 0.0),
}


def one_layer() -> None:
    """One layer of two heads on a task, its matrices free or orthonormal, and with sharper
    scores.
    """
    task = choose_one("Task", ("neighbours", "agreement"), "neighbours", key="stiefel_task")
    rows = {
        name: TrainingSettings(task, constraint=constraint, temperature=temperature)
        for name, (constraint, temperature) in LAYERS.items()
    }
    missing = [settings for settings in rows.values() if not run_of(settings).done]
    if missing:
        seconds = sum(map(expected_seconds, missing))
        st.caption(
            f"Still to be trained: {len(missing)} of {counted(len(rows), 'run')}, about"
            f" {seconds:.0f} s."
        )
        label = "Train on and off the manifold"
        if st.button(label, icon=":material/play_arrow:", key="stiefel train"):
            _train_layers(missing)
            st.rerun()
    else:
        _layers(rows)


def _train_layers(missing: Sequence[TrainingSettings]) -> None:
    progress = st.progress(0.0, "Training …")
    st.button("Stop", icon=":material/stop:", help="Finished runs stay.", key="stiefel train stop")

    def say(place: int, share: float, words: str) -> None:
        progress.progress((place + share) / len(missing), words)

    for place, settings in enumerate(missing):
        train_on(run_of(settings), partial(say, place))


def _layers(rows: dict[str, TrainingSettings]) -> None:
    """The losses and the errors of the trained layers, and what they show."""
    left, right = st.columns([3, 2])
    with left:
        last = next(iter(rows.values())).last_step
        show_figure(
            loss_figure({name: run_of(one).losses for name, one in rows.items()}, last),
            "stiefel losses",
        )
    right.dataframe(
        [
            {
                "matrices": name,
                "error on unseen sequences": number(score(one, run_of(one).points[-1][1]).total, 4),
            }
            for name, one in rows.items()
        ],
        hide_index=True,
        alt="Errors with and without orthonormal columns",
    )
    right.markdown(
        "Orthonormal columns **freeze the size of the scores**, so attention cannot get sharp by"
        " growing its weights. A lower temperature gives the sharpness back; one that is too low"
        " saturates the softmax before anything is learnt."
    )


def deep_stack() -> None:
    """The four rows of the table of twelve layers: trained when asked for, kept by their
    settings.
    """
    wanted = _wanted()
    missing = [one for settings in wanted.values() for one in settings if _stacks.get(one) is None]
    if missing:
        for settings in missing:
            check_stack(settings)
        seconds = sum(map(expected_stack_seconds, missing))
        st.caption(f"Still to be trained: {counted(len(missing), 'stack')}, about {seconds:.0f} s.")
        if st.button("Train the stacks", icon=":material/play_arrow:", key="stiefel stacks"):
            _train(missing)
            st.rerun()
    done = {
        row: found
        for row, each in wanted.items()
        if (found := [result for one in each if (result := _stacks.get(one))])
    }
    if done:
        _table(done)


def _wanted() -> dict[str, list[StackSettings]]:
    """Draw the choices of the deep stack; give the settings of every row, seed by seed."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        loss = choose_one(
            "Loss",
            ("relative error", "cross-entropy"),
            "relative error",
            key="stiefel_loss",
            help="relative error: as the package trains.",
        )
        several = choose_one("Seeds", ("one", "five"), "one", key="stiefel_seeds")
        connection = bound(st.toggle, "add_connection", key="stiefel_stack_connection")
        layers = bound(
            st.slider, "Layers", *LIMITS["n_layers"], 12, key="stiefel_layers", width=200
        )
    about = {"connection": bool(connection)}
    return {
        row: [
            StackSettings(row, loss, int(layers), seed=seed, **about)
            for seed in range(5 if several == "five" else 1)
        ]
        for row in ROWS
    }


def _train(missing: Sequence[StackSettings]) -> None:
    progress, place = st.progress(0.0, "Training …"), st.empty()
    st.button(
        "Stop", icon=":material/stop:", help="Finished stacks stay.", key="stiefel stacks stop"
    )
    for place_of, settings in enumerate(missing):
        losses: list[tuple[int, float]] = []
        for point in train_stack(settings):
            losses.append((point.step, point.loss))
            words = (
                f"stack {place_of + 1} of {len(missing)} ({settings.row}), step {point.step}: loss"
                f" {point.loss:.3f}"
            )
            progress.progress((place_of + point.step / settings.n_steps) / len(missing), words)
        accuracy, size = stack_accuracy(settings, point.weights), untrained_size(settings)
        _stacks.add(settings, (losses, accuracy, size))
        with place.container():
            show_figure(
                loss_figure({settings.row: losses}, settings.n_steps), f"stiefel stack {place_of}"
            )
    place.empty()


def _table(done: dict[str, list[Result]]) -> None:
    left, right = st.columns([2, 3])
    with left:
        losses = {row: found[0][0] for row, found in done.items()}
        show_figure(loss_figure(losses, StackSettings.n_steps, height=300), "stiefel rows")
        if fact("several_seeds", any(len(found) > 1 for found in done.values())):
            st.caption("The lines are those of the first seed, 0; the table has them all.")
    right.dataframe(
        [
            {
                "start and constraint": ROWS[row].says,
                "accuracy": round(fmean(accuracy for _, accuracy, _ in found), 3),
                **(
                    {"of each seed": " ".join(f"{accuracy:.3f}" for _, accuracy, _ in found)}
                    if len(found) > 1
                    else {}
                ),
                "size at the end": round(fmean(size for _, _, size in found), 1),
            }
            for row, found in done.items()
        ],
        hide_index=True,
        alt="The stacks after training",
    )
    right.caption(
        "Size at the end: of the numbers that leave the last layer before anything is learnt."
    )
    right.markdown(
        "In twelve layers without skips Glorot’s numbers are too large for matrices of this shape:"
        " layer after layer everything grows and the softmax saturates: with the package’s loss 200"
        " steps bring it to about six pictures in ten, where the others name nearly all. Staying on"
        " the manifold cures it there; **so does the right size at the start, without any"
        " constraint**. A small experiment with made-up pictures: it does not refute the package’s"
        " own on handwritten digits."
    )
