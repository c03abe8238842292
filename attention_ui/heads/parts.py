"""The longer parts of the pages about heads, page by page: habits, worth, ways to compute."""

from __future__ import annotations

import streamlit as st

from attention_core import STEPS
from attention_lab.heads.counts import LayerSize
from attention_lab.heads.designs import count_designs
from attention_lab.heads.schedule import schedule
from attention_lab.heads.score_schemes import SchemeRun, measure_schemes
from attention_lab.heads.window_convolution import array_sizes, projections_as_convolutions
from attention_lab.rounding import tolerance
from attention_viz.labels import format_number
from attention_viz.story.per_head import value_pair_board

from ..blocks import show_table
from ..board import show_board
from ..page_context import PageContext

DESIGN_COUNTS = {
    "objects": "objects",
    "calls": "calls",
    "copied": "numbers copied",
    "multiplications": "multiplications",
}
SCHEME_RUNS_KEY = "measured runs"  # the name in the session


def show_value_of_pair(now: PageContext) -> None:
    """The value of one token in all heads times its weights for one query."""
    trace, focus = now.trace, now.focus
    st.markdown(
        "The values need no matrix product either. The value of one token has a part for each head;"
        " each part is multiplied by the weight of its head (⊙). The sum over all keys is what the"
        f" query gets, again a part for each head. Heads: {trace.sizes['H']}."
    )
    feature = focus.within(trace, "head_outputs").feature
    board = value_pair_board(now.stage, focus.cell("query", "key"), feature)
    show_board(board, "ways value")


def show_array_sizes(now: PageContext) -> None:
    """The arrays of one head, and those of all heads in one array."""
    turn = {"row": 1, "column": -1}[now.notation.convention]
    rows = []
    for array in array_sizes(now.trace):
        shapes = [shape[::turn] for shape in (array.one, array.fused)]
        cells = [cell for a, b in shapes for cell in (f"{a} × {b}", f"{a * b:,}")]
        rows.append([f"**{now.symbol(array.name)}**", *cells])
    show_table(["", "one head", "numbers", f"all heads: {now.trace.sizes['H']}", "numbers"], rows)
    st.caption(
        "Weights and results of all heads are one array: every head adds features. The inputs are"
        " the same array for all heads."
    )


def show_convolutions(now: PageContext) -> None:
    """Each projection as a convolution whose window is one token, compared with the layer."""
    w_o = now.symbol("w_o")
    st.markdown(
        "A projection does the same to every token. So it is a convolution whose window is one"
        " token; each output feature is a filter. More heads are **more filters** in the same"
        f" layer, not more layers. The product with {w_o} is a convolution, too. It reads the"
        " joined heads: more heads are a **wider window**, and its filters stay as many as the"
        " output has features."
    )
    found, rows = projections_as_convolutions(now.trace, now.focus.head), []
    for one in found:
        gap = max(one.gaps)
        differs = "0" if gap <= tolerance(now.trace, one.field) else format_number(gap)
        sizes = (one.window_of_one, one.filters_of_one, one.window_of_all, one.filters_of_all)
        rows.append([f"**{now.symbol(one.field)}**", *map(str, sizes), differs])
    head = ["", "window, one head", "filters", "window, all heads", "filters", "difference"]
    show_table(head, rows)
    st.caption(
        f"The buffer holds all tokens one after the other: {now.trace.sizes['T']} ×"
        f" {found[0].window_of_all} numbers; for {w_o}, the joined heads. A step is as wide as the"
        " window. A loop over the windows computes the convolution, for head"
        f" {now.focus.head} and for all heads. Difference: the largest one from the projection of"
        f" this layer, 0 up to rounding. With one head, the product with {w_o} is compared with"
        " what this head adds to the output."
    )


def show_designs(now: PageContext) -> None:
    """An attention object for each head beside one for all heads, counted as the book counts."""
    designs, n_heads = count_designs(now.trace), now.trace.sizes["H"]
    rows = []
    for name, one in (
        (f"an object for each head: {n_heads}", designs.separate),
        ("one object for all heads", designs.together),
    ):
        counts = (one.objects, one.calls, one.copied, one.multiplications)
        rows.append([f"**{name}**", *(f"{count:,}" for count in counts)])
    compared = ", ".join(
        f"**{designs.compared(count)}** {name}" for count, name in DESIGN_COUNTS.items()
    )
    st.markdown(
        "The naive design has an attention object for each head. They run one after the other, and"
        " their outputs are copied into one array. One object for all heads has arrays for all of"
        f" them, and each head writes its part. An object for each head takes {compared}."
    )
    show_table(["design", *(name for name in DESIGN_COUNTS.values())], rows)
    st.caption(
        "Objects, as the MQL5 book has them: layers of queries, keys and values, the weights, the"
        " result; then the array that joins the heads, and the output matrix. Calls: three"
        " projections, scores, their division, softmax, mixing; then joining and output. Counted"
        " without masks, positions and biases. Separate heads cannot share keys and values. Fewer"
        " calls do not mean less work: compare the multiplications."
    )


def measure_on_click(size: LayerSize, letter: str) -> tuple[SchemeRun, ...]:
    """Draw the button that measures; return the measurements for these sizes, none before that."""
    if st.button("Measure time and memory here", icon=":material/timer:", key="measure ways"):
        with st.spinner("Measuring, at most a few seconds."):
            st.session_state[SCHEME_RUNS_KEY] = (size, letter, measure_schemes(size, letter))
    of_size, of_letter, runs = st.session_state.get(SCHEME_RUNS_KEY, (None, "", ()))
    if (of_size, of_letter) == (size, letter):
        return tuple(runs)
    missing = "Nothing has been measured yet."
    st.caption("The last measurement was for other sizes; measure again." if runs else missing)
    return ()


def show_schedule(now: PageContext) -> None:
    """The steps by the moment in which they can run, and the longest chain."""
    plan, n_tokens = schedule(now.trace), now.trace.sizes["T"]
    st.markdown(
        "Every step runs as early as the steps allow whose numbers it reads. The boxes of one step,"
        " one for each head, can run at the same time. Heads never wait for each other; the merge"
        " waits for all of them."
    )
    lines = [
        "| moment | step | boxes at once | multiplications of each | exponentials of each |",
        "|--:|---|--:|--:|--:|",
        *(
            f"| {box.moment} | **{now.symbol(box.field)}** {STEPS[box.field].title} |"
            f" {box.parts} | {box.multiplications:,} | {box.exponentials:,} |"
            for box in plan.boxes
            if box.head == 0
        ),
    ]
    st.markdown("\n".join(lines))
    st.caption(
        f"Moments: {plan.depth}; more heads do not add any. Multiplications of all boxes:"
        f" {plan.multiplications:,}; of the longest chain of boxes that wait for each other:"
        f" {plan.longest_chain:,}. If each box runs on one worker, more workers cannot be"
        " faster than this chain. A split, or a mask that hides nothing, takes no moment."
    )
    st.markdown(
        "**Tokens:** in training all tokens are known and go through these moments together. In"
        " generation a token is known only after the one before it went through all moments. With n"
        f" = {n_tokens} tokens, moments in training: {plan.depth}; in generation: {n_tokens} ×"
        f" {plan.depth} = {n_tokens * plan.depth}."
    )
