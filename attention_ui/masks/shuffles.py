"""Shuffled tokens: the output is shuffled, until positions or a mask know the order."""

from __future__ import annotations

import streamlit as st

from attention_lab.masks.shuffles import SITUATIONS, Shuffle, Situation, is_given, shuffle
from attention_lab.rounding import tolerance
from attention_viz.labels import number
from attention_viz.masks import invariances as boards

from ..board import show_board
from ..facts import fact
from ..page_context import PageContext
from ..panels import token
from ..url_state import KEPT, choose_one, whole_number_input
from .invariances import small

SHUFFLED = {
    "row": "rows, f(PX) = P f(X), and the probabilities A become P A Pᵀ",
    "column": "columns, f(XP) = f(X) P, and the probabilities A become Pᵀ A P",
}


def shuffled(now: PageContext) -> None:
    """Shuffle the tokens; the output is shuffled, until positions or a mask know the order."""
    left, middle, right = st.columns([4, 3, 3], vertical_alignment="bottom")
    key = choose_one(
        "The layer reads",
        tuple(one.key for one in SITUATIONS),
        "words alone",
        place=left,
        key="inv_reads",
        **KEPT,
    )
    field = choose_one(
        "Shown", ("output", "probabilities"), "output", place=middle, key="inv_shown", **KEPT
    )
    seed = whole_number_input(right, "Shuffle number", 0, 999, 0, key="inv_shuffle", **KEPT)
    situation = next(one for one in SITUATIONS if one.key == key)
    made = shuffle(now.scenario, situation.key, int(seed))
    if made.straight.sizes["T"] == 1:
        st.info(
            "With a single token there is nothing to shuffle: choose a longer sentence.",
            icon=":material/info:",
        )
    else:
        _say_moved(now, made, situation, field)
    show_board(
        boards.shuffled(made, field, now.focus.cell("query", "key"), now.notation), "shuffle"
    )
    with st.expander(
        "All three at once", key="inv three", on_change="rerun", icon=":material/table:"
    ) as table:
        if table.open:
            st.markdown(_all_situations(now, int(seed)))
    st.caption(
        f"In formulas: with P the matrix that shuffles {SHUFFLED[now.notation.convention]}. Of wide"
        f" outputs the first {boards.MOST_FEATURES} features are drawn. The sidebar's mask and"
        " positions do not count here."
    )


def _say_moved(now: PageContext, made: Shuffle, situation: Situation, field: str) -> None:
    """Where the chosen token went, and whether its row only went along."""
    given = fact("inputs_know_their_places", is_given(now.scenario))
    told = situation.says_given if given else situation.says
    query = now.focus.query
    place = fact("place_after", made.order.index(query))
    gap = made.gaps.output if field == "output" else made.gaps.probabilities
    fact("largest_difference", gap)
    most, knows_order = tolerance(made.straight, field), situation.knows_order and made.has_order
    rounding = fact("only_rounding", 0 < gap <= most and not knows_order)
    st.markdown(
        f"{told} {token(made.straight, 'T', query)} moves from place {query} to place **{place}**. "
        + now.turned(_outcome(knows_order, field, gap, most))
        + f"Largest difference from the {now.turned('rows')} that were only moved:"
        f" {small(gap, rounding)}."
    )


def _outcome(knows_order: bool, field: str, gap: float, most: float) -> str:
    """What the shuffle shows: where the layer knows the order, a gap that rounding can make too
    says nothing.
    """
    shows = fact("order_shows", gap > most)
    unclear = fact("order_cannot_be_told", 0 < gap <= most and knows_order)
    if shows:
        return f"Its row there is not its old one: **the order shows in the {field}**. "
    if unclear:
        return (
            "With numbers of this size rounding alone might make a difference of up to"
            f" {number(most)}: **whether the order shows in the {field} cannot be told here**. "
        )
    return (
        "Its row moves along, and so do all others: **shuffling the tokens only shuffles the"
        f" {field}**. "
    )


def _all_situations(now: PageContext, seed: int) -> str:
    lines = [
        "| the layer reads | largest difference of a probability | of the output |",
        "|---|---|---|",
    ]
    for one in SITUATIONS:
        found = shuffle(now.scenario, one.key, seed).gaps
        lines.append(f"| {one.key} | {number(found.probabilities)} | {number(found.output)} |")
    return "\n".join(lines)
