"""Head portraits: what each head does, in numbers, and which heads do the same."""

import streamlit as st

from attention_lab.heads.habits import HABITS
from attention_lab.heads.patterns import pattern_of
from attention_lab.notation.formulas import in_letters
from attention_ui.heads.parts import choose_portrait, say_habits, show_similarity
from attention_ui.page_context import page_context
from attention_ui.show import show_figure
from attention_ui.url_state import draw_bound
from attention_viz.heads.head_portraits import describe_value, measures_figure, profile_figure

now = page_context()
trace, head, n_heads = now.trace, now.focus.head, now.trace.sizes["H"]
pattern = pattern_of(trace)

say_habits(trace, pattern)
st.markdown(
    "Below, a bar for each head and each measure. An orange tick marks a head **without"
    " preferences**, which gives the same share to every key that it may see. A bar far from its"
    " tick shows that the head has preferences. A click on a bar shows its measure and its head"
    " below."
)
portraits = st.container(key="wide portraits")
chosen = draw_bound(
    st.selectbox, "Look closer at", tuple(one.name for one in HABITS), key="portrait"
)
measure = next((one for one in HABITS if one.name == chosen), HABITS[0])
with portraits:
    show_figure(
        measures_figure(HABITS, pattern, (measure.name, head)),
        "portraits",
        on_click=choose_portrait,
    )

beside, picture = st.columns([2, 3], gap="medium")
with beside:
    words = f"$$\n{measure.formula}\n$$\n\n{measure.description}\n\n**Range:** {measure.range}."
    st.markdown(in_letters(words, now.notation, trace))
    st.markdown(f"**Head {head}:** {describe_value(measure, pattern, head)}.")
    st.caption(
        in_letters(
            "$i$: query, $j$: key. The number of a head is the mean over its queries.",
            now.notation,
            trace,
        )
    )
with picture:
    if measure.is_known(pattern, head):
        show_figure(profile_figure(trace, measure, pattern, head), "portrait profile")

st.header("Which heads do the same?", anchor=False)
if n_heads == 1:
    st.info(
        "There is only one head, so there is nothing to compare. Choose more heads in the sidebar."
    )
else:
    show_similarity(pattern, now.notation)
