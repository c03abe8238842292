"""Output: W_O mixes what the heads found into one vector per token."""

import streamlit as st

from attention_core.decompositions import output_gap
from attention_ui.frame import here
from attention_ui.panels import arithmetic, code_and_numbers, says, token
from attention_ui.show import show_figure
from attention_viz.contributions import contributions
from attention_viz.heatmap import heatmap
from attention_viz.labels import number
from attention_viz.output import board_of, product_board

now = here()
trace = now.trace
focus = now.focus.within(trace, "output")
head, query, column = focus.head, focus.query, focus.feature
asks = token(trace, "T", query)
w_o = trace.projections.w_o
board = board_of(trace, head, column)
inner, outer = board.inner, board.outer
width, n_out, d_v = trace.merged.shape[2], trace.sizes["O"], trace.sizes["V"]

says(trace, "output")
added = " The layer’s input is added to it (residual)." if trace.residual else ""
if w_o is None:
    st.info(
        "These weights are weightless: there is no W_O, and the merged heads are the output as they are."
        f"{added} Each head owns its columns, and nothing of different heads is mixed."
    )
    show_figure(heatmap(trace, "output", cell=focus.cell("query", "feature")), "output", ("query", "feature"))
else:
    st.markdown(
        "Up to here each head worked alone. Every number of the output takes from **all** heads: the whole row of a "
        f"token, times one column of W_O.{added}"
    )
    with st.container(key="wide product"):
        show_figure(product_board(trace, head, query, column), "output board", ("query", "feature"))
    if board.n_inner < width or board.n_outer < n_out:
        st.caption(
            f"Drawn are rows {inner.start} to {inner.stop - 1} of {width} and columns {outer.start} to "
            f"{outer.stop - 1} of {n_out} of W_O: the blocks of the chosen head and column. The sum below is whole."
        )
arithmetic(
    trace, "output", (0, query, column),
    f"Column {column} of the :violet[output] of :blue[{asks}]. Another column: choose another *feature*.",
)  # fmt: skip

st.subheader("The same output, head by head", anchor=False)
block = f"rows {head * d_v} to {head * d_v + d_v - 1} of W_O" if d_v > 1 else f"row {head} of W_O"
if w_o is None:
    st.markdown("Joined, each head fills its own columns and adds 0 to the others.")
else:
    st.markdown(
        "Laying the heads side by side and multiplying once is the same as giving each head its own block of W_O and "
        f"adding the results: head {head} is multiplied by {block}. So the output is a sum, and you can see what each "
        "head puts in."
    )
with st.container(key="wide contributions"):
    show_figure(contributions(trace, head, query, column), "output heads", ("query", "feature"))
gap = output_gap(trace)
st.success(
    "Checked for all tokens and columns: the two ways "
    + (f"differ by at most {number(gap)}, the rounding of the computer’s numbers." if gap else "agree exactly."),
    icon=":material/check:",
)
code_and_numbers(trace, ("output", "merged"), focus)
