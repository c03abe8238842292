"""Claims: sentences about attention, each with its verdict and a check that runs on the spot."""

import streamlit as st

from attention_lab.diagonal.claims.catalogue import CLAIMS, TEXTS
from attention_ui.diagonal import claims
from attention_ui.show import show_figure
from attention_viz.diagonal.claims import verdict_bars

st.markdown(
    f"The list has {len(CLAIMS)} sentences about attention: some are often said, others come from"
    " papers and from five texts. Each is marked as :green[**always**] true, true"
    " :orange[**under a condition**] or :red[**false**], with the correct statement and a"
    " computation that checks it now. A difference that is only rounding is shown as 0. The"
    " [glossary](glossary) explains terms."
)
left, right = st.columns([3, 2])
with right:
    show_figure(verdict_bars(CLAIMS), "verdicts", on_click=claims.filter_by_bar)
    st.caption("Click a part of a bar to list these claims.")
with left:
    shown = claims.choose_claims()
    if len(shown) < len(CLAIMS):
        st.caption(" · ".join(f"**{text}** {title}" for text, title in TEXTS.items()))
    st.markdown(f"Claims: **{len(shown)}** of {len(CLAIMS)}.")
    if not shown:
        st.markdown("Nothing found. Try other or fewer words.")
    for text in TEXTS:
        mine = [one for one in shown if one.text == text]
        if mine:
            claims.show_text(text, mine, whole=len(shown) == len(CLAIMS))
