"""Parts of the page *Orthonormal projections*: what orthonormal columns change, the planes of
heads, the package beside our engine, and training one layer and a deep stack.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from attention_core.checks import Array, score_scale
from attention_lab.cache import Cache, cached
from attention_lab.diagonal.measures import TOLERANCE
from attention_lab.labs.deep_stack import stack_accuracy, train_stack, untrained_output_size
from attention_lab.labs.julia_mapping import CONVENTIONS, mapping_example
from attention_lab.labs.stack_settings import (
    MAX_LAYERS,
    STACK_VARIANTS,
    StackSettings,
    check_stack_settings,
    expected_stack_seconds,
)
from attention_lab.labs.stiefel import PROJECTIONS, RETRACTIONS, SphereStep, column_effect
from attention_lab.labs.stiefel import sphere_step_example as globe_example
from attention_lab.labs.subspaces import (
    EXAMPLE_WORDS,
    HEAD_SIZE,
    TOKEN_SIZE,
    HeadPlanes,
    example_planes,
)
from attention_lab.labs.training_settings import TrainingSettings, expected_seconds
from attention_viz.labels import format_agreement, format_number, format_percent
from attention_viz.labs.stiefel import mapping_board
from attention_viz.labs.subspaces import plane_figure, space_figure
from attention_viz.labs.training import loss_figure

from ..board import show_board
from ..show import show_figure
from ..url_state import choose_one, draw_bound, seed_input
from .training_runs import cached_score, train_all, visitor_run

N_TOKENS = 32
# The rows of the table: how the columns are drawn, and whether the scores are divided by √C instead
# of √n.
COLUMN_KINDS = {
    "orthonormal, 1/√n": ("orthonormal", False),
    "normal with variance 1/C, 1/√n": ("normal", False),
    "Glorot (default of the package), 1/√n": ("glorot", False),
    "orthonormal, 1/√C (as the package’s code)": ("orthonormal", True),
}
cached_column_effect = cached(column_effect)
N_HEADS = 2
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


def column_effects(
    d_model: int, n_heads: int, seed: int
) -> tuple[list[dict[str, object]], dict[str, Array]]:
    """What the columns change in a layer, as rows of a table; and the singular values of W_Q W_Kᵀ
    by the kind of columns.
    """
    rows: list[dict[str, object]] = []
    spectra = {}
    for title, (columns, by_model) in COLUMN_KINDS.items():
        scale = None
        if by_model:
            scale = score_scale(None, d_model)
        found = cached_column_effect(
            columns, d_model, n_heads, n_tokens=N_TOKENS, scale=scale, seed=seed
        )
        values = found.singular_values
        rows.append(
            {
                "columns of each head": title,
                "condition of W_Q": format_number(found.condition, 2),
                "singular values of W_Q W_Kᵀ": (
                    f"{format_number(float(values[0]), 2)} … {format_number(float(values[-1]), 2)}"
                ),
                "spread of the scores": format_number(found.score_spread, 2),
                "entropy (nats)": format_number(found.entropy, 2),
            }
        )
        if not by_model:
            spectra[columns] = values
    return rows, spectra


def show_formulas() -> None:
    """The formulas of projections onto the tangent space and of retractions."""
    for formula in (*PROJECTIONS.values(), *RETRACTIONS.values()):
        left, right = st.columns(2, vertical_alignment="center")
        left.latex(formula.latex)
        right.caption(f"**{formula.title}**: {formula.sentence}")


def choose_sphere_step() -> SphereStep:
    """Draw the widgets of a step on the sphere; return the step."""
    length = draw_bound(st.slider, "Step size", 0.1, 3.0, 1.5, 0.1, key="stiefel_step")
    turn = draw_bound(
        st.slider, "Direction of the gradient", 0, 360, 210, 15, format="%d°", key="stiefel_turn"
    )
    outward = draw_bound(
        st.slider, "Part of the gradient along Y", -1.0, 1.0, -0.5, 0.1, key="stiefel_outward"
    )
    return globe_example(float(turn), float(outward), float(length))


def show_mapping() -> None:
    """GeometricMachineLearning.jl beside our engine: the convention, the weights that give the same
    layer here, and the difference.
    """
    with st.container(horizontal=True, vertical_alignment="bottom"):
        convention = choose_one(
            "The package’s formula as in its", CONVENTIONS, "manual", key="stiefel_convention"
        )
        connection = draw_bound(st.toggle, "add_connection", key="stiefel_connection")
        seed = seed_input(key="stiefel_mapping_seed")
    check = mapping_example(convention, bool(connection), seed)
    chosen = CONVENTIONS[convention]
    left, right = st.columns(2, vertical_alignment="center")
    left.markdown(
        "**The package**: tokens are columns. The outputs of the heads are joined one below the"
        f" other. {chosen.formula.sentence}"
    )
    theirs, ours = chosen.formula.latex, "Y = O"
    if connection:
        theirs, ours = f"{theirs} + Z", "Y = O + X"
    left.latex(theirs)
    right.markdown("**The same layer here**: tokens are rows.")
    equations = [r"X = Z^{\top}", *chosen.ours.split(r",\ "), ours]
    right.latex(
        r",\quad\allowbreak ".join(f"{{{equation}}}" for equation in equations)
    )  # lines break between the equations only
    outputs = f"the outputs {format_agreement(check.difference, TOLERANCE)}"
    if check.difference <= TOLERANCE:
        right.badge(f"{outputs}: the same layer", color="green", icon=":material/check:")
    else:
        right.badge(outputs, color="red", icon=":material/close:")
    show_board(mapping_board(check), "stiefel mapping")
    st.caption(
        "N = 12 features, h = 3 heads, 7 tokens, orthonormal columns. The package’s manual and"
        " code differ: in the code P_Q and P_K have changed places, and the scores are divided"
        " by √N instead of √(N/h). add_connection adds the input to the output."
    )


def show_subspaces(seed: int) -> None:
    """Draw the tokens in space with the plane of a head, and beside it what each head reads."""
    st.markdown(
        f"A head reads a token through its matrix P, here {TOKEN_SIZE} × {HEAD_SIZE}. It sees the"
        " shadow of the token in a plane, the **subspace** of the head. Two tokens that are near"
        " each other in this plane may be far apart in the plane of another head. So heads can find"
        " different features. Drag to turn the picture."
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        heads = tuple(f"head {head}" for head in range(N_HEADS))
        head = heads.index(choose_one("Plane of", heads, heads[0], key="stiefel_plane"))
        orthonormal = draw_bound(
            st.toggle, "Orthonormal columns", True, key="stiefel_plane_columns"
        )
    planes = example_planes(N_HEADS, seed, bool(orthonormal))
    left, *right = st.columns([1.2, *[1] * N_HEADS])
    with left:
        show_figure(space_figure(planes, head), "subspaces")
    for place, column in enumerate(right):
        with column:
            show_figure(plane_figure(planes, place), f"plane of head {place}")
    _show_lengths(planes)
    table = [
        f"| share of the squared length in the plane | {' | '.join(EXAMPLE_WORDS)} |",
        f"|---|{'--:|' * len(EXAMPLE_WORDS)}",
    ]
    for place, row in enumerate(planes.length_shares):
        shares = " | ".join(format_percent(float(share)) for share in row)
        table.append(f"| **head {place}** | {shares} |")
    st.markdown("\n".join(table))


def _show_lengths(planes: HeadPlanes) -> None:
    """Say whether the numbers of a head keep the lengths and angles of its plane."""
    stretch = planes.stretch
    if stretch < 1e-12:
        st.markdown(
            "**PᵀP = I:** the two numbers of a head are coordinates at right angles in its plane."
            " So distances and angles in the plane are those of the picture. PPᵀ is a projector:"
            " (PPᵀ)² = PPᵀ. P itself is not square, so it is not a projector."
        )
    else:
        st.markdown(
            "**Free columns** span a plane, too, but they stretch it. The length of a token in the"
            " numbers of a head differs from its length in the plane, and angles change. Largest"
            f" difference: **{format_percent(stretch)}** of the length."
        )


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
    missing = [one for one in wanted.values() if _stacks.get(one) is None]
    if missing:
        for settings in missing:
            check_stack_settings(settings)
        seconds = sum(map(expected_stack_seconds, missing))
        st.caption(f"Stacks still to be trained: {len(missing)}. Time: about {seconds:.0f} s.")
        if st.button("Train the stacks", icon=":material/play_arrow:", key="stiefel stacks"):
            _train_stacks(missing)
            st.rerun()
    if done := {row: found for row, one in wanted.items() if (found := _stacks.get(one))}:
        _show_stacks(done)


def _choose_stacks() -> dict[str, StackSettings]:
    """Draw the widgets of the deep stack; return the settings of each row."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        loss = choose_one(
            "Loss",
            ("relative error", "cross-entropy"),
            "relative error",
            key="stiefel_loss",
            help="relative error: the loss with which the package trains.",
        )
        connection = draw_bound(st.toggle, "add_connection", key="stiefel_stack_connection")
        layers = draw_bound(st.slider, "Layers", 1, MAX_LAYERS, 12, key="stiefel_layers", width=200)
    return {
        row: StackSettings(row, loss, int(layers), connection=bool(connection))
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


def _show_stacks(done: dict[str, Result]) -> None:
    left, right = st.columns([2, 3])
    with left:
        losses = {row: found[0] for row, found in done.items()}
        show_figure(loss_figure(losses, StackSettings.n_steps, height=300), "stiefel rows")
    right.dataframe(
        [
            {
                "start and constraint": STACK_VARIANTS[row].description,
                "accuracy": round(accuracy, 3),
                "size at the end": round(size, 1),
            }
            for row, (_, accuracy, size) in done.items()
        ],
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
