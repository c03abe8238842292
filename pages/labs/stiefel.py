"""Stiefel: what it changes when the columns of every head's matrices are orthonormal."""

from urllib.parse import urlencode

import streamlit as st

from attention_lab.heads.patterns import largest_entropy
from attention_lab.labs.stiefel import parameter_counts
from attention_ui.labs import stiefel as lab
from attention_ui.labs.stiefel import show_deep_stack, show_one_layer, show_subspaces
from attention_ui.show import show_figure
from attention_ui.url_state import draw_bound, seed_input
from attention_viz.labels import format_number, format_percent
from attention_viz.labs.stiefel import singular_value_figure, sphere_figure

answer = st.empty()
with st.container(horizontal=True, vertical_alignment="bottom"):
    width = draw_bound(
        st.select_slider, "Features C", (16, 32, 64, 128), 64, key="stiefel_width", width=200
    )
    count = draw_bound(
        st.select_slider, "Heads h", (1, 2, 4, 8, 16), 8, key="stiefel_heads", width=200
    )
    seed = seed_input(key="stiefel_seed")
d_model, n_heads = int(width), int(count)

rows, spectra = lab.column_effects(d_model, n_heads, seed)
free, constrained = parameter_counts(d_model, n_heads)
widest = spectra["normal"]
answer.markdown(
    "With orthonormal columns every singular value of a head’s matrices is 1: no direction is"
    f" amplified or lost. With normal ones those of W_Q W_Kᵀ go from **{widest[0]:.2f}** to"
    f" **{widest[-1]:.2f}** here."
)
show_figure(singular_value_figure(spectra), "stiefel spectra")
st.header("What the constraint changes", anchor=False)
st.dataframe(rows, hide_index=True, alt="What the constraint changes")
st.caption(
    f"Means over the heads. Heads: {n_heads}. Width of a head: {d_model // n_heads}. Condition:"
    " the largest singular value divided by the smallest. Spread of the scores: their standard"
    " deviation. Entropy: how widely the attention weights of a row are spread; even attention"
    f" has ln {lab.N_TOKENS} = {format_number(largest_entropy(lab.N_TOKENS), 2)} nats. Both are"
    f" measured on {lab.N_TOKENS} tokens of normal random numbers."
)
st.markdown(
    "Orthonormal columns have length 1 and stand at right angles to each other, $P^{\\top} P = I$."
    " Such a matrix rotates and selects, but it never stretches, and training cannot change its"
    " size. The set of all such matrices is the *Stiefel manifold*. The package"
    " *GeometricMachineLearning.jl* can keep the matrices of the heads on it during training."
)
st.markdown(
    f"W_Q, W_K and W_V hold **{free:,}** numbers, of which **{constrained:,}** can be chosen"
    f" freely ({format_percent(constrained / free)}): each column must have length 1 and be"
    " orthogonal to the columns before it."
)
st.latex(r"3C^2 \;\to\; 3h\left(C n - \tfrac{n(n+1)}{2}\right), \quad\allowbreak {n = C/h}")

st.header("The subspaces of the heads", anchor=False)
show_subspaces(seed)

st.header("One step on the manifold", anchor=False)
left, right = st.columns([2, 3])
with left:
    st.markdown(
        "A matrix with one column of three numbers has orthonormal columns if it lies on the unit"
        " sphere. A gradient may point off the sphere. Its tangent part is the part along the"
        " sphere. Even a straight step along the tangent leaves the sphere; a **retraction** brings"
        " it back. The *geodesic* is the shortest way along the sphere."
    )
    step = lab.choose_sphere_step()
    with st.expander(
        "The formulas", icon=":material/function:", key="stiefel formulas", on_change="rerun"
    ) as formulas:
        if formulas.open:
            lab.show_formulas()
with right:
    show_figure(sphere_figure(step), "stiefel globe")
    st.caption(
        "Drag to turn the sphere. QR and polar land at the same place here. Cayley lands nearest to"
        " the geodesic."
    )

st.header("The package and our engine", anchor=False)
lab.show_mapping()
story = urlencode(
    {"weights": "orthonormal", "output_matrix": "none", "residual": "true", "notation": "gml"}
)
st.markdown(
    "**Walk through this layer:** [every step of the story in the package’s"
    f" letters](projections?{story}), with the tokens of your sentence, orthonormal columns, no W_O"
    " and add_connection."
)

st.header("Does training benefit?", anchor=False)
with st.expander(
    "One layer, two heads", icon=":material/model_training:", key="stiefel one", on_change="rerun"
) as one:
    if one.open:
        show_one_layer()
with st.expander(
    "Twelve layers, where the package trains sixteen",
    icon=":material/stacks:",
    key="stiefel deep",
    on_change="rerun",
) as deep:
    if deep.open:
        show_deep_stack()
st.markdown(
    "**Try:** set *Heads h* to 1. Random square matrices have singular values near 0, so the scores"
    " hardly see some directions. Then compare the two experiments: what does the constraint cost?"
    " What else makes the deep stack learn?"
)
