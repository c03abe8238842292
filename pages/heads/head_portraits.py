"""Head portraits: what each head does, in numbers, and which heads do the same."""

from functools import partial

import streamlit as st

from attention_core.counting import all_of
from attention_lab.heads import similarity
from attention_lab.heads.head_portraits import MEASURES
from attention_lab.heads.patterns import largest_entropy, pattern_of
from attention_lab.notation.letters import in_letters
from attention_ui.facts import fact
from attention_ui.heads.heads_choice import MEASURE_NAMES, open_portrait
from attention_ui.page_context import page_context
from attention_ui.show import show_figure
from attention_ui.url_state import bound
from attention_viz.heads.head_portraits import profile, strip, value_says
from attention_viz.heads.similarity import alike_says, closest_says, correlations, divergences
from attention_viz.labels import number

now = page_context()
trace, head, n_heads = now.trace, now.focus.head, now.trace.sizes["H"]
pattern, letters = pattern_of(trace), partial(in_letters, notation=now.notation, trace=trace)

st.markdown(
    "A line for each head, a column for each measure: its mean over the queries, unless it says"
    " otherwise. The orange tick is a head **without preferences** under the same mask, which gives"
    " every key it may see the same share: a bar far from its tick is what makes a head special. A"
    " click on a bar opens its measure and its head below."
)
portraits = st.container(key="wide portraits")
chosen = bound(st.selectbox, "Look closer at", MEASURE_NAMES, key="portrait")
measure = next((one for one in MEASURES if one.name == chosen), MEASURES[0])
fact("measure", measure.name)
with portraits:
    show_figure(strip(MEASURES, pattern, (measure.name, head)), "portraits", on_click=open_portrait)

beside, picture = st.columns([2, 3], gap="medium")
with beside:
    st.markdown(
        letters(f"$$\n{measure.formula}\n$$\n\n{measure.says}\n\n**Range:** {measure.range}.")
    )
    largest = fact("largest_rank", min(trace.sizes["K"], *trace.scores.shape[-2:]))
    of_head = f"min({now.symbol('d_k')}, tokens) = {largest}"
    fact("value", float(measure.value(pattern)[0, head]))
    st.markdown(f"**Head {head}:** {value_says(measure, pattern, head, of_head)}.")
    with st.popover(
        "All measures: formula and range", key="all measures", on_change="rerun"
    ) as measures:
        if measures.open:
            for one in MEASURES:
                st.markdown(
                    letters(f"**{one.name}** ${one.formula}$  \n{one.says} Range: {one.range}.")
                )
            st.caption(
                letters(
                    "$i$: query, $j$: key, $n_i$: how many keys query $i$ may see; logarithms are"
                    " natural."
                )
            )
with picture:
    if fact("is_known", measure.is_known(pattern, head)):
        show_figure(profile(trace, measure, pattern, head), "portrait profile")

st.header("Which heads do the same?", anchor=False)
if fact("heads", n_heads) == 1:
    st.info(
        "There is only one head, so there is nothing to compare. Choose more heads in the sidebar."
    )
else:
    distance, correlation = (
        similarity.head_divergences(pattern)[0],
        similarity.centred_correlations(pattern)[0],
    )
    order = similarity.head_order(distance)
    most = similarity.max_distinct_heads(pattern)
    together = fact("layer_divergence", float(similarity.layer_divergence(pattern)[0]))
    st.markdown(
        "Two answers, because they say different things. Two heads that spread their attention"
        " widely are close in divergence even if they have nothing to do with each other; the"
        " correlation looks only at what they **prefer** and is then about 0. Heads are ordered so"
        " that like stands beside like (average linkage)."
    )
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown(
            "**Jensen–Shannon divergence:** 0 = equal, ln 2 = nothing in common",
            help=(
                r"The mean over all queries of $H\big(\tfrac{a+b}{2}\big)-\tfrac{H(a)+H(b)}{2}$,"
                r" where $a$ and $b$ "
                "are the shares of one query in two heads and $H$ is the entropy."
            ),
        )
        show_figure(divergences(distance, order), "head divergences")
        st.markdown(closest_says(distance))
    with right:
        st.markdown(
            "**Centred correlation:** 1 = the same preferences, −1 = opposite ones",
            help=(
                r"$\dfrac{\langle a-e,\,b-e\rangle}{\lVert a-e\rVert\,\lVert b-e\rVert}$, where $a$"
                r" and $b$ are all "
                "shares of two heads and $e$ those of an even spread over the visible keys."
            ),
        )
        show_figure(correlations(correlation, order), "head correlations")
        st.markdown(alike_says(correlation))
    st.caption(
        f"{all_of(n_heads, 'head').capitalize()} together differ by"
        f" {number(together, 3)} of at most ln {most} ="
        f" {number(largest_entropy(most), 3)}: the entropy of their mean minus the mean of their"
        " entropies."
    )
