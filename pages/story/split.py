"""Split: one wide matrix becomes one matrix per head."""

from dataclasses import replace

import streamlit as st

from attention_core.trace import head_of
from attention_lab.heads.layout_mistakes import split_positions, wrong_token_cells
from attention_lab.notation.notation import axis_name, axis_names
from attention_ui.page_context import page_context
from attention_ui.panels import (
    choose_projection,
    draw_arithmetic,
    look_closer,
    note_swap,
    token_markdown,
)
from attention_ui.step import show_step
from attention_viz.story.cutting import HEAD_FIELDS

chosen = choose_projection()
now = replace(page_context(), which=chosen)
trace = now.trace
field = HEAD_FIELDS[chosen]
one, row_name, color = {
    "queries": ("query", "query", "blue"),
    "keys": ("key", "key", "red"),
    "values": ("value", "key", "green"),
}[chosen]
focus = now.focus.within(trace, field)
row = getattr(focus, row_name)
n_batch, n_heads, n_tokens, width = shape = getattr(now.batch, field).shape
axes = trace.axes(field)
T, K = axes[2:]
places = split_positions(shape, focus.head, row, focus.feature, now.sequence)
foreign = wrong_token_cells(n_tokens, n_heads, width)

show_step(now)
note_swap(now)
names = axis_names(trace, now.notation)
b, h, t, k = (names[axis] for axis in axes)
wide = axis_name(f"{axes[1]}·{K}", names)
st.markdown(f"""
| stage | shape in NumPy | the pinned number is at |
|:--|:--|:--|
| **1** fused :{color}[{chosen}] | ({b}, {t}, {wide}) = ({n_batch}, {n_tokens}, {n_heads * width}) \
| {list(places.fused)} |
| **2** reshape: cut each token's numbers into {n_heads} \
| ({b}, {t}, {h}, {k}) = ({n_batch}, {n_tokens}, {n_heads}, {width}) \
| {list(places.reshaped)} |
| **3** swap: the head comes before the token | ({b}, {h}, {t}, {k}) = {shape} \
| {list(places.swapped)} |
| **✗** reshape straight to the shape of 3 | ({b}, {h}, {t}, {k}) = {shape} \
| {list(places.unswapped)} |
""")
n_foreign = int(foreign.sum())
if n_foreign > 0:
    st.warning(
        f"**The classic mistake** is to reshape straight to ({b}, {h}, {t}, {k}). The shape is"
        " right and no error is raised, but a reshape keeps the numbers in their old order. Cells"
        f" that then hold a number of another token: **{n_foreign} of {foreign.size}**. Each “head”"
        " is then a mixture of heads.",
        icon=":material/warning:",
    )
else:
    st.info(
        "With one head, or one token, there is nothing to swap: here the reshape alone is right."
    )
with st.expander(
    "Do more heads mean more weights, and why not a head for every feature?", icon=":material/help:"
):
    rank = min(trace.sizes["K"], *trace.scores.shape[-2:])
    st.markdown(
        "**Heads that divide the embedding size share the same matrices:** more heads cut them into"
        " narrower blocks and add no weights. Weights of this layer:"
        f" {trace.projections.n_weights:,}. Only if you set the head width yourself do more heads"
        " bring more weights.\n\n**But narrow heads can do"
        f" less.** A head’s queries and keys have {trace.sizes['K']} features here, so the rank of"
        f" its scores is at most {rank}. A head that is narrower than the sequence is long cannot"
        " make every pattern of shares (the *low-rank bottleneck*, Bhojanapalli et al. 2020). With"
        " a single feature, a score is the product of two numbers: every query ranks the keys in"
        " the same order or in its reverse."
    )
arithmetic = draw_arithmetic(
    trace,
    field,
    (0, head_of(trace, field, focus.head), row, focus.feature),
    f"**Head {focus.head}:** number {focus.feature} of the :{color}[{one} of"
    f" {token_markdown(trace, T, row)}] is moved, not computed",
)
look_closer(now, field, arithmetic, beside=tuple(HEAD_FIELDS.values()))
