"""The topics of the page about what the layer cannot see: an experiment each, with what it
shows in numbers.
"""

from __future__ import annotations

import streamlit as st

from attention_core import Trace
from attention_core.formulas import softmax
from attention_lab.heads.patterns import effective_tokens
from attention_lab.masks.invariances import CHANGES, at_temperature
from attention_lab.masks.run_gaps import gaps
from attention_lab.masks.saturation import score_spreads, sharpness
from attention_lab.masks.shuffles import SITUATIONS, is_given, shuffle
from attention_lab.rounding import tolerance
from attention_viz.labels import number, percent
from attention_viz.masks import invariances as boards
from attention_viz.masks import softmax_figures as figures

from ..address import KEPT, bound
from ..board import show_board
from ..here import Here
from ..one_of import one_of
from ..panels import token
from ..show import show_figure
from ..whole_numbers import whole_number_input

SHUFFLED = {
    "row": "rows, f(PX) = P f(X), and the probabilities A become P A Pᵀ",
    "column": "columns, f(XP) = f(X) P, and the probabilities A become Pᵀ A P",
}
TEMPERATURES = ("0.05", "0.1", "0.2", "0.5", "1", "2", "5", "10", "20")


def small(gap: float) -> str:
    """A difference as Markdown."""
    return f"**{number(gap)}**" if gap else "**0**"


def shuffled(now: Here) -> None:
    """Shuffle the tokens; the output is shuffled, until positions or a mask know the order."""
    left, middle, right = st.columns([4, 3, 3], vertical_alignment="bottom")
    key = one_of(
        "The layer reads",
        tuple(one.key for one in SITUATIONS),
        "words alone",
        place=left,
        key="inv_reads",
        **KEPT,
    )
    field = one_of(
        "Shown", ("output", "probabilities"), "output", place=middle, key="inv_shown", **KEPT
    )
    seed = whole_number_input(right, "Shuffle number", 0, 999, 0, key="inv_shuffle", **KEPT)
    situation = next(one for one in SITUATIONS if one.key == key)
    told = situation.of_given if is_given(now.scenario) else situation.says
    made = shuffle(now.scenario, situation.key, int(seed))
    place = made.order.index(now.focus.query)
    gap = made.gaps.output if field == "output" else made.gaps.probabilities
    most, knows_order = tolerance(made.straight, field), situation.knows_order and made.has_order
    if made.straight.sizes["T"] == 1:
        st.info(
            "With a single token there is nothing to shuffle: choose a longer sentence.",
            icon=":material/info:",
        )
    else:
        st.markdown(
            f"{told} {token(made.straight, 'T', now.focus.query)} moves from place"
            f" {now.focus.query} to place **{place}**. "
            + now.turned(_outcome(knows_order, field, gap, most))
            + f"Largest difference from the {now.turned('rows')} that were only moved: {small(gap)}"
            + (" (rounding)." if gap and gap <= most and not knows_order else ".")
        )
    show_board(boards.shuffled(made, field, _cell(now), now.notation), "shuffle")
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


def _outcome(knows_order: bool, field: str, gap: float, most: float) -> str:
    """What the shuffle shows: where the layer knows the order, a gap that rounding can make too
    says nothing.
    """
    if gap > most:
        return f"Its row there is not its old one: **the order shows in the {field}**. "
    if gap and knows_order:
        return (
            "With numbers of this size rounding alone might make a difference of up to"
            f" {number(most)}: **whether the order shows in the {field} cannot be told here**. "
        )
    return (
        "Its row moves along, and so do all others: **shuffling the tokens only shuffles the"
        f" {field}**. "
    )


def _all_situations(now: Here, seed: int) -> str:
    lines = [
        "| the layer reads | largest difference of a probability | of the output |",
        "|---|---|---|",
    ]
    for one in SITUATIONS:
        found = shuffle(now.scenario, one.key, seed).gaps
        lines.append(f"| {one.key} | {number(found.probabilities)} | {number(found.output)} |")
    return "\n".join(lines)


def constants(now: Here) -> None:
    """Changes of scores and weights that the layer sees, and changes that it does not."""
    names = {change.key: change.name for change in CHANGES}
    left, right = st.columns([3, 2])
    key = bound(
        left.selectbox,
        "Change",
        tuple(names),
        key="inv_change",
        **KEPT,
        help="; ".join(f"{k}: {v}" for k, v in names.items()),
    )
    seed = whole_number_input(right, "Numbers drawn from seed", 0, 999, 0, key="inv_seed", **KEPT)
    change = next((one for one in CHANGES if one.key == key), CHANGES[0])
    after = change.apply(now.trace, int(seed))
    found = gaps(now.trace, after)
    left, right = st.columns([3, 2], vertical_alignment="center")
    left.markdown(
        f"Changed: **{change.name}**. {now.turned(change.says)}\n\nIn theory the output"
        f" **{_theory(change.same)}**. Measured, the largest difference: of a probability"
        f" {small(found.probabilities)}, of the output"
        f" {small(found.output)}{' (rounding)' if change.same and found.output else ''}."
    )
    right.latex(change.formula)
    show_board(boards.changed(now.trace, after, change.key, _cell(now), now.notation), "change")
    with st.expander(
        "All changes at once", key="inv all", on_change="rerun", icon=":material/table:"
    ) as table:
        if table.open:
            st.markdown(_all_changes(now.trace, int(seed)))


def _all_changes(trace: Trace, seed: int) -> str:
    lines = [
        "| change | the output, in theory | probabilities, measured | output, measured |",
        "|---|---|---|---|",
    ]
    for change in CHANGES:
        found = gaps(trace, change.apply(trace, seed))
        lines.append(
            f"| {change.name} | {_theory(change.same)} | {number(found.probabilities)} |"
            f" {number(found.output)} |"
        )
    return "\n".join(lines)


def _theory(same: bool) -> str:
    """What becomes of the output: a change that it can show need not show, for example with a
    single token.
    """
    return "stays" if same else "may change"


def temperature(now: Here) -> None:
    """Every score divided by the same number: sharper or flatter, never in another order."""
    chosen = float(
        bound(st.select_slider, "Temperature", TEMPERATURES, "0.5", key="inv_temperature", **KEPT)
        or 1
    )
    trace, focus, wide = now.trace, now.focus, now.symbol("d_k")
    other = at_temperature(trace, chosen)
    rows = [one.probabilities[0, focus.head, focus.query] for one in (trace, other)]
    tokens, share = (
        [float(effective_tokens(row)) for row in rows],
        [float(row[focus.key]) for row in rows],
    )
    st.markdown(
        rf"$\operatorname{{softmax}}(s / {chosen:g})$: in head {focus.head}, "
        f":blue[{token(trace, 'T', focus.query)}] reads {percent(share[1])} from"
        f" :red[{token(trace, 'S', focus.key)}] "
        f"instead of {percent(share[0])}. Its {now.turned('row')} is spread over"
        f" **{number(tokens[1], 2)}** effective "
        f"tokens instead of {number(tokens[0], 2)}."
    )
    show_board(boards.temperatures(trace, other, chosen, _cell(now), now.notation), "temperature")
    scores = trace.masked_scores[0, focus.head, focus.query]
    show_figure(
        figures.temperature_curves(scores, trace.labels("S"), focus.key, chosen), "temperatures"
    )
    st.caption(
        f"The {now.turned('row')} of {token(trace, 'T', focus.query)} over the temperature. Towards"
        " 0 the largest score takes all, or equal largest ones share it; towards infinity all"
        " visible keys get the same. The curves never cross: at every temperature the order of the"
        f" shares is that of the scores. 1/√{wide} is a temperature of √{wide} for the raw scores."
        f" Effective tokens: e to the entropy of the {now.turned('row')}, from 1 to the number of"
        " keys."
    )


def why_scale(now: Here) -> None:
    """Why 1/√d_k: the variance of a dot product grows with its length, and a saturated softmax
    passes nothing on.
    """
    trace, focus = now.trace, now.focus
    spreads = score_spreads()
    scores = trace.scores[0, focus.head]
    variance = float(scores.var())
    unlike = (
        "its queries and keys are neither independent nor of variance 1"
        if variance
        else "all of them are equal"
    )
    st.markdown(
        "**1 · A dot product of d_k independent products of mean 0 and variance 1 has variance"
        f" d_k.** Measured on random queries and keys, the variance at d_k = {spreads[-1].d_k} is"
        f" {number(spreads[-1].variance, 1)}. Here d_k = {trace.sizes['K']}, and the scores of head"
        f" {focus.head} have variance {number(variance, 2)}, because {unlike}."
    )
    left, right = st.columns(2)
    with left:
        show_figure(figures.variances(spreads), "variances")
        st.caption(
            "Each point: 64 draws of 32 queries and 32 keys; the bars are two standard errors. Both"
            " axes logarithmic."
        )
    with right:
        show_figure(figures.saturation(spreads), "saturation")
        st.caption(
            "The same draws: raw scores get sharper with the width, scaled ones do not. Jacobian"
            " trace: 1 − Σ a²."
        )
    raw, scaled = sharpness(scores), sharpness(scores * trace.scale)
    st.markdown(
        "**2 · A saturated softmax passes hardly any change on.** A share moves with a score by "
        r"$\partial a_j / \partial s_k = a_j (\delta_{jk} - a_k)$, at most 1/4; where one share is"
        r" nearly 1 all of "
        "these are nearly 0, and so is every gradient that passes through. On average over the "
        f"{now.turned('rows')} of head {focus.head}, without a mask, the trace of this matrix is "
        f"{number(raw.jacobian_trace)} with raw scores and {number(scaled.jacobian_trace)} with the"
        " layer’s scale."
    )
    row = scores[focus.query]
    pair = (softmax(row), softmax(row * trace.scale))
    show_board(boards.jacobians(trace, pair, _cell(now), now.notation), "jacobian")
    show_figure(figures.slopes(), "slopes")
    st.caption("Two tokens: how fast their shares move, a(1 − a), over the gap of their scores.")


def _cell(now: Here) -> tuple[int, int, int]:
    return now.focus.cell("query", "key")


TOPICS = {
    "shuffle": shuffled,
    "constants": constants,
    "temperature": temperature,
    "scale": why_scale,
}
