"""The parts of the page on what a head does: the chosen measure, and how alike the heads are."""

from __future__ import annotations

import streamlit as st

from attention_core import Trace
from attention_lab.heads import similarity
from attention_lab.heads.habits import HABITS, habit_of
from attention_lab.heads.patterns import Pattern, largest_entropy
from attention_lab.notation.notation import Notation
from attention_lab.user_data.matrix_names import MAX_HEADS
from attention_viz.heads.similarity import (
    correlation_board,
    describe_closest,
    describe_most_alike,
    divergence_board,
)
from attention_viz.labels import format_number, format_percent

from ..board import show_board
from ..panels import token_markdown

HABIT_WORDS = {
    "previous_mass": "reads the token before",
    "next_mass": "reads the token after",
    "self_mass": "reads the token itself",
    "first_mass": "reads the first token",
}
HABIT_HELP = (
    "The mean share over the tokens, if it is at least half of the attention. Other heads are"
    " described by their largest share."
)
MEASURE_NAMES = tuple(measure.name for measure in HABITS)
DIVERGENCE_HELP = (
    r"The mean over all queries of $H\big(\tfrac{a+b}{2}\big)-\tfrac{H(a)+H(b)}{2}$, where $a$ and"
    " $b$ are the shares of one query in two heads and $H$ is the entropy."
)
CORRELATION_HELP = (
    r"$\dfrac{\langle a-e,\,b-e\rangle}{\lVert a-e\rVert\,\lVert b-e\rVert}$, where $a$ and $b$ are"
    " all shares of two heads and $e$ those of an even spread over the visible keys."
)


def say_habits(trace: Trace, pattern: Pattern) -> None:
    """A sentence for each head: what it does with most queries, or its largest share."""
    said = []
    for head in range(trace.sizes["H"]):
        habit = habit_of(pattern, head)
        share = format_percent(habit.share)
        if does := HABIT_WORDS.get(habit.measure):
            said.append(f"**Head {head} {does}**: {share}")
        else:
            query, key = (
                token_markdown(trace, axis, place)
                for axis, place in (("T", habit.query), ("S", habit.key))
            )
            said.append(f"**Head {head}**: its largest share goes from {query} to {key}: {share}")
    st.markdown(" · ".join(said), help=HABIT_HELP)


def choose_portrait(bar: object) -> None:
    """In a callback: choose the measure and the head of a clicked bar. Anything else is ignored."""
    match bar:
        case [str(measure), int(head)] if measure in MEASURE_NAMES and 0 <= head < MAX_HEADS:
            st.session_state.update({"portrait": measure, "head": head})


def show_similarity(pattern: Pattern, notation: Notation) -> None:
    """The heads beside one another, by their shares and by their preferences."""
    distance = similarity.head_divergences(pattern)[0]
    correlation = similarity.centred_correlations(pattern)[0]
    order = similarity.head_order(distance)
    st.markdown(
        "Two measures compare each pair of heads. The **divergence** compares the shares; it is"
        " small for two heads that both spread their attention widely, even if they are unrelated."
        " The **correlation** compares what the heads **prefer**; for two such heads it is about 0."
        " Similar heads are placed next to each other (average linkage)."
    )
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown(
            "**Jensen–Shannon divergence:** 0 = equal, ln 2 = nothing in common",
            help=DIVERGENCE_HELP,
        )
        show_board(divergence_board(distance, order, notation), "head divergences")
        st.markdown(describe_closest(distance))
    with right:
        st.markdown(
            "**Centred correlation:** 1 = the same preferences, −1 = opposite ones",
            help=CORRELATION_HELP,
        )
        show_board(correlation_board(correlation, order, notation), "head correlations")
        st.markdown(describe_most_alike(correlation))
    n_distinct = similarity.max_distinct_heads(pattern)
    together = float(similarity.layer_divergence(pattern)[0])
    st.caption(
        f"Divergence of all heads together: {format_number(together, 3)} of at most ln {n_distinct}"
        f" = {format_number(largest_entropy(n_distinct), 3)}. It is the entropy of their mean minus"
        " the mean of their entropies."
    )
