"""Claims: what is said about attention, each marked and checked on the spot."""

import streamlit as st

from attention_lab.diagonal.claims.catalogue import CLAIMS, TEXTS
from attention_ui.diagonal import claims
from attention_ui.facts import fact
from attention_ui.show import show_figure
from attention_viz.diagonal.claims import verdict_bars
from attention_viz.labels import counted

st.markdown(
    f"{len(CLAIMS)} sentences about attention from five texts, from papers and from common talk."
    " Each is marked :green[**always**], :orange[**under a condition**] or :red[**false**], says"
    " what is true instead, and is checked by a computation that runs here: no verdict rests on"
    " authority. A difference of 0 is one of rounding alone."
)
left, right = st.columns([3, 2], vertical_alignment="bottom")
with right:
    show_figure(verdict_bars(CLAIMS), "verdicts", on_click=claims.follow)
    st.caption("Click a part of a bar to see these claims.")
with left:
    shown = claims.chosen()
    st.caption(" · ".join(f"**{text}** {title}" for text, title in TEXTS.items()))
st.markdown(
    f"**{counted(len(shown), 'claim')}** of {len(CLAIMS)}:"
    if fact("claims_shown", [one.id for one in shown])
    else "No claim fits: search for less."
)
for text, title in TEXTS.items():
    mine = [one for one in shown if one.text == text]
    if mine:
        st.header(title, anchor=False)
    for one in mine:
        claims.show(one)
