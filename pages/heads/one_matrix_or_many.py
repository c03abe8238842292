"""One matrix or many: four ways to compute the scores of all heads, counted and measured."""

import streamlit as st

from attention_core.magnitudes import RELATIVE_ROUNDING
from attention_lab.heads.counts import size_of
from attention_lab.heads.scheme_runs import agreement
from attention_lab.heads.score_schemes import SCHEMES, wasted_share
from attention_ui.board import show_board
from attention_ui.facts import fact
from attention_ui.heads.at_once import heads_in_threads, what_can_run_at_once
from attention_ui.heads.fused_parts import as_convolutions, two_tables_of_sizes, value_of_a_pair
from attention_ui.heads.measuring import measured_runs
from attention_ui.page_context import page_context
from attention_ui.show import show_figure
from attention_ui.url_state import choose_one
from attention_ui.view import one_window
from attention_viz import story
from attention_viz.heads.count_figures import WORDS, measured_memory, measured_times, scheme_counts
from attention_viz.labels import counted, number, percent

COUNTS = {"multiplications": "multiplies", "additions": "additions", "extra numbers": "extra"}
LETTERS = tuple(letter for letter in WORDS if letter != "G")

now = page_context()
trace, size = now.trace, fact("size", size_of(now.trace))
same = fact("agreement", agreement(trace))

whole = (
    "compare **every head with every head**, and only the framed diagonal is wanted"
    if fact("several_heads", size.n_heads > 1)
    else "give the one score of the only head; more heads would be compared with each other, too"
)
window = one_window()
window.markdown(
    f"Take one pair of tokens, in all heads at once. As matrices, the two stacks {whole}. **Number"
    f" by number** (the Hadamard product ⊙), with each {now.turned('row')} added up, gives the same"
    " scores and nothing else."
)
with window:
    show_board(story.pair(now.stage, now.focus.cell("query", "key")), "ways pair", fits=True)

st.header("Four ways, the same numbers", anchor=False)
table = [
    "| way | multiplications | additions | extra numbers | differs by |",
    "|---|--:|--:|--:|--:|",
]
for way in SCHEMES:
    counts = (way.multiplies, way.additions, way.extra)
    cells = [f"${one.formula}$ = {one.of(size):,}" if one.of(size) else "0" for one in counts]
    fact(f"counts_of_{way.key}", tuple(one.of(size) for one in counts))
    gap = same.gaps[way.key]
    differs = "equal" if gap <= RELATIVE_ROUNDING[trace.scores.dtype] else number(gap)
    table.append(f"| **{way.name}** | {' | '.join(cells)} | {differs} |")
st.markdown("\n".join(table))
st.caption(
    f"{now.own_letters}n = {counted(size.n_tokens, 'token')}, h = {counted(size.n_heads, 'head')},"
    f" d_k = {size.d_k}. Extra numbers are kept for a while besides the result, h · n² numbers."
    " “Differs by”: the largest difference from this layer’s scores, as a part of the largest score"
    + (
        "."
        if fact("all_tokens_compared", same.n_tokens == size.n_tokens)
        else f", on the first {counted(same.n_tokens, 'token')}."
    )
)
wasted = fact("wasted_share", wasted_share(size.n_heads))
st.info(
    f"The full product throws away {percent(wasted)} of what it computes, 1 −"
    f" 1/h{'' if size.n_heads > 1 else ', nothing as long as there is one head'}. The Hadamard way"
    " wastes no multiplication, but keeps every product before adding it up. This app goes the"
    " second way: one call in which the head is one more axis.",
    icon=":material/lightbulb:",
)
with st.expander("What each way does"):
    st.markdown("\n".join(f"- **{way.name}:** {way.says}" for way in SCHEMES))
    st.caption(
        "The full product and the Hadamard way: MQL5 book, chapter on multi-head self-attention."
    )

st.header("What can run at once, and what must wait", anchor=False)
what_can_run_at_once(now)
heads_in_threads(size)
st.header("The values, number by number", anchor=False)
value_of_a_pair(now)
st.header("One head, and all heads fused", anchor=False)
two_tables_of_sizes(now)
st.header("The projections as convolutions", anchor=False)
as_convolutions(now)

st.header("As the layer grows", anchor=False)
with st.container(horizontal=True):
    letter = choose_one("This grows", LETTERS, "h", key="ways_letter")
    which = choose_one("Count", COUNTS, "multiplications", key="ways_count")
with st.container(key="wide ways counts"):
    show_figure(scheme_counts(size, letter, COUNTS[which]), "ways counts")
st.caption(
    "Both axes are logarithmic; the rings are this layer. As C or h grows, d_k = C/h. Where ways"
    " count alike, their lines lie on each other. A count of 0 has no place on a logarithmic axis."
)

runs = measured_runs(size, letter)
if runs:
    left, right = st.columns(2, gap="medium")
    with left:
        show_figure(measured_times(runs, letter), "ways times")
    with right:
        show_figure(measured_memory(runs, letter), "ways memory")
    st.caption(
        "Measured just now on this machine, on random queries and keys: the fastest of three runs,"
        " and the most memory held at once, the result included. Sizes beyond 32 MB or about a"
        " tenth of a second are left out. Counts are not time: compare the ways whose counts are"
        " equal."
    )
