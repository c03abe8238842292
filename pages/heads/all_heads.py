"""All heads: what each looks at, side by side, as one matrix, and as lines from token to token."""

import streamlit as st

from attention_lab.heads.all_heads import blur, maximum_of_heads, mean_of_heads
from attention_lab.heads.patterns import column_sums
from attention_ui.board import show_board
from attention_ui.facts import fact
from attention_ui.heads.heads_choice import choose_heads
from attention_ui.heads.one_wide_head import choose_beside, say_beside
from attention_ui.page_context import page_context
from attention_ui.panels import token
from attention_ui.show import show_figure
from attention_ui.url_state import choose_one
from attention_viz.heads.all_heads import heads_grid, of_key, of_query, together
from attention_viz.heads.arcs import MOST_LINES, arcs
from attention_viz.labels import counted, number, percent

STAGES = {
    "raw": "scores",
    "scaled": "scaled_scores",
    "masked": "masked_scores",
    "probabilities": "probabilities",
}
LINES = {
    "query": "from the query in focus",
    "key": "to the key in focus",
    "all": "of all queries to all keys",
}

now = page_context()
trace, focus = now.trace, now.focus
cell = focus.cell("query", "key")
query, key = token(trace, "T", focus.query), token(trace, "S", focus.key)
own_scale = bool(st.session_state.get("own_scale"))

with st.container(horizontal=True, vertical_alignment="bottom"):
    stage = choose_one("What is shown", STAGES, "probabilities", key="heads_stage")
    st.button(
        "One scale for all heads" if own_scale else "Each head its own scale",
        icon=":material/palette:",
        on_click=st.session_state.update,
        args=({"own_scale": not own_scale},),
        key="heads_scale",
        help="With a scale of its own the strongest cell of every head has the strongest colour.",
    )
    one_head = choose_beside(trace)
    chosen = choose_heads(
        "subset", "Only these heads", trace.sizes["H"], "None chosen: all of them."
    )
heads = fact("heads", chosen or tuple(range(trace.sizes["H"])))
field = STAGES[stage]
array = getattr(trace, field)[0]

show_board(heads_grid(now.stage, field, heads, cell=cell, one_head=one_head), "heads grid")
st.caption(
    now.turned("Rows are queries, columns are keys; every head saw the same tokens.")
    + " Point at a cell, or reach it with Tab and the arrow keys: the same place is marked in every"
    " head. A click or Enter moves the focus to it."
)
if one_head is not None:
    say_beside(now, one_head)

view = choose_one(
    "The heads together",
    ("Mean and maximum", "Row and column", "Lines"),
    "Mean and maximum",
    key="heads_view",
)
if view == "Row and column":
    sums = column_sums(trace.probabilities)[0]
    of_all_queries = fact("sum_of_column", float(sums[focus.head, focus.key]))
    share = fact("share", float(trace.probabilities[0][cell]))
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown(
            f"**What does :blue[{query}] read?** Its {now.turned('row')} in every head sums to"
            " 1, or to 0 if all is masked."
        )
        show_board(of_query(trace, *cell, now.notation), "heads query")
    with right:
        st.markdown(
            f"**Who reads :red[{key}]?** Its {now.turned('column')} in every head may sum to"
            f" anything: in head {focus.head}, all queries give it {number(of_all_queries, 2)};"
            f" {query} {percent(share)}."
        )
        show_board(of_key(trace, *cell, now.notation), "heads key")
elif view == "Lines":
    which = choose_one("Lines of", LINES, "query", key="heads_lines", label_visibility="collapsed")
    drawn, left_out = arcs(trace, heads, which, focus.query, focus.key)
    with st.container(key="wide heads lines"):
        show_figure(drawn, "heads lines")
    st.caption(
        f"Drawn are the lines {LINES.get(which, '')}. :blue[Queries] stand at the left, :red[keys]"
        " at the right; the larger the weight, the wider the line; its dot says the number. A"
        " click on a head in the legend hides or shows its lines."
        + (
            f" Not drawn: {counted(left_out, 'weaker line')} beyond the {MOST_LINES} strongest."
            if fact("lines_left_out", left_out)
            else ""
        )
    )
else:
    merged = {"mean": mean_of_heads(array, heads), "maximum": maximum_of_heads(array, heads)}
    show_board(together(trace, field, merged, cell, now.notation), "heads together")
    lost = fact("blur", blur(trace, heads))
    if fact("average_hides", number(lost.in_the_mean, 1) != number(lost.in_a_head, 1)):
        st.warning(
            "An average hides what heads are for. A query reads effectively"
            f" **{number(lost.in_a_head, 1)}** tokens in a single head (e to the mean entropy of"
            " its shares there, averaged over the queries); in the mean of the heads it seems to"
            f" read **{number(lost.in_the_mean, 1)}**: heads that look at different things add up"
            " to one that looks everywhere, and no head need look like it. The maximum keeps every"
            " head’s peaks, but a query’s largest shares are no shares: they sum to up to"
            f" **{number(lost.largest_sum, 2)}**.",
            icon=":material/visibility_off:",
        )
