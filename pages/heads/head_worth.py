"""Head worth: the output as a sum over heads, what changes without some of them, and what
weights alone do not say.
"""

import streamlit as st

from attention_core.counting import all_of
from attention_lab.heads.contributions import output_gap
from attention_lab.heads.head_comparison import relative_change
from attention_lab.heads.worth import (
    ablated_output,
    has_shares,
    norm_shares,
    ranking,
    signed_shares,
    token_changes,
)
from attention_lab.notation.formulas import output_by_heads
from attention_ui.board import show_board
from attention_ui.heads.bases import other_bases
from attention_ui.heads.heads_choice import choose_heads
from attention_ui.here import here
from attention_ui.markdown import plain
from attention_ui.panels import token
from attention_ui.show import place_for, show_figure
from attention_viz.heads import worth_figures as drawn
from attention_viz.labels import number, percent

now = here()
trace, focus = now.trace, now.focus.within(now.trace, "output")
head, query, column, n_heads = focus.head, focus.query, focus.feature, trace.sizes["H"]
w_o, gap = now.symbol("w_o"), output_gap(trace)
part = now.notation.of_head(whole := now.notation.base("output"))
mixes, way = (
    (f"Without {w_o} each head fills its own features;", "the merged heads")
    if trace.projections.w_o is None
    else (f"{w_o} mixes {all_of(n_heads, 'head')}, yet", f"the merged heads multiplied by {w_o}")
)
signed, norms = signed_shares(trace)[0], norm_shares(trace)[0]
total = number(float(norms.sum()), 3)
apart = (
    "the parts of different heads point in different directions"
    if n_heads > 1 and total != "1.000"
    else ""
)

if trace.projections.w_o is not None:
    st.latex(output_by_heads(now.notation))
st.markdown(
    f"{mixes} the output is a plain **sum**: each head adds its part. Here it is for feature"
    f" {column} of every token. Parts above the line pull up, parts below pull down; the tick is"
    f" the output itself, computed as {way}{plain(trace.says_added('output'))}. Over all tokens and"
    " features the two ways " + (f"differ by at most {number(gap)}." if gap else "agree exactly.")
)
with place_for("worth stacked", max(trace.sizes["T"], 5 * n_heads)):  # the legend takes room, too
    show_figure(drawn.stacked(trace, column), "worth stacked")

st.subheader("Switch heads off", anchor=False)
off = choose_heads(
    "off", "Heads that are switched off", n_heads, "A head that is off attends, but adds nothing."
)
without = ablated_output(trace, off)
if off:
    moves = percent(relative_change(trace.output, without))
    st.markdown(
        f"Without {drawn.heads_named(off)} the output moves by **{moves}** of its length."
        + (
            f" All heads are off: what is left is {drawn.left_without_heads(trace)}."
            if len(off) == n_heads
            else ""
        )
    )
    with st.container(key="wide worth ablation"):
        show_figure(
            drawn.ablation(trace, without[0], (query, column)),
            "worth ablation",
            ("query", "feature"),
        )
    if trace.sizes["O"] > drawn.MOST_COLUMNS:
        st.caption(
            f"Drawn are {drawn.MOST_COLUMNS} of {trace.sizes['O']} columns, those around the"
            " feature in focus."
        )
else:
    st.caption("All heads are on. Switch one off: which tokens need it?")
show_board(drawn.changes(trace, (head, query), now.notation), "worth changes")
st.caption(
    f"How far each token’s output moves when one head alone is off: $|{part}|$, token by token."
    f" {token(trace, 'T', query)} moves by {number(float(token_changes(trace)[0, head, query]))}"
    f" without head {head}."
    + (f" Lengths do not add up, because {apart}." if apart and has_shares(trace) else "")
)

st.subheader("Whose output is it?", anchor=False)
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
    st.markdown(
        f"The signed shares sum to {number(float(signed.sum()), 6)}, the norm shares to {total}"
        + (f", not to 1, because {apart}" if apart else "")
        + f".\n\n**Ranking** by signed share: {', '.join(map(str, ranking(signed)))}; by norm"
        " share: "
        f"{', '.join(map(str, ranking(norms)))}."
        if has_shares(trace)
        else "Here all heads together add 0, of which there are no shares."
    )
    st.caption(
        f"${whole}$ is all that heads add together, without bias and residual. Worth for a task is"
        " another question."
    )

other_bases(trace, head, now.notation)
