"""Head worth: the output as a sum over heads, what changes without some of them, and what
weights alone do not say.
"""

import streamlit as st

from attention_core.counting import all_of
from attention_lab.heads.contributions import output_gap
from attention_lab.heads.head_worth import (
    has_shares,
    norm_shares,
    ranking,
    signed_shares,
    token_changes,
)
from attention_lab.notation.formulas import output_by_heads
from attention_lab.rounding import tolerance
from attention_ui.board import show_board
from attention_ui.facts import fact
from attention_ui.heads.head_worth import other_bases
from attention_ui.heads.switching_off import switch_heads_off
from attention_ui.markdown import plain
from attention_ui.page_context import page_context
from attention_ui.panels import token
from attention_ui.show import place_for, show_figure
from attention_viz.heads import head_worth as drawn
from attention_viz.labels import agreement, number

now = page_context()
trace, focus = now.trace, now.focus.within(now.trace, "output")
head, query, column, n_heads = focus.head, focus.query, focus.feature, trace.sizes["H"]
w_o, gap = fact("mixed_by", now.symbol("w_o")), fact("gap", output_gap(trace))
has_w_o = fact("has_w_o", trace.projections.w_o is not None)
part = now.notation.of_head(whole := now.notation.base("output"))
mixes, way = (
    (f"{w_o} mixes {all_of(n_heads, 'head')}, yet", f"the merged heads multiplied by {w_o}")
    if has_w_o
    else (f"Without {w_o} each head fills its own features;", "the merged heads")
)
some = fact("has_shares", has_shares(trace))
signed, norms = signed_shares(trace)[0], norm_shares(trace)[0]
total = number(fact("sum_of_norm_shares", float(norms.sum())), 3)
differ = fact("parts_point_apart", some and n_heads > 1 and total != "1.000")
apart = "the parts of different heads point in different directions"
fact("has_bias", trace.projections.b_o is not None)
fact("residual", trace.residual)

if has_w_o:
    st.latex(output_by_heads(now.notation))
st.markdown(
    f"{mixes} the output is a plain **sum**: each head adds its part. Here it is for feature"
    f" {column} of every token. Parts above the line pull up, parts below pull down; the tick is"
    f" the output itself, computed as {way}{plain(trace.addition('output'))}. Over all tokens"
    " and features the two ways " + f"{agreement(gap, tolerance(trace, 'output'))}."
)
with place_for("worth stacked", max(trace.sizes["T"], 5 * n_heads)):  # the legend takes room, too
    show_figure(drawn.stacked(trace, column), "worth stacked")

switch_heads_off(trace, focus)
moved = fact("moved_without_head", float(token_changes(trace)[0, head, query]))
show_board(drawn.changes(trace, (head, query), now.notation), "worth changes")
st.caption(
    f"How far each token’s output moves when one head alone is off: $|{part}|$, token by token."
    f" {token(trace, 'T', query)} moves by {number(moved)} without head {head}."
    + (f" Lengths do not add up, because {apart}." if differ else "")
)

st.header("Whose output is it?", anchor=False)
picture, words = st.columns([3, 2], gap="medium", vertical_alignment="center")
with picture:
    show_figure(drawn.shares(trace), "worth shares")
with words:
    # Its formulas are set anew whenever the text changes, so the numbers stand in one of their own.
    st.markdown(
        rf"**Signed share** $\langle {part}, {whole}\rangle / |{whole}|^2$: how far a head pushes"
        r" the output the "
        f"way it goes; negative if it pulls against it.\n\n**Norm share** $|{part}| / |{whole}|$,"
        " never negative: how "
        "far the output moves without it."
    )
    if some:
        signed_sum = number(fact("sum_of_signed_shares", float(signed.sum())), 6)
        by_sign, by_norm = fact("rankings", (ranking(signed), ranking(norms)))
        st.markdown(
            f"The signed shares sum to {signed_sum}, the norm shares to {total}"
            + (f", not to 1, because {apart}" if differ else "")
            + f".\n\n**Ranking** by signed share: {', '.join(map(str, by_sign))}; by norm share:"
            f" {', '.join(map(str, by_norm))}."
        )
    else:
        st.markdown("Here all heads together add 0, of which there are no shares.")
    st.caption(
        f"${whole}$ is all that heads add together, without bias and residual. Worth for a task is"
        " another question. Michel et al. 2019 took heads out of trained models and found that many"
        " are hardly missed, and some layers need one alone. Voita et al. 2019 pruned 38 of the 48"
        " heads of a translation model’s encoder while they trained it on, and lost 0.15 BLEU."
    )

other_bases(trace, head, now.notation)
