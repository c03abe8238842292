"""What the pages that read several sentences say of one that has no room for all its tokens."""

from __future__ import annotations

import streamlit as st

from attention_lab.scenario import Scenario, own_of
from attention_lab.user_data.matrix_names import MAX_TOKENS

from ..facts import fact


def say_cut(name: str, n_real: int, n_left_out: int, scenario: Scenario) -> None:
    """Say how many tokens of a sentence are left out, where some are, and how to have them all.

    An own X decides the length in place of the control.
    """
    if not n_left_out:
        return
    n_whole = n_real + n_left_out
    fact(f"left_out_of_the_{name.replace(' ', '_')}", n_left_out)
    can_grow = fact("longer_sequence_helps", n_whole <= MAX_TOKENS and own_of(scenario).x is None)
    st.caption(
        f"**{n_left_out} of the {n_whole} tokens** of the {name}"
        f" {'is' if n_left_out == 1 else 'are'} left out: there is room for {n_real}. "
        + (
            f"Sequence length {n_whole} in the sidebar makes room for all."
            if can_grow
            else "A shorter one fits."
        )
    )
