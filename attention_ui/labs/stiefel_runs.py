"""Training with and without orthonormal columns: one layer, and a deep stack."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

import streamlit as st

from attention_lab.cache import Cache
from attention_lab.labs.deep_stack import stack_accuracy, train_stack, untrained_output_size
from attention_lab.labs.stack_settings import (
    MAX_LAYERS,
    STACK_VARIANTS,
    StackSettings,
    check_stack_settings,
    expected_stack_seconds,
)
from attention_lab.labs.training_settings import TrainingSettings, expected_seconds
from attention_viz.labels import format_number
from attention_viz.labs.training import loss_figure

from ..facts import fact
from ..show import show_figure
from ..url_state import choose_one, draw_bound
from .shared_runs import cached_score
from .visitor_runs import N_SEEDS, train_all, visitor_run

# Losses by step, accuracy, size of the outputs of the untrained stack.
Result = tuple[list[tuple[int, float]], float, float]
_stacks: Cache[StackSettings, Result] = Cache()
# The rows of the table of one layer: constraint and temperature, 0 for √d_k.
LAYER_VARIANTS = {
    "free": ("free", 0.0),
    "orthonormal": ("orthonormal", 0.0),
    "orthonormal, temperature ¼": ("orthonormal", 0.25),
    "orthonormal, temperature 1/16": ("orthonormal", 0.0625),
    "W_V alone orthonormal": ("orthonormal values", 0.0),
}


def show_one_layer() -> None:
    """One layer of two heads on a task: its matrices free or orthonormal, its temperature as usual
    or lower.
    """
    task = choose_one("Task", ("neighbours", "agreement"), "neighbours", key="stiefel_task")
    rows = {
        name: TrainingSettings(task, constraint=constraint, temperature=temperature)
        for name, (constraint, temperature) in LAYER_VARIANTS.items()
    }
    missing = [settings for settings in rows.values() if not visitor_run(settings).done]
    if missing:
        seconds = sum(map(expected_seconds, missing))
        st.caption(
            f"Runs still to be trained: {len(missing)} of {len(rows)}. Time: about {seconds:.0f} s."
        )
        label = "Train free and orthonormal layers"
        if st.button(label, icon=":material/play_arrow:", key="stiefel train"):
            train_all(missing, "stiefel train stop")
            st.rerun()
    else:
        _show_layers(rows)


def _show_layers(rows: dict[str, TrainingSettings]) -> None:
    """Draw the losses and errors of the trained layers, and say what they show."""
    left, right = st.columns([3, 2])
    with left:
        last = next(iter(rows.values())).last_step
        show_figure(
            loss_figure({name: visitor_run(one).losses for name, one in rows.items()}, last),
            "stiefel losses",
        )
    right.dataframe(
        [
            {
                "matrices": name,
                "error on unseen sequences": format_number(
                    cached_score(one, visitor_run(one).points[-1][1]).total, 4
                ),
            }
            for name, one in rows.items()
        ],
        hide_index=True,
        alt="Errors with and without orthonormal columns",
    )
    right.markdown(
        "With orthonormal columns **the matrices cannot grow**, so training cannot sharpen"
        " attention by larger weights. A lower temperature makes attention sharp again."
        " A temperature that is too low saturates the softmax: nearly all weight lies on"
        " one token before anything is learnt, and gradients become tiny."
    )


def show_deep_stack() -> None:
    """Stacks of layers with four starts and constraints: trained when a visitor asks for it, then
    kept for all by their settings.
    """
    wanted = _choose_stacks()
    missing = [one for settings in wanted.values() for one in settings if _stacks.get(one) is None]
    if missing:
        for settings in missing:
            check_stack_settings(settings)
        seconds = sum(map(expected_stack_seconds, missing))
        st.caption(f"Stacks still to be trained: {len(missing)}. Time: about {seconds:.0f} s.")
        if st.button("Train the stacks", icon=":material/play_arrow:", key="stiefel stacks"):
            _train_stacks(missing)
            st.rerun()
    done = {
        row: found
        for row, each in wanted.items()
        if (found := [result for one in each if (result := _stacks.get(one))])
    }
    if done:
        _show_stacks(done)


def _choose_stacks() -> dict[str, list[StackSettings]]:
    """Draw the widgets of the deep stack; return the settings of each row, seed by seed."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        loss = choose_one(
            "Loss",
            ("relative error", "cross-entropy"),
            "relative error",
            key="stiefel_loss",
            help="relative error: the loss with which the package trains.",
        )
        several = choose_one("Seeds", N_SEEDS, "one", key="stiefel_seeds")
        connection = draw_bound(st.toggle, "add_connection", key="stiefel_stack_connection")
        layers = draw_bound(st.slider, "Layers", 1, MAX_LAYERS, 12, key="stiefel_layers", width=200)
    about = {"connection": bool(connection)}
    return {
        row: [
            StackSettings(row, loss, int(layers), seed=seed, **about)
            for seed in range(N_SEEDS[several])
        ]
        for row in STACK_VARIANTS
    }


def _train_stacks(missing: Sequence[StackSettings]) -> None:
    progress, place = st.progress(0.0, "Training …"), st.empty()
    st.button(
        "Stop", icon=":material/stop:", help="Finished stacks stay.", key="stiefel stacks stop"
    )
    for place_of, settings in enumerate(missing):
        losses: list[tuple[int, float]] = []
        for point in train_stack(settings):
            losses.append((point.step, point.loss))
            words = (
                f"stack {place_of + 1} of {len(missing)} ({settings.variant}), step {point.step}:"
                f" loss {point.loss:.3f}"
            )
            progress.progress((place_of + point.step / settings.n_steps) / len(missing), words)
        accuracy, size = stack_accuracy(settings, point.weights), untrained_output_size(settings)
        _stacks.add(settings, (losses, accuracy, size))
        with place.container():
            show_figure(
                loss_figure({settings.variant: losses}, settings.n_steps),
                f"stiefel stack {place_of}",
            )
    place.empty()


def _show_stacks(done: dict[str, list[Result]]) -> None:
    left, right = st.columns([2, 3])
    with left:
        losses = {row: found[0][0] for row, found in done.items()}
        show_figure(loss_figure(losses, StackSettings.n_steps, height=300), "stiefel rows")
        if fact("several_seeds", any(len(found) > 1 for found in done.values())):
            st.caption("The lines show seed 0; the table shows all seeds.")
    right.dataframe(
        [_row(row, found) for row, found in done.items()],
        hide_index=True,
        alt="The stacks after training",
    )
    right.caption(
        "Size at the end: the root mean square of the numbers that leave the last layer before"
        " training."
    )
    right.markdown(
        "In twelve layers without residual connections Glorot’s numbers are too large for matrices"
        " of this shape. The numbers grow from layer to layer, and the softmax saturates. With the"
        " package’s loss, 200 steps of training then name about six pictures in ten, whereas the"
        " other three stacks name nearly all. Orthonormal columns at every step prevent this; **so"
        " does the right size at the start, without any constraint**. This is a small experiment"
        " with made-up pictures: it does not refute the package’s own experiment on handwritten"
        " digits."
    )


def _row(row: str, found: list[Result]) -> dict[str, object]:
    """A row of the table: means over the seeds, and the accuracy of each of several seeds."""
    accuracies = [accuracy for _, accuracy, _ in found]
    cells: dict[str, object] = {
        "start and constraint": STACK_VARIANTS[row].description,
        "accuracy": round(fmean(accuracies), 3),
    }
    if len(found) > 1:
        cells["of each seed"] = " ".join(f"{accuracy:.3f}" for accuracy in accuracies)
    return cells | {"size at the end": round(fmean(size for _, _, size in found), 1)}
