"""The warning when heads do not divide the embedding size, with buttons that mend it."""

from __future__ import annotations

import streamlit as st

from attention_core.head_widths import nearest_divisors
from attention_lab.scenario import Scenario
from attention_lab.user_data.matrix_names import MAX_HEADS, MAX_MATRIX_WIDTH

from .facts import fact


def has_uneven_heads(scenario: Scenario) -> bool:
    """Whether heads do not divide the embedding size, and no width of a head is chosen."""
    has_widths = scenario.weights != "weightless" and (scenario.d_k or scenario.d_v)
    return bool(scenario.d_model % scenario.n_heads and not has_widths)


def offer_divisors(scenario: Scenario) -> None:
    """Draw the warning, with buttons for the nearest divisors and, if the weights allow it, for a
    free width.
    """
    width, heads = scenario.d_model, scenario.n_heads
    fact("uneven", (heads, width))
    st.warning(
        f"**{heads} heads cannot share {width} features evenly**: {width} / {heads} is not a whole"
        " number. Each head takes its own block of features of Q, K and V. In the usual layer all"
        " blocks together are as wide as the embedding, so that the joined heads fit the next"
        " layer. Choose one:",
        icon=":material/view_column:",
    )
    with st.container(horizontal=True):
        for count in nearest_divisors(width, heads):
            if count <= MAX_HEADS:
                st.button(
                    f"Heads: {count}",
                    on_click=st.session_state.update,
                    args=({"n_heads": count},),
                )
        for size in _near_multiples(width, heads):
            st.button(
                f"Embedding size: {size}",
                on_click=st.session_state.update,
                args=({"d_model": size},),
            )
        if scenario.weights != "weightless":
            free = max(1, round(width / heads))
            st.button(
                f"Heads: {heads}, each {free} wide",
                on_click=st.session_state.update,
                args=({"d_k": str(free), "d_v": str(free)},),
                help=(
                    "d_k and d_v need not be embedding / heads: W_O maps the joined heads back to"
                    " the embedding size."
                ),
            )


def _near_multiples(width: int, heads: int) -> list[int]:
    below = width // heads * heads
    return [size for size in (below, below + heads) if 1 <= size <= MAX_MATRIX_WIDTH]
