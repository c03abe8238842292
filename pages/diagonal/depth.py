"""Depth: stacked attention layers, how fast their tokens become equal, and what delays it."""

import streamlit as st

from attention_lab.diagonal.depth import (
    N_SAMPLES,
    STACK_WEIGHTS,
    STACK_WIDTHS,
    Stack,
    cubic_error,
    sample_trajectories,
    stack_variants,
)
from attention_lab.diagonal.token_matrices import gaussian_tokens
from attention_ui.diagonal.controls import show_cut_note
from attention_ui.page_context import page_context
from attention_ui.reference.glossary import meaning
from attention_ui.show import show_figure
from attention_ui.url_state import choose_one, draw_bound, seed_input
from attention_viz.diagonal.depth import distance_figure, self_mass_figure

EQUAL_DISTANCE = 0.01  # below it tokens count as equal
DEVIATIONS = (0.1, 0.03, 0.01, 0.003)  # sizes for which the rule of the end is tried

now = page_context()
with st.container(border=True), st.container(horizontal=True, vertical_alignment="bottom"):
    compare = choose_one("Compare", ("widths", "remedies"), "widths", key="depth_compare")
    source = choose_one("Tokens", ("drawn", "sentence"), "drawn", key="depth_tokens")
    n_layers = draw_bound(st.slider, "Layers", 1, 64, 24, key="depth_layers", width=150)
    if compare == "remedies":
        widths = [str(width) for width in STACK_WIDTHS]
        c = draw_bound(st.select_slider, "Features C", widths, "16", key="depth_c", width=150)
    else:
        weights = draw_bound(st.selectbox, "Weights", STACK_WEIGHTS, key="depth_weights", width=150)
        help_text = "The input of a layer is added to its output (residual connection)."
        skip = draw_bound(st.toggle, "Skip connection", key="depth_skip", help=help_text)
        help_text = (
            f"Post-LN: the output of a layer is normalised. LayerNorm: {meaning('LayerNorm')} Here"
            " without these factors and offsets."
        )
        layer_norm = draw_bound(st.toggle, "LayerNorm after", key="depth_norm", help=help_text)
        help_text = (
            "Pre-LN: the input of the attention is normalised. The skip connection adds the input"
            " as it was."
        )
        norm_before = draw_bound(
            st.toggle, "LayerNorm before", key="depth_norm_before", help=help_text
        )
        help_text = "The output of the attention is multiplied by this number."
        limits = (0.1, 2.0, 1.0, 0.1)
        gain = draw_bound(st.slider, "Gain", *limits, key="depth_gain", width=120, help=help_text)
    logarithmic = draw_bound(st.toggle, "Logarithmic", key="depth_log")
    seed = seed_input(key="depth_seed")
text = {"sentence": now.scenario.text}.get(source)
show_cut_note(now.scenario.text, is_read=source == "sentence")
if compare == "remedies":
    variants = stack_variants(Stack(n_layers=n_layers, seed=seed))
    samples = {name: sample_trajectories(one, int(c), text) for name, one in variants.items()}
else:
    heads = {"random": 4}.get(weights, 1)
    stack = Stack(
        weights or "weightless", heads, n_layers, skip, gain, layer_norm, seed, norm_before
    )
    samples = {f"C = {width}": sample_trajectories(stack, width, text) for width in STACK_WIDTHS}

ends = {name: one.median.layers_until(EQUAL_DISTANCE) for name, one in samples.items()}
said = ", ".join(
    f"**{f'more than {n_layers}' if end is None else end}** ({name})" for name, end in ends.items()
)
st.markdown(
    "The charts show tokens on their way through a stack of layers. Attention replaces each token"
    " by an average of tokens. In a stack of attention layers alone the tokens therefore become"
    " more and more **alike**. This is called rank collapse. They are equal only in the limit."
    " Layers until they differ from their mean by less than 1 %:"
    f" {said}."
)
st.caption(
    f"A line with a band is the median of {N_SAMPLES} random draws (seeds {seed} to"
    f" {seed + N_SAMPLES - 1}), and the band holds all of them. A line without a band has nothing"
    " random in it."
)
left, right = st.columns(2)
with left:
    show_figure(distance_figure(samples, logarithmic), "depth distance")
    st.caption("Distance from the mean of the tokens, |X − mean| / |X|: 0 when all are equal.")
with right:
    show_figure(self_mass_figure(samples), "depth mass")
    st.caption("Mean weight of a token for itself. Near 1 a layer hardly mixes the tokens.")
st.markdown(
    "**A large diagonal delays the collapse.** A token that looks only at itself stays as it is ($A"
    " \\approx I$). Without weights and with many features the diagonal of $A$ is large, and the"
    " collapse begins only when it has faded. Random weights give no large diagonal: the collapse"
    " begins at once."
)
st.markdown(
    "**A skip connection** adds the token itself again. Without weights and without LayerNorm the"
    " tokens stay apart. With random weights and a gain that is not small, or with few features"
    " and LayerNorm after the addition, they still collapse, but later: each layer takes away a"
    " share of the distance."
)
st.markdown(
    "**[LayerNorm](glossary?glossary_words=LayerNorm) after or before?** The first transformer"
    " normalised after the addition (post-LN: Vaswani et al. 2017): every layer shrinks what the"
    " skip connection has kept. GPT-2 (Radford et al. 2019) and many later models normalise the"
    " input of the attention (pre-LN: Xiong et al. 2020). There the sum grows from layer to layer,"
    " but what one layer adds does not. So each layer changes less, and the tokens stay apart"
    " longer."
)
with st.expander(
    "Near the end, each layer cubes the distance",
    key="depth cubic",
    icon=":material/function:",
    on_change="rerun",
) as cubic:
    if cubic.open:
        st.latex(r"e_i' = \operatorname{Cov}(e)\,e_i / \tau \qquad\text{so}\qquad |e'| \sim |e|^3")
        st.markdown(
            "Let the tokens differ from their mean by small vectors $e_i$. Then all rows of $A$"
            " are nearly uniform. Without a skip connection, what is left of $e_i$ comes from"
            " differences of scores, which are products of two deviations: together a third power."
            " The number of zeros after the decimal point **triples with each layer** (switch to"
            " *Logarithmic*). $\\tau$ divides the scores. Error of the rule for deviations of"
            " size ε:"
        )
        errors = [cubic_error(1 + size * gaussian_tokens(16, 8, seed)) for size in DEVIATIONS]
        st.dataframe(
            {
                "size ε": DEVIATIONS,
                "relative error of the rule": [f"{error:.4f}" for error in errors],
            },
            hide_index=True,
            width="content",
            alt="The relative error of the rule for deviations of several sizes",
        )
st.markdown(
    "**Try:** compare *remedies*: what keeps the tokens apart? Then compare widths with *random*"
    " weights and a skip connection: how small must the gain be, and where must LayerNorm stand?"
    " Source: Dong, Cordonnier and Loukas 2021."
)
