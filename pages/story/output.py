"""Output: W_O mixes what the heads found into one vector per token."""

import streamlit as st

from attention_core.decompositions import output_gap
from attention_ui.board import show_board
from attention_ui.here import here
from attention_ui.panels import code_and_numbers, says, token, told
from attention_viz import story
from attention_viz.labels import number

now = here()
trace = now.trace
focus = now.focus.within(trace, "output")
head, query, column = focus.head, focus.query, focus.feature
asks = token(trace, "T", query)
w_o, mixes = trace.projections.w_o, now.symbol("w_o")
n_out, d_v = trace.sizes["O"], trace.sizes["V"]

says(now, "output")
added = " The layer’s input is added to it (residual)." if trace.residual else ""
if w_o is None:
    st.info(
        "These weights are weightless: there is no W_O, and the merged heads are the output as they are."
        f"{added} Each head owns its {now.turned('columns')}, and nothing of different heads is mixed."
    )
else:
    st.markdown(
        "Up to here each head worked alone. Every number of the output takes from **all** heads: "
        + now.turned(f"the whole row of a token, times one column of {mixes}.")
        + added
    )
board = story.output(now.stage, query, column)
show_board(board, "output")
if n_out > story.MOST:
    first, end = story.output_window(trace, column)
    st.caption(now.turned(f"Drawn are columns {first} to {end - 1} of {n_out}."))
told(
    trace,
    "output",
    (0, query, column),
    f"{now.turned('Column')} {column} of the :violet[output] of :blue[{asks}]",
)

st.subheader("The same output, head by head", anchor=False)
block = f"rows {head * d_v} to {head * d_v + d_v - 1}" if d_v > 1 else f"row {head}"
if w_o is None:
    st.markdown(now.turned("Joined, each head fills its own columns and adds 0 to the others."))
else:
    st.markdown(now.turned(
        "Laying the heads side by side and multiplying once is the same as giving each head its own block of "
        f"{mixes} and adding the results: head {head} is multiplied by {block} of {mixes}. So the output is a sum; the "
        "board’s last matrix shows what each head puts into the row you point at."
    ))  # fmt: skip
gap = output_gap(trace)
st.success(
    f"Checked for all tokens and {now.turned('columns')}: the two ways "
    + (f"differ by at most {number(gap)}, the rounding of the computer’s numbers." if gap else "agree exactly."),
    icon=":material/check:",
)
code_and_numbers(now, ("output", "merged"), board)
