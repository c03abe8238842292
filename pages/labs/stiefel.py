"""Stiefel: what it changes when the columns of every head's matrices are orthonormal."""

import streamlit as st

from attention_lab.heads.patterns import largest_entropy
from attention_lab.labs.stack_settings import StackSettings
from attention_lab.labs.stiefel import parameter_counts
from attention_ui.facts import fact
from attention_ui.labs import stiefel_lab as lab
from attention_ui.labs.head_subspaces import subspaces
from attention_ui.labs.stiefel_runs import deep_stack, one_layer
from attention_ui.show import show_figure
from attention_ui.url_state import bound, seed_input
from attention_viz.labels import counted, number, percent
from attention_viz.labs.stiefel import singular_value_figure, sphere_figure

st.markdown(
    "A matrix with **orthonormal columns**, $P^{\\top} P = I$, turns and selects but never"
    " stretches. The package *GeometricMachineLearning.jl* can keep the columns of every head so;"
    " all such matrices together are the *Stiefel manifold*."
)
with st.container(border=True), st.container(horizontal=True, vertical_alignment="bottom"):
    width = bound(
        st.select_slider, "Features C", (16, 32, 64, 128), 64, key="stiefel_width", width=200
    )
    count = bound(st.select_slider, "Heads h", (1, 2, 4, 8, 16), 8, key="stiefel_heads", width=200)
    seed = seed_input(key="stiefel_seed")
d_model, n_heads = int(width), int(count)

st.header("What the constraint changes", anchor=False)
rows, spectra = lab.effects(d_model, n_heads, seed)
st.dataframe(rows, hide_index=True, alt="What the constraint changes")
left, right = st.columns([2, 3])
with left:
    free, constrained = parameter_counts(d_model, n_heads)
    st.markdown(
        "With orthonormal columns **every singular value is 1**: of the directions that a head"
        f" reads none is favoured or lost, and the size of the scores is frozen. Of **{free:,}**"
        f" numbers in W_Q, W_K and W_V only **{constrained:,}** can be chosen"
        f" ({percent(constrained / free)}): each column has length 1 and is orthogonal to those"
        " before it."
    )
    st.latex(r"3C^2 \;\to\; 3h\left(C n - \tfrac{n(n+1)}{2}\right), \quad\allowbreak {n = C/h}")
with right:
    show_figure(singular_value_figure(spectra), "stiefel spectra")
    st.caption(
        f"Mean of {counted(n_heads, 'head')} of width {d_model // n_heads}; spread and entropy with"
        f" {lab.N_TOKENS} normal tokens (evenly spread attention would have ln {lab.N_TOKENS} ="
        f" {number(largest_entropy(lab.N_TOKENS), 2)})."
    )

st.header("The subspaces of the heads", anchor=False)
subspaces(seed)

st.header("One step on the manifold", anchor=False)
left, right = st.columns([2, 3])
with left:
    st.markdown(
        "With one column of three numbers the manifold is the unit sphere. A gradient may point off"
        " it. Its tangent part stays along it, a straight step still leaves it, and a"
        " **retraction** comes back."
    )
    step = lab.globe_step()
    with st.expander(
        "The formulas", icon=":material/function:", key="stiefel formulas", on_change="rerun"
    ) as told:
        if told.open:
            lab.formulas()
with right:
    show_figure(sphere_figure(step), "stiefel globe")
    st.caption(
        "Drag to turn the sphere. QR and polar land at the same place here; Cayley is nearest to"
        " the geodesic."
    )
st.markdown("**Does it stay there?**")
lab.drift()

st.header("The package and our engine", anchor=False)
lab.mapping()
lab.walk()

st.header("Does training benefit?", anchor=False)
with st.expander(
    "One layer, two heads", icon=":material/model_training:", key="stiefel one", on_change="rerun"
) as one:
    if one.open:
        one_layer()
fact("layers_here_and_in_the_package", (StackSettings.n_layers, 16))
with st.expander(
    "Twelve layers, where the package trains sixteen",
    icon=":material/stacks:",
    key="stiefel deep",
    on_change="rerun",
) as deep:
    if deep.open:
        deep_stack()
st.markdown(
    "**Try:** set *h* to 1: random square matrices have singular values near 0, so some directions"
    " are lost to the scores. Then compare the two experiments: what does the constraint cost, and"
    " what else would cure the deep stack?"
)
