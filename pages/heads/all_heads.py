"""All heads: what each attends to, side by side, as one matrix, and as lines between tokens."""

import streamlit as st

from attention_lab.heads.keys_read import maximum_of_heads, mean_of_heads
from attention_ui.board import show_board
from attention_ui.heads.choices import choose_heads
from attention_ui.page_context import page_context
from attention_ui.panels import token_markdown
from attention_ui.show import show_figure
from attention_ui.url_state import choose_one
from attention_viz.heads.all_heads import (
    ABOUT,
    ABOUT_POINTING,
    MATRIX_FIELDS,
    SHOWN_LABEL,
    TOGETHER,
    TOGETHER_LABEL,
    combined_heads_board,
    heads_grid,
    key_board,
    query_board,
    what_an_average_hides,
    who_reads,
)
from attention_viz.heads.attention_lines import MAX_DRAWN_LINES, attention_lines

LINE_DESCRIPTIONS = {
    "query": "Lines from the query in focus.",
    "key": "Lines to the key in focus.",
    "all": "Lines from all queries to all keys.",
}
SCALE_BUTTON_LABELS = {False: "Each head its own scale", True: "One scale for all heads"}

now = page_context()
trace, focus = now.trace, now.focus
cell = focus.cell("query", "key")
query, key = token_markdown(trace, "T", focus.query), token_markdown(trace, "S", focus.key)
own_scale = bool(st.session_state.get("own_scale"))

st.markdown(ABOUT)
with st.container(horizontal=True, vertical_alignment="bottom"):
    shown = choose_one(SHOWN_LABEL, MATRIX_FIELDS, "probabilities", key="heads_stage")
    st.button(
        SCALE_BUTTON_LABELS[own_scale],
        icon=":material/palette:",
        on_click=st.session_state.update,
        args=({"own_scale": not own_scale},),
        key="heads_scale",
        help="With its own scale, the strongest cell of each head has the strongest colour.",
    )
    chosen = choose_heads(
        "subset", "Only these heads", trace.sizes["H"], "With no choice, all heads are shown."
    )
heads = chosen or tuple(range(trace.sizes["H"]))
field = MATRIX_FIELDS[shown]
array = getattr(trace, field)[0]

show_board(heads_grid(now.stage, field, heads, cell=cell), "heads grid")
st.caption(ABOUT_POINTING)

view = choose_one(
    TOGETHER_LABEL,
    (*TOGETHER, "Lines"),
    TOGETHER[0],
    key="heads_view",
)
if view == TOGETHER[1]:
    of_query, of_key = who_reads(trace, cell, query, key)
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown(f"**What does :blue[{query}] read?** {of_query}")
        show_board(query_board(trace, *cell, now.notation), "heads query")
    with right:
        st.markdown(f"**Who reads :red[{key}]?** {of_key}")
        show_board(key_board(trace, *cell, now.notation), "heads key")
elif view == "Lines":
    which = choose_one(
        "Lines of", LINE_DESCRIPTIONS, "query", key="heads_lines", label_visibility="collapsed"
    )
    figure, left_out = attention_lines(trace, heads, which, focus.query, focus.key)
    with st.container(key="wide heads lines"):
        show_figure(figure, "heads lines")
    st.caption(
        f"{LINE_DESCRIPTIONS[which]} :blue[Queries] are on the left, :red[keys] on the right. A"
        " wider line is a larger share; point at its dot to read the share. A click on a head in"
        f" the legend hides or shows its lines. At most {MAX_DRAWN_LINES} lines are drawn; weaker"
        f" lines left out: {left_out}."
    )
else:
    merged = {"mean": mean_of_heads(array, heads), "maximum": maximum_of_heads(array, heads)}
    show_board(combined_heads_board(trace, field, merged, cell, now.notation), "heads together")
    if hidden := what_an_average_hides(trace, heads):
        st.warning(
            f"**An average hides what heads are for.** {hidden}\n\n*Effective tokens* are e"
            " to the [entropy](glossary?glossary_words=entropy) of the shares: that number of"
            " tokens with equal shares has the same entropy.",
            icon=":material/visibility_off:",
        )
