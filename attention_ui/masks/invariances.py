"""The topics of the page on what the layer does not notice: shuffles, constants, other shares."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from attention_lab.heads.patterns import effective_tokens
from attention_lab.heads.reruns import run_gaps
from attention_lab.masks.invariances import LAYER_CHANGES
from attention_lab.masks.score_variants import additive_scores, one_softmax
from attention_lab.masks.shuffles import (
    SITUATIONS,
    Shuffle,
    Situation,
    has_given_inputs,
    outcome_of,
    run_shuffled,
)
from attention_lab.rounding import tolerance
from attention_viz.labels import format_agreement, format_number, format_percent
from attention_viz.masks import invariances as boards
from attention_viz.masks.invariances import shares_board

from ..board import show_board
from ..page_context import PageContext
from ..panels import token_markdown
from ..url_state import PERSISTENCE, choose_named, choose_one, whole_number_input
from ..view import main_container
from .temperature import show_scale_reason, show_temperature

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
    if has_given_inputs(now.scenario):
        explanation = situation.description_of_inputs
    query = now.focus.query
    found = outcome_of(shuffle, situation.key, field, query)
    says = f"Its result moves with it: **shuffling the tokens only shuffles the {field}**."
    if found.shows:
        says = f"Its result there is another one: **the order shows in the {field}**."
    elif found.unclear:
        # In a layer that knows the order, a gap as small as rounding shows nothing.
        says = (
            "With numbers of this size, rounding alone can make a difference of"
            f" {format_number(found.rounding)}: **whether the order shows in the {field} is unclear"
            " here**."
        )
    st.markdown(
        f"{explanation} {token_markdown(shuffle.straight, 'T', query)} moves from position {query}"
        f" to position **{found.place}**. {says} Largest difference from the first result in the"
        f" new order: {format_difference(found.gap, only_rounding=found.only_rounding)}."
    )


def show_additive_scores(now: PageContext) -> None:
    """Additive scores (Bahdanau) beside the scaled dot product."""
    trace, focus, wide = now.trace, now.focus, now.symbol("d_k")
    head, cell = focus.head, focus.cell("query", "key")
    other = additive_scores(trace, head)
    st.markdown(
        r"**Additive scores** are $v^\top \tanh(q_i + k_j)$ (Bahdanau et al. 2015). Queries"
        f" and keys are those of the layer. A model would learn v; here it is 1. In head {head},"
        f" :blue[{token_markdown(trace, 'T', focus.query)}] then reads"
        f" **{format_percent(float(other.shares[cell[1:]]))}** from"
        f" :red[{token_markdown(trace, 'S', focus.key)}] instead of"
        f" {format_percent(float(trace.probabilities[0][cell]))}."
    )
    board = shares_board(trace, other.shares, "additive scores", cell, now.notation)
    show_board(board, "additive", fits=True)
    reads = [
        float(effective_tokens(shares[focus.query]))
        for shares in (trace.probabilities[0, head], other.shares)
    ]
    largest = (other.largest_dot, other.largest)
    rows = (
        ("largest score, either sign", *(format_number(one, 2) for one in largest)),
        ("bound of any score", "none", f"{wide} = {format_number(other.bound, 0)}"),
        ("effective tokens of the query", *(format_number(one, 2) for one in reads)),
        ("multiplications for all pairs", *[f"{other.n_tanh:,}"] * 2),
        ("tanh for all pairs", "0", f"{other.n_tanh:,}"),
        ("one matrix product is enough", "yes", "no: a tanh for each pair and feature"),
    )
    st.markdown(_table(("scaled dot product", "additive"), rows))
    st.caption(
        "tanh keeps every term between −1 and 1, so additive scores are bounded without a scale."
        " Dot products grow with both vectors. Vaswani et al. (2017) chose the dot product because"
        " one matrix product computes all scores."
    )


def show_one_softmax(now: PageContext) -> None:
    """One softmax over all scores of a head, instead of one for each query."""
    trace, focus = now.trace, now.focus
    head, cell = focus.head, focus.cell("query", "key")
    other = one_softmax(trace, head)
    most, least = int(other.of_query.argmax()), int(other.of_query.argmin())
    st.markdown(
        "In the layer the shares of **each query** sum to 1. With one softmax over all scores of"
        f" the head, **all shares together** sum to {format_number(float(other.shares.sum()), 3)}."
        f" The largest part goes to :blue[{token_markdown(trace, 'T', most)}]:"
        f" {format_percent(float(other.of_query[most]))}, the smallest to"
        f" :blue[{token_markdown(trace, 'T', least)}]:"
        f" {format_percent(float(other.of_query[least]))}."
    )
    board = shares_board(trace, other.shares, "one softmax", cell, now.notation)
    show_board(board, "one softmax", fits=True)
    asks = token_markdown(trace, "T", focus.query)
    of_query = float(other.of_query[focus.query])
    st.markdown(
        f"- :blue[{asks}] gets {format_percent(of_query)}, and reads"
        f" **{format_percent(float(other.shares[cell[1:]]))}** from"
        f" :red[{token_markdown(trace, 'S', focus.key)}] instead of"
        f" {format_percent(float(trace.probabilities[0][cell]))}.\n- For one query the proportions"
        " stay: its shares are those of the layer times its part; both"
        f" {format_agreement(other.gap, tolerance(trace, 'probabilities'))}.\n- The result of the"
        f" head shrinks as well: for {asks} it is {format_number(of_query)} times that of the"
        " layer."
    )
    st.caption(
        "A constant added to all scores of one query changes nothing if each query has its own"
        " softmax (see *constants*). With one softmax it takes shares from other queries, or gives"
        " shares to them."
    )


def _table(heads: tuple[str, str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| | {' | '.join(heads)} |", "|---|--:|--:|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


EXPECTED_OUTPUT = {
    True: "stays the same",
    False: "may change",
}  # a change need not show with one token


def show_constants(now: PageContext) -> None:
    """Changes of scores and weights: some change the output, some do not."""
    changes = {change.key: change for change in LAYER_CHANGES}
    names = {key: change.name for key, change in changes.items()}
    window = main_container()
    left, right = window.columns([3, 2])
    key = choose_named("Change", names, LAYER_CHANGES[0].key, place=left, key="inv_change")
    seed = whole_number_input(
        right, "Numbers drawn from seed", 0, 999, 0, key="inv_seed", **PERSISTENCE
    )
    change = changes[key]
    after = change.apply(now.trace, int(seed))
    found = run_gaps(now.trace, after)
    stays = change.keeps_output
    rounded = stays and found.probabilities <= tolerance(now.trace, "probabilities")
    left, right = window.columns([3, 2], vertical_alignment="center")
    left.markdown(
        f"{change.description}\n\nBy theory the output **{EXPECTED_OUTPUT[stays]}**. Largest"
        " measured difference of a probability:"
        f" {format_difference(found.probabilities, only_rounding=rounded)}; of the output:"
        f" {format_difference(found.output, only_rounding=stays)}."
    )
    right.latex(change.formula)
    with window:
        show_board(
            boards.change_board(
                now.trace, after, change.key, now.focus.cell("query", "key"), now.notation
            ),
            "change",
            fits=True,
        )


INVARIANCE_TOPICS = {
    "shuffle": show_shuffle,
    "constants": show_constants,
    "temperature": show_temperature,
    "scale": show_scale_reason,
    "additive scores": show_additive_scores,
    "one softmax": show_one_softmax,
}
