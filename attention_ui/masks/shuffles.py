"""Shuffled tokens: the output is shuffled in the same way, unless positions or a mask know the
order.
"""

from __future__ import annotations

import streamlit as st

from attention_lab.masks.shuffles import (
    SITUATIONS,
    Shuffle,
    Situation,
    has_given_inputs,
    run_shuffled,
)
from attention_lab.rounding import tolerance
from attention_viz.labels import format_number
from attention_viz.masks import invariances as boards

from ..board import show_board
from ..facts import fact
from ..page_context import PageContext
from ..panels import token_markdown
from ..url_state import PERSISTENCE, choose_one, whole_number_input
from ..view import main_container

SHUFFLE_FORMULAS = {
    "row": "f(PX) = P f(X), and the probabilities A become P A Pᵀ",
    "column": "f(XP) = f(X) P, and the probabilities A become Pᵀ A P",
}


def format_difference(gap: float, *, only_rounding: bool = False) -> str:
    """A difference as Markdown. only_rounding: whether rounding alone explains it."""
    if gap and not only_rounding:
        return f"**{format_number(gap)}**"
    return "**0** up to rounding" if gap else "**0**"


def show_shuffle(now: PageContext) -> None:
    """The layer on its tokens and on the same tokens in another order."""
    window = main_container()
    left, middle, right = window.columns([4, 3, 3], vertical_alignment="bottom")
    key = choose_one(
        "The layer reads",
        tuple(one.key for one in SITUATIONS),
        "words alone",
        place=left,
        key="inv_reads",
        **PERSISTENCE,
    )
    field = choose_one(
        "Shown", ("output", "probabilities"), "output", place=middle, key="inv_shown", **PERSISTENCE
    )
    seed = whole_number_input(right, "Shuffle number", 0, 999, 0, key="inv_shuffle", **PERSISTENCE)
    situation = next(one for one in SITUATIONS if one.key == key)
    shuffle = run_shuffled(now.scenario, situation.key, int(seed))
    with window:
        _describe(now, shuffle, situation, field)
        show_board(
            boards.shuffle_board(shuffle, field, now.focus.cell("query", "key"), now.notation),
            "shuffle",
            fits=True,
        )
    with st.expander(
        "All three in one table", key="inv three", on_change="rerun", icon=":material/table:"
    ) as table:
        if table.open:
            st.markdown(_all_situations(now, int(seed)))
    st.caption(
        "In formulas, with P the matrix that shuffles the tokens:"
        f" {SHUFFLE_FORMULAS[now.notation.convention]} (the layer is *permutation equivariant*)."
        f" The board shows at most {boards.MAX_INVARIANCE_FEATURES} features of the output. The"
        " mask and the positions of the sidebar are not used here."
    )


def _describe(now: PageContext, shuffle: Shuffle, situation: Situation, field: str) -> None:
    """Where the chosen token moved, and whether its result moved with it unchanged."""
    if shuffle.straight.sizes["T"] == 1:
        st.info(
            "A single token cannot be shuffled: choose a longer sentence.", icon=":material/info:"
        )
        return
    explanation = situation.description
    if fact("inputs_know_their_places", has_given_inputs(now.scenario)):
        explanation = situation.description_of_inputs
    query = now.focus.query
    place = fact("place_after", shuffle.order.index(query))
    gap = {"output": shuffle.gaps.output, "probabilities": shuffle.gaps.probabilities}[field]
    fact("largest_difference", gap)
    rounding = tolerance(shuffle.straight, field)
    knows_order = situation.knows_order and shuffle.has_order
    only_rounding = fact("only_rounding", 0 < gap <= rounding and not knows_order)
    st.markdown(
        f"{explanation} {token_markdown(shuffle.straight, 'T', query)} moves from position {query}"
        f" to position **{place}**. {_describe_outcome(knows_order, field, gap, rounding)} Largest"
        " difference from the first result in the new order:"
        f" {format_difference(gap, only_rounding=only_rounding)}."
    )


def _describe_outcome(knows_order: bool, field: str, gap: float, rounding: float) -> str:
    """What the shuffle shows. In a layer that knows the order, a gap as small as rounding shows
    nothing.
    """
    shows = fact("order_shows", gap > rounding)
    unclear = fact("order_cannot_be_told", 0 < gap <= rounding and knows_order)
    if shows:
        return f"Its result there is another one: **the order shows in the {field}**."
    if unclear:
        return (
            "With numbers of this size, rounding alone can make a difference of"
            f" {format_number(rounding)}: **whether the order shows in the {field} is unclear"
            " here**."
        )
    return f"Its result moves with it: **shuffling the tokens only shuffles the {field}**."


def _all_situations(now: PageContext, seed: int) -> str:
    lines = [
        "| the layer reads | largest difference of a probability | of the output |",
        "|---|---|---|",
    ]
    for one in SITUATIONS:
        found = run_shuffled(now.scenario, one.key, seed).gaps
        lines.append(
            f"| {one.key} | {format_number(found.probabilities)} | {format_number(found.output)} |"
        )
    return "\n".join(lines)
