"""Parts of the page *Orthonormal projections*: what orthonormal columns change, a random walk, the
package beside our engine.
"""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st

from attention_core.checks import Array, score_scale
from attention_lab.cache import cached
from attention_lab.diagonal.measures import TOLERANCE
from attention_lab.labs.column_effect import column_effect
from attention_lab.labs.julia_mapping import CONVENTIONS, mapping_example
from attention_lab.labs.sphere_step import SphereStep
from attention_lab.labs.sphere_step import sphere_step_example as globe_example
from attention_lab.labs.stiefel import PROJECTIONS, RETRACTIONS, orthonormality_drift
from attention_viz.labels import format_agreement, format_number
from attention_viz.labs.stiefel import drift_figure, mapping_board

from ..board import show_board
from ..facts import fact
from ..show import show_figure
from ..url_state import choose_one, draw_bound, seed_input

N_TOKENS, N_STEPS = 32, 1000
# With these controls the story shows the package's layer in the letters of its manual.
STORY_CHOICES = {
    "weights": "orthonormal",
    "output_matrix": "none",
    "residual": "true",
    "notation": "gml",
}
# The rows of the table: how the columns are drawn, and whether the scores are divided by √C instead
# of √n.
COLUMN_KINDS = {
    "orthonormal, 1/√n": ("orthonormal", False),
    "normal with variance 1/C, 1/√n": ("normal", False),
    "Glorot (default of the package), 1/√n": ("glorot", False),
    "orthonormal, 1/√C (as the package’s code)": ("orthonormal", True),
}
cached_column_effect = cached(column_effect)
_drift = cached(orthonormality_drift)


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


def show_drift() -> None:
    """A walk of 1,000 random steps with each retraction. It is computed when a visitor asks for it
    and then kept for all.
    """
    known = st.session_state.get("stiefel walked")
    if not known and not st.button(
        f"Walk {N_STEPS:,} steps", icon=":material/directions_walk:", key="stiefel walk"
    ):
        st.caption("Not measured yet; the walk takes about a second.")
        return
    if not known:
        progress = st.progress(0.0, "Walking …")
        for place, (name, retraction) in enumerate(RETRACTIONS.items()):
            _drift(name, n_steps=N_STEPS)
            progress.progress((place + 1) / len(RETRACTIONS), retraction.title)
        st.session_state["stiefel walked"] = True
        st.rerun()
    drifts = {name: _drift(name, n_steps=N_STEPS) for name in RETRACTIONS}
    show_figure(drift_figure(drifts), "stiefel drift")
    st.caption(
        "‖PᵀP − I‖, the distance from orthonormal columns, along a random walk of a 12 × 4 matrix."
        " QR and polar make the columns orthonormal again in each step. Cayley and geodesic rotate"
        " them, so rounding errors add up, but slowly."
    )


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
    if fact("same_layer", fact("difference_from_the_package", check.difference) <= TOLERANCE):
        right.badge(f"{outputs}: the same layer", color="green", icon=":material/check:")
    else:
        right.badge(outputs, color="red", icon=":material/close:")
    show_board(mapping_board(check), "stiefel mapping")
    st.caption(
        "N = 12 features, h = 3 heads, 7 tokens, orthonormal columns. The package’s manual and"
        " code differ: in the code P_Q and P_K have changed places, and the scores are divided"
        " by √N instead of √(N/h). add_connection adds the input to the output."
    )


def show_story_link() -> None:
    """A link that opens the story with the package's layer."""
    url = fact("walk", "projections?" + urlencode(STORY_CHOICES))
    st.markdown(
        f"**Walk through this layer:** [every step of the story in the package’s letters]({url}),"
        " with the tokens of your sentence, orthonormal columns, no W_O and add_connection."
    )
