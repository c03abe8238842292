"""Head worth: the output as a sum over heads, and what changes without some of them."""

import streamlit as st

from attention_lab.heads.head_worth import (
    has_shares,
    norm_shares,
    ranking,
    signed_shares,
    token_changes,
)
from attention_lab.heads.weight_blocks import output_gap
from attention_lab.notation.formulas import output_by_heads
from attention_lab.rounding import tolerance
from attention_ui.board import show_board
from attention_ui.heads.parts import switch_heads_off
from attention_ui.page_context import page_context
from attention_ui.panels import token_markdown
from attention_ui.show import picture_container, show_figure
from attention_viz.heads import head_worth as figures
from attention_viz.labels import format_agreement, format_number
from attention_viz.markdown import escape_markdown

now = page_context()
trace, focus = now.trace, now.focus.within(now.trace, "output")
head, query, column, n_heads = focus.head, focus.query, focus.feature, trace.sizes["H"]
w_o, gap = now.symbol("w_o"), output_gap(trace)
part = now.notation.of_head(whole := now.notation.base("output"))
some = has_shares(trace)
signed, norms = signed_shares(trace)[0], norm_shares(trace)[0]
total = format_number(float(norms.sum()), 3)

sum_says = f"{w_o} mixes the heads, but the output is still a **sum**: each head adds its part."
tick_says = f"the merged heads times {w_o}"
if trace.projections.w_o is not None:
    st.latex(output_by_heads(now.notation))
else:
    sum_says = f"This layer has no {w_o}: each head fills its own features of the output."
    tick_says = "the merged heads"
st.markdown(
    f"{sum_says} The bars show feature {column} of the output of every token, with a colour for"
    " each head. Positive parts stand above the line, negative parts below. The tick is the output"
    f" as the layer computes it: {tick_says}{escape_markdown(trace.addition('output'))}. Over all"
    f" tokens and features, sums and outputs {format_agreement(gap, tolerance(trace, 'output'))}."
)
with picture_container(
    "worth stacked", max(trace.sizes["T"], 5 * n_heads)
):  # the legend takes room, too
    show_figure(figures.stacked_output(trace, column), "worth stacked")

switch_heads_off(trace, focus, now.notation)
moved = float(token_changes(trace)[0, head, query])
show_board(figures.token_changes_board(trace, (head, query), now.notation), "worth changes")
st.caption(
    f"How far the output of each token moves when one head is off: $|{part}|$, token by token."
    f" Without head {head}, {token_markdown(trace, 'T', query)} moves by {format_number(moved)}."
    " Lengths add up only if all parts point in the same direction."
)

st.header("Whose output is it?", anchor=False)
picture, words = st.columns([3, 2], gap="medium", vertical_alignment="center")
with picture:
    show_figure(figures.head_shares(trace), "worth shares")
with words:
    # The numbers have a text of their own: Streamlit sets all formulas of a changed text anew.
    st.markdown(
        rf"**Signed share** $\langle {part}, {whole}\rangle / |{whole}|^2$: how much a head adds in"
        " the direction of the whole; negative if it works against it.\n\n"
        rf"**Norm share** $|{part}| / |{whole}|$, never negative: how far the output moves without"
        " the head."
    )
    if some:
        signed_sum = format_number(float(signed.sum()), 6)
        by_sign, by_norm = ranking(signed), ranking(norms)
        st.markdown(
            f"Signed shares sum to {signed_sum}, norm shares here to {total}.\n\n**Ranking** by"
            f" signed share: {', '.join(map(str, by_sign))}; by norm share:"
            f" {', '.join(map(str, by_norm))}."
        )
    else:
        st.markdown("Here the parts of all heads sum to 0, so there are no shares.")
    st.caption(
        f"${whole}$ is the sum of what all heads add, without bias and residual. What a head is"
        " worth for a task is another question. Michel et al. 2019 removed heads from trained"
        " models: many are hardly missed, and some layers need only one. Voita et al. 2019 pruned"
        " 38 of the 48 encoder heads of a translation model during further training, and lost 0.15"
        " BLEU."
    )
