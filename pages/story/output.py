"""Output: W_O mixes what the heads found into one vector per token."""

import streamlit as st

from attention_core.head_blocks import head_columns
from attention_lab.heads.contributions import absorbed_contributions, absorbed_size, output_gap
from attention_lab.heads.weight_blocks import heads_mixed
from attention_lab.notation.formulas import output_without_w_o
from attention_lab.rounding import tolerance
from attention_ui.facts import fact
from attention_ui.page_context import page_context
from attention_ui.panels import draw_arithmetic, look_closer, token
from attention_ui.registry import page_of
from attention_ui.step import show_step
from attention_ui.url_state import request_page
from attention_viz import story
from attention_viz.labels import agreement, counted, span

now = page_context()
trace = now.trace
rounding = tolerance(trace, "output")
focus = now.focus.within(trace, "output")
head, query, column = focus.head, focus.query, focus.feature
asks = token(trace, "T", query)
w_o, mixes = trace.projections.w_o, fact("mixed_by", now.symbol("w_o"))
h, d_in, n_out, d_v = (trace.sizes[letter] for letter in "HMOV")

more = [now.symbol("b_o")] * fact("has_bias", trace.projections.b_o is not None)
more += ["the layer’s input (residual)"] * fact("residual", trace.residual)
added = f" Added to it: {' and '.join(more)}." if more else ""
if not fact("has_w_o", w_o is not None):
    st.info(
        f"There is no {mixes} here: the merged heads are the"
        f" output{'' if more else ' as they are'}.{added} Each head owns its"
        f" {now.turned('columns')}, and nothing of different heads is mixed."
    )
else:
    n_mixed = fact("heads_mixed", heads_mixed(trace, column))
    everything = "all heads" if h > 1 else "all of the head"
    takes = f"Every number of the output takes from **{everything}**: "
    if n_mixed < h:
        takes = (
            f"Number {column} takes from **{n_mixed} of {counted(h, 'head')}**, as {mixes} is 0 for"
            " the others: "
        )
    st.markdown(
        ("Up to here each head worked alone. " if h > 1 else "")
        + takes
        + now.turned(f"the dot product of a token’s whole row and one column of {mixes}.")
        + added
    )
if fact("free_width", n_out != trace.sizes["D"]):
    made = f"{mixes} may have any number of columns" if w_o is not None else "the heads are joined"
    st.markdown(
        f"The output has {counted(n_out, 'number')} for each token, the input"
        f" {trace.sizes['D']}: {now.turned(made)}. The input cannot be added to it."
    )
board = story.output(now.stage, query, column, not now.whole)
board = show_step(now, "output", board)
if fact("whole", now.whole) and n_out > story.MOST:
    drawn = slice(*fact("drawn_columns", story.output_window(trace, column)))
    verb = "is" if drawn.stop - drawn.start == 1 else "are"
    st.caption(now.turned(f"Drawn {verb} {span(drawn, 'column')} of {n_out}."))
title = f"{now.turned('Column')} {column} of the :violet[output] of :blue[{asks}]"
arithmetic = draw_arithmetic(trace, "output", (0, query, column), title)

st.header("The same output, head by head", anchor=False)
block = span(fact("block", head_columns(trace, "merged", head)), "row")
gap = fact("gap", output_gap(trace))
if w_o is None:
    st.markdown(now.turned("Joined, each head fills its own columns and adds 0 to the others."))
else:
    st.markdown(
        now.turned(
            "Laying the heads side by side and multiplying once is the same as giving each head"
            f" its own block of {mixes} and adding the results: head {head} is multiplied by"
            f" {block} of {mixes}. So the output is a sum; the board’s last matrix shows what each"
            " head puts into the row you point at."
        )
    )
st.success(
    f"Checked for all tokens and {now.turned('columns')}: the two ways {agreement(gap, rounding)}.",
    icon=":material/check:",
)
if w_o is not None:
    with st.expander(
        "Could heads simply be added?", key="no w_o", icon=":material/help:", on_change="rerun"
    ) as box:
        if box.open:
            apart, together = fact("numbers_apart_and_together", absorbed_size(trace))
            absorbed = fact("gap_without_w_o", output_gap(trace, absorbed_contributions))
            st.markdown(
                f"Yes: let each head’s value matrix take in its own block of {mixes}. Its values"
                f" are then as wide as the output, {counted(n_out, 'number')}, nothing is joined,"
                f" and no {mixes} is left:"
            )
            st.latex(output_without_w_o(trace, now.notation))
            st.markdown(
                "So code that adds its heads and has no output matrix need not be wrong: computed"
                " like this and as above, the outputs"
                f" {agreement(absorbed, rounding)}. In numbers: the value"
                f" matrices hold {h} · {d_in} · {n_out} = **{counted(together, 'number')}**,"
                f" {now.symbol('w_v')} and {mixes} together **{apart:,}**. Their rank is no larger"
                f" for it: at most {now.symbol('d_v')} = {d_v}."
            )
look_closer(now, "output", board, arithmetic, beside=("merged",))
practice = page_of("practice")
st.button(
    practice.question,
    icon=practice.icon,
    on_click=request_page,
    args=(practice.path,),
    kwargs={"head": head},
)
