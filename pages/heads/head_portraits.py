"""Head portraits: what each head does, in numbers, and which heads do the same."""

from functools import partial

import streamlit as st

from attention_lab.heads.head_portraits import MEASURES
from attention_lab.heads.patterns import pattern_of
from attention_lab.notation.formulas import in_letters
from attention_ui.facts import fact
from attention_ui.heads.head_portraits import (
    MEASURE_NAMES,
    choose_portrait,
    say_habits,
    show_similarity,
)
from attention_ui.page_context import page_context
from attention_ui.show import show_figure
from attention_ui.url_state import draw_bound
from attention_viz.heads.head_portraits import describe_value, measures_figure, profile_figure

now = page_context()
trace, head, n_heads = now.trace, now.focus.head, now.trace.sizes["H"]
pattern, letters = pattern_of(trace), partial(in_letters, notation=now.notation, trace=trace)

say_habits(trace, pattern)
st.markdown(
    "Below, a bar for each head and each measure. An orange tick marks a head **without"
    " preferences**, which gives the same share to every key that it may see. A bar far from its"
    " tick shows that the head has preferences. A click on a bar shows its measure and its head"
    " below."
)
portraits = st.container(key="wide portraits")
chosen = draw_bound(st.selectbox, "Look closer at", MEASURE_NAMES, key="portrait")
measure = next((one for one in MEASURES if one.name == chosen), MEASURES[0])
fact("measure", measure.name)
with portraits:
    show_figure(
        measures_figure(MEASURES, pattern, (measure.name, head)),
        "portraits",
        on_click=choose_portrait,
    )

beside, picture = st.columns([2, 3], gap="medium")
with beside:
    st.markdown(
        letters(
            f"$$\n{measure.formula}\n$$\n\n{measure.description}\n\n**Range:** {measure.range}."
        )
    )
    largest = fact("largest_rank", min(trace.sizes["K"], *trace.scores.shape[-2:]))
    largest_says = f"min({now.symbol('d_k')}, tokens) = {largest}"
    fact("value", float(measure.value(pattern)[0, head]))
    st.markdown(f"**Head {head}:** {describe_value(measure, pattern, head, largest_says)}.")
    with st.popover(
        "All measures: formula and range", key="all measures", on_change="rerun"
    ) as measures:
        if measures.open:
            for one in MEASURES:
                st.markdown(
                    letters(
                        f"**{one.name}** ${one.formula}$  \n{one.description} Range: {one.range}."
                    )
                )
            st.caption(
                letters(
                    "$i$: query, $j$: key, $n_i$: the number of keys that query $i$ may see."
                    " Logarithms are natural. Unless a measure says otherwise, the number of a head"
                    " is the mean over its queries."
                )
            )
with picture:
    if fact("is_known", measure.is_known(pattern, head)):
        show_figure(profile_figure(trace, measure, pattern, head), "portrait profile")

st.header("Which heads do the same?", anchor=False)
if fact("heads", n_heads) == 1:
    st.info(
        "There is only one head, so there is nothing to compare. Choose more heads in the sidebar."
    )
else:
    show_similarity(pattern, now.notation)
