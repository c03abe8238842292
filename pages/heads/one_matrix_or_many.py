"""One matrix or many: four ways to compute the scores of all heads, counted and measured."""

import streamlit as st

from attention_lab.heads.counts import layer_size
from attention_lab.heads.score_schemes import SCHEMES, scheme_gaps, wasted_share
from attention_lab.rounding import RELATIVE_ROUNDING
from attention_ui.blocks import show_table
from attention_ui.board import show_board
from attention_ui.heads.parts import (
    measure_on_click,
    show_array_sizes,
    show_convolutions,
    show_designs,
    show_schedule,
    show_value_of_pair,
)
from attention_ui.page_context import page_context
from attention_ui.show import show_figure
from attention_ui.url_state import choose_one
from attention_ui.view import main_container
from attention_viz.heads.count_figures import (
    SIZE_TITLES,
    scheme_counts,
    scheme_memory,
    scheme_times,
)
from attention_viz.labels import format_number, format_percent
from attention_viz.story.per_head import pair_board

COUNT_NAMES = {
    "multiplications": "multiplications",
    "additions": "additions",
    "extra numbers": "extra",
}
SIZE_LETTERS = tuple(letter for letter in SIZE_TITLES if letter != "G")

now = page_context()
trace, size = now.trace, layer_size(now.trace)
same = scheme_gaps(trace)

window = main_container()
window.markdown(
    "One pair of tokens in all heads at once. The matrix product multiplies **every head with every"
    " head**, but only the framed diagonal is needed. The Hadamard product (**number by number**,"
    " ⊙), summed for each head, gives these scores and nothing else."
)
with window:
    show_board(pair_board(now.stage, now.focus.cell("query", "key")), "ways pair", fits=True)

st.header("Four ways, the same numbers", anchor=False)
rows = []
for way in SCHEMES:
    counts = (way.multiplications, way.additions, way.extra)
    cells = [f"${one.formula}$ = {one.of(size):,}" for one in counts]
    gap = same.gaps[way.key]
    differs = format_number(gap) if gap > RELATIVE_ROUNDING[trace.scores.dtype] else "0"
    rows.append([f"**{way.name}**", *cells, differs])
show_table(["way", "multiplications", "additions", "extra numbers", "difference"], rows)
st.caption(
    f"{now.own_letters}Sizes: tokens n = {size.n_tokens}, heads h = {size.n_heads}, d_k ="
    f" {size.d_k}. Extra numbers are in memory besides the result, which has h · n² numbers."
    " Difference: the largest one from the scores of this layer, divided by the largest score, 0 up"
    f" to rounding. Tokens compared: {same.n_tokens} of {size.n_tokens}."
)
wasted = wasted_share(size.n_heads)
st.info(
    f"{format_percent(wasted)} of the full product is not needed (1 − 1/h). The Hadamard"
    " product wastes no multiplication, but holds every product before it is summed. This app uses"
    " the second way: one call with the head as one more axis.",
    icon=":material/lightbulb:",
)
with st.expander("What each way does"):
    st.markdown("\n".join(f"- **{way.name}:** {way.description}" for way in SCHEMES))
    st.caption(
        "The full product and the Hadamard product: MQL5 book, chapter on multi-head"
        " self-attention."
    )

st.header("An object for each head, or one for all", anchor=False)
show_designs(now)
st.header("What can run at once, and what must wait", anchor=False)
show_schedule(now)
st.header("The values, number by number", anchor=False)
show_value_of_pair(now)
st.header("One head, and all heads in one array", anchor=False)
show_array_sizes(now)
st.header("The projections as convolutions", anchor=False)
show_convolutions(now)

st.header("As the layer grows", anchor=False)
with st.container(horizontal=True):
    letter = choose_one("Growing size", SIZE_LETTERS, "h", key="ways_letter")
    which = choose_one("Count", COUNT_NAMES, "multiplications", key="ways_count")
with st.container(key="wide ways counts"):
    show_figure(scheme_counts(size, letter, COUNT_NAMES[which]), "ways counts")
st.caption(
    "Both axes are logarithmic; the rings are this layer. As C or h grows, d_k = C/h. Lines of"
    " equal counts lie on each other. A count of 0 cannot be drawn on a logarithmic axis."
)

runs = measure_on_click(size, letter)
if runs:
    left, right = st.columns(2, gap="medium")
    with left:
        show_figure(scheme_times(runs, letter), "ways times")
    with right:
        show_figure(scheme_memory(runs, letter), "ways memory")
    st.caption(
        "Measured just now on this machine, with random queries and keys: the fastest of three"
        " runs, and the most memory used at once, with the result. Sizes beyond 32 MB or about a"
        " tenth of a second are left out. Counts are not time: compare ways with equal counts."
    )
