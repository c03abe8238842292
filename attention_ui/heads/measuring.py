"""Measurements are made when they are asked for, kept for the visit, and shown for the sizes
they belong to.
"""

from __future__ import annotations

import streamlit as st

from attention_lab.heads.counts import LayerSize
from attention_lab.heads.scheme_runs import Run, runs_as_grows

from ..facts import fact

STATE = "measured runs"


def measured_runs(size: LayerSize, letter: str) -> tuple[Run, ...]:
    """Draw the button that measures, and give what was measured for these sizes; nothing before
    it was asked for.
    """
    if st.button("Measure time and memory here", icon=":material/timer:", key="measure ways"):
        with st.spinner("Measuring, at most a few seconds."):
            st.session_state[STATE] = (size, letter, runs_as_grows(size, letter))
    of_size, of_letter, runs = st.session_state.get(STATE, (None, "", ()))
    if (of_size, of_letter) == (size, letter):
        return tuple(runs)
    st.caption(
        "What you measured belongs to other sizes; measure again."
        if fact("measured_for_other_sizes", bool(runs))
        else "Nothing has been measured yet."
    )
    return ()
