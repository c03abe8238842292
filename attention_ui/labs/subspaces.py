"""The planes of heads: tokens of three features, and the two numbers that each head reads."""

from __future__ import annotations

import streamlit as st

from attention_lab.labs.subspaces import (
    EXAMPLE_WORDS,
    HEAD_SIZE,
    TOKEN_SIZE,
    HeadPlanes,
    example_planes,
)
from attention_viz.labels import format_percent
from attention_viz.labs.subspaces import plane_figure, space_figure

from ..facts import fact
from ..show import show_figure
from ..url_state import choose_one, draw_bound

N_HEADS = 2


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
    fact("kept_in_the_planes", planes.length_shares)
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
    if fact("lengths_are_kept", stretch < 1e-12):
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
