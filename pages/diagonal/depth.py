"""Depth: attention stacked upon attention, how fast the tokens become equal, and what delays it."""

import streamlit as st

from attention_lab.diagonal.depth import STACK_WEIGHTS, Stack
from attention_lab.diagonal.depth_trajectories import DRAWS, WIDTHS, draws, remedies
from attention_ui.diagonal.controls import say_cut
from attention_ui.diagonal.depth import cubic_rule
from attention_ui.facts import fact
from attention_ui.page_context import page_context
from attention_ui.show import show_figure
from attention_ui.url_state import bound, choose_one, seed_input
from attention_viz.diagonal.depth import distance_figure, self_mass_figure
from attention_viz.labels import counted

now = page_context()
with st.container(border=True), st.container(horizontal=True, vertical_alignment="bottom"):
    compare = choose_one("Compare", ("widths", "remedies"), "widths", key="depth_compare")
    source = choose_one("Tokens", ("drawn", "sentence"), "drawn", key="depth_tokens")
    n_layers = bound(st.slider, "Layers", 1, 64, 24, key="depth_layers", width=150)
    if compare == "remedies":
        widths = [str(width) for width in WIDTHS]
        c = bound(st.select_slider, "Features C", widths, "16", key="depth_c", width=150)
    else:
        weights = bound(st.selectbox, "Weights", STACK_WEIGHTS, key="depth_weights", width=150)
        skip = bound(st.toggle, "Skip connection", key="depth_skip")
        told = "Post-LN: what leaves a layer is normalised, the skip connection included."
        layer_norm = bound(st.toggle, "LayerNorm after", key="depth_norm", help=told)
        told = "Pre-LN: what attention reads is normalised; the skip connection adds it as it was."
        norm_before = bound(st.toggle, "LayerNorm before", key="depth_norm_before", help=told)
        told = "What attention adds is multiplied by this."
        range_of_gain = (0.1, 2.0, 1.0, 0.1)
        gain = bound(st.slider, "Gain", *range_of_gain, key="depth_gain", width=120, help=told)
    logarithmic = bound(st.toggle, "Logarithmic", key="depth_log")
    seed = seed_input(key="depth_seed")
text = now.scenario.text if source == "sentence" else None
say_cut(text)
if compare == "remedies":
    stacks = remedies(Stack(n_layers=n_layers, seed=seed))
    courses = {name: draws(one, int(c), text) for name, one in stacks.items()}
else:
    heads = 4 if weights == "random" else 1
    stack = Stack(
        weights or "weightless", heads, n_layers, skip, gain, layer_norm, seed, norm_before
    )
    courses = {f"C = {width}": draws(stack, width, text) for width in WIDTHS}

ends = {name: one.median.layers_until(0.01) for name, one in courses.items()}
fact("layers_until_equal", ends)
words = {None: "never here", 0: "from the start"}
until = {name: words.get(n, f"after {counted(n or 0, 'layer')}") for name, n in ends.items()}
st.markdown(
    "Attention replaces each token by an average of tokens; a stack of nothing else makes the"
    " tokens **equal**. Here their distance from their mean is below 1 %:"
    f" {', '.join(f'{n} **{when}**' for n, when in until.items())}."
)
banded = fact("drawn_at_random", [len(one.courses) > 1 for one in courses.values()])
if any(banded):
    which = (
        "Lines"
        if all(banded)
        else "Where nothing is drawn at random there is one course; lines with a band"
    )
    st.caption(
        f"{which} are the median of {DRAWS} draws, with the seeds {seed} to {seed + DRAWS - 1}; the"
        " band around a line holds all of them."
    )
left, right = st.columns(2)
with left:
    show_figure(distance_figure(courses, logarithmic), "depth distance")
    st.caption(
        "How far the tokens are from all being their mean, |X − mean| / |X|: 0 when they are equal."
    )
with right:
    show_figure(self_mass_figure(courses), "depth mass")
    st.caption(
        "How much the tokens look at themselves in each layer. Where this is near 1, they are"
        " hardly mixed."
    )
st.markdown(
    "**Diagonal dominance delays the collapse.** A token that looks at itself alone stays what it"
    " is: $A \\approx I$. With many features the diagonal is strong, and the collapse waits until"
    " it has faded; random weights have none to lean on and collapse at once."
)
st.markdown(
    "**A skip connection** adds the token itself again. Without weights and without LayerNorm the"
    " tokens stay apart. With random weights and a gain that is not small, or with few features"
    " and LayerNorm after the addition, they still collapse, only later: then each layer takes a"
    " share of the distance."
    "\n\n**LayerNorm after or before?** The first transformer normalised after the addition"
    " (post-LN: Vaswani et al. 2017): every layer shrinks what the skip has kept. GPT-2"
    " (Radford et al. 2019) and many later models normalise what attention reads (pre-LN: Xiong et"
    " al. 2020): the sum of all layers grows, what one layer adds does not, so each changes less"
    " and the tokens stay apart longer."
)
cubic_rule(int(seed))
st.markdown(
    "**Try:** compare *remedies*: what keeps tokens apart? Then widths with *random* weights and a"
    " skip connection: how small must the gain be? And where must LayerNorm stand?"
    " Source: Dong, Cordonnier and Loukas 2021."
)
