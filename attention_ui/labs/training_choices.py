"""The widgets of the page *Training* that choose the task, the model and how it is trained."""

from __future__ import annotations

from typing import Any

import streamlit as st

from attention_lab.labs.tasks import TRAINING_TASKS
from attention_lab.labs.training_settings import (
    CONSTRAINTS,
    SETTING_BOUNDS,
    WIDE_MODEL,
    TrainingSettings,
    expected_seconds,
)

from ..facts import fact
from ..reference.glossary import meaning
from ..url_state import PERSISTENCE, choose_one, draw_bound, seed_input, whole_number_input

# How many heads each model has.
HEADS_OF_MODELS = {
    "1 head": 1,
    WIDE_MODEL: 1,
    "2 heads": 2,
    "3 heads": 3,
    "4 heads": 4,
    "6 heads": 6,
}
OWN_SIZES = "own sizes"
LEARNING_RATES = ("0.001", "0.003", "0.01", "0.03", "0.1")
TEMPERATURE_LABELS = ("√d_k", "0.0625", "0.25", "0.5", "1", "2", "4")
# The divisor in the settings; 0 means √d_k.
DIVISORS = {"√d_k": 0.0} | {text: float(text) for text in TEMPERATURE_LABELS[1:]}


def choose_training() -> TrainingSettings:
    """Draw the widgets, each with fixed bounds and its value in the URL; return the settings."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        task = choose_one("Task", TRAINING_TASKS, "neighbours", **_key("task"))
        model = draw_bound(
            st.selectbox,
            "Model",
            (*HEADS_OF_MODELS, OWN_SIZES),
            2,
            required=True,
            width=150,
            **_key("model"),
        )
        more = st.popover("More choices", icon=":material/tune:")
    with more:
        seed = seed_input(**_key("seed"))
        sizes = _type_sizes() if model == OWN_SIZES else _sizes_of(task, str(model))
        n_steps, batch, rate, constraint, temperature = _choose_optimiser()
    return TrainingSettings(task, *sizes, n_steps, batch, rate, constraint, temperature, seed)


def _sizes_of(task: str, model: str) -> tuple[int, int, int]:
    """Heads, d_k and d_v of a named model; 0 means: as the task sets it."""
    return HEADS_OF_MODELS.get(model, 2), *(
        TRAINING_TASKS[task].wide if model == WIDE_MODEL else (0, 0)
    )


def _type_sizes() -> tuple[int, int, int]:
    """Heads, d_k and d_v that the visitor types."""
    n_heads = _whole_number("Heads", "n_heads", 2, "heads")
    d_k = _whole_number("d_k (0: set by the task)", "d_k", 0)
    return n_heads, d_k, _whole_number("d_v (0: set by the task)", "d_v", 0)


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
    n_numbers = fact("numbers_to_learn", settings.n_parameters)
    st.caption(
        f"Tokens: {task.n_tokens} · features: {task.d_model} · heads: {settings.n_heads}, each with"
        f" d_k {d_k} and d_v {d_v} · numbers to learn: {n_numbers:,} · steps:"
        f" {settings.last_step:,} · new sequences per step: {settings.batch} · time: about"
        f" {expected_seconds(settings):.1f} s"
    )


def _key(name: str) -> dict[str, Any]:
    return {"key": f"train_{name}", **PERSISTENCE}
