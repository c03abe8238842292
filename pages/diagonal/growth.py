"""Growth of self-attention: its mass and its maxima against the width, as curves and measured."""

from functools import partial

import streamlit as st

from attention_lab.diagonal.growth import TIED_WIDTH, Growth
from attention_lab.diagonal.growth_curves import half_mass_width
from attention_ui.diagonal.growth import (
    DIVISOR,
    HALF_MASS_WIDTH,
    RULE_EXPONENT,
    choose_counts,
    choose_lines,
    draw_charts,
    known_points,
    measure_points,
)
from attention_ui.url_state import choose_one, draw_bound, seed_input
from attention_viz.diagonal.growth import half_rows

WHAT_IS_DRAWN = {
    False: (
        "The charts show how much random tokens look at themselves **without weights**. Their"
        " features are independent and normally distributed. Self-attention grows with the number"
        " of features C. With more tokens N it takes more features."
    ),
    True: (
        f"The charts show how much random tokens of {TIED_WIDTH} features look at themselves with"
        " **tied weights** $W_Q = W_K$. In the formulas, the width $d_k$ of a query takes the place"
        " of C. The curves are exact for orthonormal weights. The measured points use random normal"
        " weights, whose uneven columns cost up to about a quarter, most with many tokens."
    ),
}

answer = st.empty()
with st.container(horizontal=True, vertical_alignment="bottom"):
    kind = choose_one("Weights", ("weightless", "tied"), "weightless", key="growth_kind")
    wanted, lines = choose_counts(), choose_lines()
    more = st.popover("More choices", icon=":material/tune:")
with more:
    scaled = draw_bound(st.toggle, "Scaled by 1/√C", True, key="growth_scaled")
    causal = draw_bound(st.toggle, "Causal mask", key="growth_causal")
    precision = draw_bound(
        st.selectbox,
        "Standard error",
        ("0.02", "0.01", "0.004", "0.001"),
        1,
        key="growth_error",
        help="Each point draws tokens until the standard errors of D and R are at most this.",
    )
    seed = seed_input(key="growth_seed")
growth = Growth(kind == "tied", scaled, causal, seed)
counts, error = sorted(wanted), float(precision or 0.01)
known = known_points(growth, counts, error)
half = " · ".join(f"{half_mass_width(n, scaled=scaled):.0f} among {n} tokens" for n in counts)
answer.markdown(
    "A token keeps half of its attention for itself from about this many features on:"
    f" **{half}** (without a mask)."
)
status, place = st.empty(), st.empty()

draw = partial(draw_charts, place, growth, counts, lines)
draw(known, 0)
above = st.container(horizontal=True, vertical_alignment="center")
run = above.button("Draw tokens and measure", icon=":material/casino:")
n_points = len(counts) * len(growth.widths)
above.caption(f"{len(known)} of {n_points} points are measured with these choices.")
if run:
    with status.container():
        measure_points(growth, counts, error, draw)
    st.rerun()

st.markdown(WHAT_IS_DRAWN[growth.tied])
st.markdown(
    "**D** is the mean weight of a token for itself, **R** the share of rows whose maximum lies on"
    " the diagonal. Lines: the **exact** curve (solid), a proven lower **bound** (dotted), a"
    " **rule** in one line (dashed), and **uniform** attention (dash and dot). Points: measured,"
    " with their standard errors."
)
left, right = st.columns(2)
with left, st.expander("The curves", icon=":material/function:", expanded=True):
    st.markdown(
        "Take a token with squared length $r = |x_i|^2$. Its scores for other tokens, divided by"
        " $\\tau$, are normal with variance $r/\\tau^2$. $\\Phi(\\sqrt r)$, the normal distribution"
        " function, is the chance that the token's own score beats one of them. $\\mathbb E$ is a"
        " mean:"
    )
    st.latex(
        r"R = \mathbb E_r\left[\Phi(\sqrt r)^{N-1}\right], \quad D = \mathbb E_r \mathbb"
        r" E\left[\tfrac1{1+Y}\right]"
    )
    st.markdown(
        "$Y$ is a sum of $N-1$ lognormal numbers, which are exponentials of normal ones. Jensen’s"
        " inequality (the mean of a convex function is at least the function of the mean) gives the"
        " bound:"
    )
    st.latex(r"D \ge \mathbb E_r\left[\frac1{1+(N-1)\,e^{r/(2\tau^2) - r/\tau}}\right]")
    st.markdown(
        "If every token has its typical length ($r = C$, $\\tau ="
        f" {DIVISOR[scaled]}$), the bound becomes the rule:"
    )
    st.latex(rf"D \approx \frac1{{1+(N-1)\,e^{{{RULE_EXPONENT[scaled]}}}}}")
    if growth.causal:
        st.markdown(
            "Under the causal mask token $i$ competes only with the $i-1$ tokens before it. Every"
            " curve is the mean of these formulas over $i$ from 1 to $N$, with $i-1$ in the place"
            " of $N-1$."
        )
with right, st.expander("The half-mass rule", icon=":material/straighten:", expanded=True):
    st.latex(rf"D = \tfrac12 \quad\text{{near}}\quad C^* = {HALF_MASS_WIDTH[scaled]}")
    st.table(half_rows(counts))
    st.caption(
        "The rule is for attention without a mask. There the chart of D shows it as dotted lines,"
        " from C = 1 on. R = ½ takes far fewer features than D = ½. The widths for R are"
        " approximate. R does not depend on the scale."
    )
st.markdown(
    "**Try:** switch off the scaling: without 1/√C the diagonal wins at far fewer features. Switch"
    " on the causal mask: the first tokens have few competitors, so compare with *uniform*, which"
    " is then (1 + 1/2 + … + 1/N)/N instead of 1/N."
)
