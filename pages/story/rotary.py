"""Rotary positions: every pair of features is turned by an angle that grows with the position."""

import streamlit as st

from attention_lab.rotary_pairs import pair_of, shift_gap
from attention_ui.panels import look_closer
from attention_ui.show import show_figure
from attention_ui.step import show_option_step
from attention_viz.labels import format_number
from attention_viz.story.rotary_figure import pair_figure

now, field, arithmetic = show_option_step("turned")
trace = now.trace
pair = pair_of(trace, field, arithmetic.index)
left, right = st.columns([2, 3], vertical_alignment="center")
with left:
    show_figure(pair_figure(pair), "pair")
right.markdown(
    f"**The pair in focus:** features {pair.first} and {pair.second} at position {pair.position}."
    f" Its arrow turns by {format_number(pair.angle, 4)} radians, and keeps its length"
    f" {format_number(pair.length, 4)}. The first pair turns by 1 radian in each step, later pairs"
    " ever less, so that some see near neighbours apart and others distant tokens."
)
right.markdown(
    "**Only the distance counts.** A query turned by its angle meets a key turned by its own: in"
    " the dot product the difference of the angles is left. If all positions grow by 100, no score"
    f" of this layer moves by more than {format_number(shift_gap(trace, 100), 2)}: rounding."
)
right.markdown(
    "**Why not the values?** What a token passes on should not depend on where it stands; and the"
    " sum of values turned by different angles would mix them. Positions decide who looks where, by"
    " the scores alone."
)
look_closer(now, field, arithmetic, beside=("turned_queries", "turned_keys"))
