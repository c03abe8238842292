"""The parts of the laboratory of orthonormal columns: what the constraint changes, and what it
is good for.
"""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st

from attention_core.cache import cached
from attention_core.checks import Array, score_scale
from attention_lab.diagonal.measures import TOLERANCE
from attention_lab.labs.column_effect import column_effect
from attention_lab.labs.julia_mapping import CONVENTIONS
from attention_lab.labs.lab_examples import globe_step as globe_example
from attention_lab.labs.lab_examples import mapping_example
from attention_lab.labs.sphere_step import SphereStep
from attention_lab.labs.stiefel import PROJECTIONS, RETRACTIONS, orthonormality_drift
from attention_viz.labels import agreement, number
from attention_viz.labs.stiefel import drift_figure, mapping_board

from ..board import show_board
from ..facts import fact
from ..show import show_figure
from ..url_state import bound, choose_one, seed_input

N_TOKENS, N_STEPS = 32, 1000
# The choices with which the story is the package's layer, in its manual's letters.
WALK = {
    "weights": "orthonormal",
    "output_matrix": "none",
    "residual": "true",
    "notation": "gml",
}
# The rows of the table: how the columns are drawn, and whether the scores are divided by √C in
# place of √n.
WAYS = {
    "orthonormal, 1/√n": ("orthonormal", False),
    "normal with variance 1/C, 1/√n": ("normal", False),
    "Glorot (default of the package), 1/√n": ("glorot", False),
    "orthonormal, 1/√C (as the package’s code)": ("orthonormal", True),
}
effect = cached(column_effect)
_drift = cached(orthonormality_drift)


def effects(
    d_model: int, n_heads: int, seed: int
) -> tuple[list[dict[str, object]], dict[str, Array]]:
    """What the columns do to a layer, as the rows of a table; and the singular values of W_Q
    W_Kᵀ by their way.
    """
    rows: list[dict[str, object]] = []
    spectra = {}
    for title, (columns, by_model) in WAYS.items():
        scale = score_scale(None, d_model) if by_model else None
        found = effect(columns, d_model, n_heads, n_tokens=N_TOKENS, scale=scale, seed=seed)
        values = found.singular_values
        rows.append(
            {
                "columns of each head": title,
                "condition of W_Q": number(found.condition, 2),
                "singular values of W_Q W_Kᵀ": (
                    f"{number(float(values[0]), 2)} … {number(float(values[-1]), 2)}"
                ),
                "spread of the scores": number(found.score_spread, 2),
                "entropy (nats)": number(found.entropy, 2),
            }
        )
        if not by_model:
            spectra[columns] = values
    return rows, spectra


def drift() -> None:
    """A walk of 1,000 random steps with every retraction: made when it is asked for, then kept
    for all visitors.
    """
    known = st.session_state.get("stiefel walked")
    if not known and not st.button(
        f"Walk {N_STEPS:,} steps", icon=":material/directions_walk:", key="stiefel walk"
    ):
        st.caption("About a second. Nothing has been measured yet.")
        return
    progress = st.progress(0.0, "Walking …") if not known else None
    drifts = {}
    for place, name in enumerate(RETRACTIONS):
        drifts[name] = _drift(name, n_steps=N_STEPS)
        if progress:
            progress.progress((place + 1) / len(RETRACTIONS), RETRACTIONS[name].title)
    st.session_state["stiefel walked"] = True
    if progress:
        st.rerun()
    show_figure(drift_figure(drifts), "stiefel drift")
    st.caption(
        "‖PᵀP − I‖ along a random walk of a 12 × 4 matrix. QR and polar make the columns"
        " orthonormal anew each time; Cayley and geodesic turn them, so rounding adds up, but"
        " slowly."
    )


def formulas() -> None:
    """How to move on the manifold."""
    for formula in (*PROJECTIONS.values(), *RETRACTIONS.values()):
        left, right = st.columns(2, vertical_alignment="center")
        left.latex(formula.latex)
        right.caption(f"**{formula.title}**: {formula.says}")


def globe_step() -> SphereStep:
    """Draw the choice of a step on the sphere, and make it."""
    length = bound(st.slider, "Step size", 0.1, 3.0, 1.5, 0.1, key="stiefel_step")
    turn = bound(
        st.slider, "Direction of the gradient", 0, 360, 210, 15, format="%d°", key="stiefel_turn"
    )
    outward = bound(st.slider, "Its part along Y", -1.0, 1.0, -0.5, 0.1, key="stiefel_outward")
    return globe_example(float(turn), float(outward), float(length))


def mapping() -> None:
    """GeometricMachineLearning.jl beside our engine: the convention, the weights it needs here,
    and the difference.
    """
    with st.container(horizontal=True, vertical_alignment="bottom"):
        convention = choose_one(
            "Written as in the package’s", CONVENTIONS, "manual", key="stiefel_convention"
        )
        connection = bound(st.toggle, "add_connection", key="stiefel_connection")
        seed = seed_input(key="stiefel_mapping_seed")
    check = mapping_example(convention, bool(connection), seed)
    chosen = CONVENTIONS[convention]
    left, right = st.columns(2, vertical_alignment="center")
    left.markdown(
        "**The package**, tokens as columns, head by head, joined one below the other:"
        f" {chosen.formula.says}"
    )
    theirs, output = chosen.formula.latex, "Y = O"
    if connection:
        theirs, output = f"{theirs} + Z", "Y = O + X"
    left.latex(theirs)
    right.markdown("**The same here**, tokens as rows:")
    equations = [
        r"X = Z^{\top}",
        *chosen.ours.split(r",\ "),
        output,
    ]
    right.latex(
        r",\quad\allowbreak ".join(f"{{{equation}}}" for equation in equations)
    )  # broken between them only
    same = fact("same_layer", fact("difference_from_the_package", check.difference) <= TOLERANCE)
    outputs = f"the outputs {agreement(check.difference, TOLERANCE)}"
    if same:
        right.badge(f"{outputs}: the same layer", color="green", icon=":material/check:")
    else:
        right.badge(outputs, color="red", icon=":material/close:")
    show_board(mapping_board(check), "stiefel mapping")
    st.caption(
        "N = 12 features, h = 3 heads, 7 tokens, orthonormal columns. Manual and code differ: in"
        " the code P_Q and P_K have changed places, and √N divides the scores in place of √(N/h)."
    )


def walk() -> None:
    """A link to the story with the package's layer."""
    address = fact("walk", "projections?" + urlencode(WALK))
    st.markdown(
        f"**Walk through this layer:** [every step of the story in its letters]({address}), with"
        " your sentence for the tokens, orthonormal columns, no W_O and add_connection."
    )
