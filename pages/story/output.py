"""Output: the output projection mixes what the heads found into one vector per token."""

from functools import partial

import streamlit as st

from attention_core.trace import head_columns
from attention_lab.heads.weight_blocks import (
    absorbed_contributions,
    absorbed_size,
    heads_mixed,
    output_gap,
)
from attention_lab.notation.formulas import output_without_w_o
from attention_lab.page_list import page_of
from attention_lab.rounding import tolerance
from attention_ui.page_context import page_context
from attention_ui.panels import draw_arithmetic, look_closer, on_demand, token_markdown
from attention_ui.step import show_step
from attention_ui.url_state import request_page
from attention_viz.labels import format_agreement, format_span
from attention_viz.story.products import MAX_COLUMNS_SENT, output_window

# What the layer without W_O stores, compared with W_V and W_O.
STORES = {
    "more": "more numbers, though",
    "as many": "as many numbers",
    "fewer": "even fewer numbers",
}
now = page_context()
trace = now.trace
rounding = tolerance(trace, "output")
focus = now.focus.within(trace, "output")
head, query, column = focus.head, focus.query, focus.feature
asks = token_markdown(trace, "T", query)
w_o, mixes = trace.projections.w_o, now.symbol("w_o")
words, turned = now.layout, now.symbol("w_o", on_board=True)
h, d_in, n_out, d_v = (trace.sizes[letter] for letter in "HMOV")

more = [now.symbol("b_o")] * (trace.projections.b_o is not None)
more += ["the layer’s input (residual)"] * trace.residual
added = "".join(f" Then {part} is added." for part in more)
if w_o is None:
    st.info(
        f"This layer has no {mixes}: its output is made of the merged heads.{added} Each head keeps"
        f" its {words.column}s, and numbers of different heads are not mixed."
    )
else:
    n_mixed = heads_mixed(trace, column)
    zeros = ""
    if n_mixed < h:
        zeros = (
            f" In the {words.row}s of the other heads, this {words.column} of {turned} holds only"
            " 0."
        )
    st.markdown(
        "Before this step the heads have not met. Each number of the output is the dot product of a"
        f" token’s whole merged {words.row}, with the numbers of **all heads**, and one"
        f" {words.column} of {turned}. Heads that take part in number {column}: **{n_mixed} of"
        f" {h}**.{zeros}{added}"
    )
if n_out != trace.sizes["D"]:
    st.markdown(
        f"Numbers for each token: {trace.sizes['D']} in the input, {n_out} in the output. The sizes"
        " differ, so the input cannot be added to the output."
    )
show_step(now)
if now.whole and n_out > MAX_COLUMNS_SENT:
    drawn = slice(*output_window(trace, column))
    st.caption(f"Shown: {format_span(drawn, words.column)} of {n_out}.")
title = f"Number {column} of the :violet[output] of :blue[{asks}]"
arithmetic = draw_arithmetic(trace, "output", (0, query, column), title)

st.header("The same output, head by head", anchor=False)
block = format_span(head_columns(trace, "merged", head), words.row)
gap = output_gap(trace)
if w_o is None:
    st.markdown(f"Each head fills its own {words.column}s and adds 0 to the others.")
else:
    st.markdown(
        "There are two ways with the same result. Either the heads are laid"
        f" {words.side_by_side} and multiplied once; or each head is multiplied by its own block of"
        f" {mixes}, and the results are added. The block of head {head}: {block} of {turned}. So"
        " the output is a sum over the heads. The last matrix of the board shows what each head"
        f" adds to the {words.row} you point at."
    )
st.success(
    f"Checked for all numbers of all tokens: the two ways {format_agreement(gap, rounding)}.",
    icon=":material/check:",
)
if w_o is not None:
    with on_demand("Could heads simply be added?", "no w_o") as box:
        if box.open:
            stored = absorbed_size(trace)
            absorbed = output_gap(trace, absorbed_contributions)
            st.markdown(
                f"Yes: multiply each head’s value matrix by its own block of {mixes} first. Then"
                f" every value is as wide as the output ({n_out}), nothing is joined, and no"
                f" separate {mixes} is left:"
            )
            st.latex(output_without_w_o(trace, now.notation))
            st.markdown(
                "So code that adds its heads and has no output matrix can be right: computed in"
                f" both ways, the outputs {format_agreement(absorbed, rounding)}. It stores"
                f" {STORES[stored.compared]}: {h} · {d_in} · {n_out} = **{stored.products:,}** in"
                f" the value matrices, against **{stored.apart:,}** in {now.symbol('w_v')} and"
                f" {mixes} together. The rank of each does"
                f" not grow: it is at most {now.symbol('d_v')} = {d_v}."
            )
look_closer(now, "output", arithmetic, beside=("merged",))
practice = page_of("practice")
leave = partial(request_page, practice.path, head=head)
st.button(practice.question, on_click=leave)
