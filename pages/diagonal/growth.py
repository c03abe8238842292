"""How it grows: self-mass and argmax rate against the width, in theory and by drawing tokens."""

from functools import partial

import streamlit as st

from attention_lab.diagonal.growth_table import TIED_WIDTH, TOKEN_COUNTS, Growth
from attention_ui.diagonal import growth as growth_parts
from attention_ui.facts import fact
from attention_ui.url_state import bound, choose_one, seed_input
from attention_viz.diagonal.growth import half_rows

with st.container(border=True), st.container(horizontal=True, vertical_alignment="bottom"):
    kind = choose_one("Weights", ("weightless", "tied"), "weightless", key="growth_kind")
    wanted = bound(
        st.pills,
        "Tokens N",
        TOKEN_COUNTS,
        default=TOKEN_COUNTS,
        selection_mode="multi",
        key="growth_n",
    )
    lines = bound(
        st.pills,
        "Curves",
        ("exact", "bound", "rule", "uniform"),
        default=("exact", "rule"),
        selection_mode="multi",
        key="growth_lines",
    )
    scaled = bound(st.toggle, "Scaled by 1/√C", True, key="growth_scaled")
    causal = bound(st.toggle, "Causal mask", key="growth_causal")
    precision = bound(
        st.selectbox,
        "Standard error",
        ("0.02", "0.01", "0.004", "0.001"),
        1,
        key="growth_error",
        width=130,
        help="Each point draws tokens until the standard errors of D and R are at most this.",
    )
    seed = seed_input(key="growth_seed")
growth = Growth(kind == "tied", scaled, causal, seed)
counts, error = sorted(wanted or TOKEN_COUNTS), float(precision or 0.01)
known = growth_parts.known(growth, counts, error)

st.markdown(
    "Tokens whose features are independent and normal, **without weights**: the more features, the"
    " more a token looks at itself, and the more tokens there are, the later."
    if not fact("width_is_that_of_a_query", growth.tied)
    else (
        f"Tokens of {TIED_WIDTH} features through **tied weights** $W_Q = W_K$: the width $d_k$ of"
        " a query counts, in the place of C in the formulas. The curves are exact for orthonormal"
        " weights; the points draw Gaussian ones, whose uneven columns cost up to about a quarter,"
        " most with many tokens."
    )
)
above = st.container(horizontal=True, vertical_alignment="center")
run = above.button("Draw tokens and measure", icon=":material/casino:")
n_points = fact("points", len(counts) * len(growth.widths))
n_known = fact("points_measured", len(known))
above.caption(f"{n_known} of {n_points} points are measured with these choices.")
status, place = st.empty(), st.empty()

draw = partial(growth_parts.draw, place, growth, counts, lines)
draw(known, 0)
if run:
    with status.container():
        growth_parts.measure(growth, counts, error, draw)
    st.rerun()

st.markdown(
    "Lines: **exact** (solid), a rigorous lower **bound** (dotted), the one-line **rule** (dashed),"
    " and what **uniform** attention gives (dash and dots). Points: measured, with their standard"
    " errors."
)
left, right = st.columns(2)
with left, st.expander("The curves", icon=":material/function:", expanded=True):
    st.markdown(
        "For a token with $r = |x_i|^2$, its scores for others, divided by $\\tau$, are normal with"
        " variance $r/\\tau^2$; $\\Phi(\\sqrt r)$ is the chance that it beats one of them, and"
        " $\\mathbb E$ a mean:"
    )
    st.latex(
        r"R = \mathbb E_r\left[\Phi(\sqrt r)^{N-1}\right], \quad D = \mathbb E_r \mathbb"
        r" E\left[\tfrac1{1+Y}\right]"
    )
    st.markdown("with $Y$ a sum of $N-1$ lognormal numbers. Jensen’s inequality gives the bound:")
    st.latex(r"D \ge \mathbb E_r\left[\frac1{1+(N-1)\,e^{r/(2\tau^2) - r/\tau}}\right]")
    divisor, exponent = (r"\sqrt C", r"1/2-\sqrt C") if scaled else ("1", "-C/2")
    st.markdown(
        rf"With every token at its typical length ($r = C$, $\tau = {divisor}$) one line is left,"
        r" the rule:"
    )
    st.latex(rf"D \approx \frac1{{1+(N-1)\,e^{{{exponent}}}}}")
    if fact("curves_are_means_over_rows", growth.causal):
        st.markdown(
            "Under the causal mask token $i$ has only $i-1$ rivals: every curve is the mean of"
            " these formulas over $i$ from 1 to $N$, with $i-1$ in the place of $N-1$."
        )
with right, st.expander("The half-mass rule", icon=":material/straighten:", expanded=True):
    half = r"\left(\ln(N-1)+\tfrac12\right)^2" if scaled else r"2 \ln(N-1)"
    st.latex(rf"D = \tfrac12 \quad\text{{near}}\quad C^* = {half}")
    st.table(half_rows(counts))
    st.caption(
        (
            "For attention without a mask. "
            if causal
            else "Dotted in the picture of D, from C = 1 on. "
        )
        + "A row’s maximum gets there long before half of its mass; the numbers for R are rough. No"
        " scale moves R."
    )
st.markdown(
    "**Try:** switch off the scaling: without 1/√C the diagonal wins much earlier. Switch on the"
    " causal mask: early tokens have few rivals, so compare with *uniform*, which is no longer 1/N"
    " but (1 + 1/2 + … + 1/N)/N."
)
