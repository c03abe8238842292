"""Shared keys and values (GQA, MQA, MLA): what changes when heads share them, and what it saves."""

from dataclasses import replace

import streamlit as st

from attention_core import Rotary
from attention_lab.heads.counts import layer_size, total_count
from attention_lab.heads.latent import absorbed_scores, largest_rank, with_latent
from attention_lab.heads.reruns import relative_change
from attention_lab.heads.shared_keys import CACHE, MULTIPLICATIONS, PARAMETERS, with_shared_keys
from attention_lab.heads.similarity import mean_head_divergence
from attention_ui.board import show_board
from attention_ui.heads.choices import (
    SHARING_KINDS,
    choose_clicked_kind,
    choose_kv_heads,
    choose_latent_width,
    clicked_kind,
)
from attention_ui.page_context import page_context
from attention_ui.show import show_figure
from attention_ui.url_state import choose_one
from attention_ui.view import main_container
from attention_viz.heads.compare import shared_keys_board, strongest_colour
from attention_viz.heads.count_figures import SIZE_TITLES, count_curves
from attention_viz.labels import format_number, format_percent

COUNTS_OF_KIND = {"parameters": PARAMETERS, "cache": CACHE, "multiplications": MULTIPLICATIONS}
COUNT_DESCRIPTIONS = {
    "parameters": "Numbers in the weight matrices, without biases.",
    "cache": (
        "Numbers that a text generator keeps for n tokens, so that the next token can attend to"
        " them (KV cache)."
    ),
    "multiplications": "For one sequence of n tokens, masked cells included.",
}

now = page_context()
trace, p = now.trace, now.trace.projections
cell = now.focus.cell("query", "key")
kept = [name for name in ("w_q", "w_o") if getattr(p, name) is not None]

window = main_container()
with window:
    st.markdown(
        "The same heads four times. **MHA** gives each head its own keys and values, **GQA** gives"
        " one set to each group of heads, **MQA** one set to all heads. **MLA** makes all of them"
        " from one short vector of each token."
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        groups = choose_kv_heads(p.groups)
        rank = choose_latent_width(largest_rank(trace))
counts_of_sets = dict(zip(SHARING_KINDS, (p.groups, groups, 1), strict=False))
traces = {kind: with_shared_keys(trace, count) for kind, count in counts_of_sets.items()}
traces["MLA"] = with_latent(trace, rank)
strongest = strongest_colour(trace)
board = shared_keys_board(traces, cell, strongest, clicked_kind(), now.notation, rank)
with window:
    show_board(board, "shared keys", on_pin=choose_clicked_kind)
changes = [
    "| | key/value heads G | kept of a token | change of the attention | change of the output |",
    "|---|--:|--:|--:|--:|",
]
for kind, one in traces.items():
    apart = format_percent(mean_head_divergence(trace, one))
    moved = format_percent(relative_change(trace.output, one.output))
    sets = counts_of_sets.get(kind)
    kept_numbers = rank if sets is None else sets * (trace.sizes["K"] + trace.sizes["V"])
    changes.append(f"| **{kind}** | {sets or '–'} | {kept_numbers} | {apart} | {moved} |")
st.markdown("\n".join(changes))
st.caption(
    "Compared with this layer. Change of the attention: the mean"
    " [Jensen–Shannon divergence](glossary?glossary_words=Jensen) of the heads, as a part of the"
    " largest one, ln 2. Change of the output: relative to its length."
    f" Equal in all: the sentence, {', '.join(map(now.symbol, kept))}. A shared key/value"
    " head is the mean of the heads that it replaces (Ainslie et al. 2023)."
)
st.caption(
    "On the board, the same head of each kind stands in one column; “K/V” names the key/value head"
    " that it reads. With one key/value head for each head, GQA is MHA; with 1, it is MQA."
    f" Strongest colour: {format_number(strongest, 2)} and above. Heads that share keys can still"
    " differ, because each has its own queries. These weights were never trained to share; Ainslie"
    " et al. train a model further after the change."
)

st.header("MLA: all keys and values from one vector", anchor=False)
st.markdown(
    f"Of each token MLA keeps the latent $c = x\\,W_D$ with R = {rank} numbers, and makes keys"
    " $c\\,W_{UK}$ and values $c\\,W_{UV}$ of all heads from it. Here the three matrices are the"
    f" best of this width for the layer's own; with R = {largest_rank(trace)} nothing is lost."
)
st.markdown(
    "**No key has to be made.** $q \\cdot (c\\,W_{UK}) = (q\\,W_{UK}^\\top) \\cdot c$: the matrix"
    " is absorbed into the query, and the latents take the place of the keys. Largest difference"
    f" between both scores here: {format_number(absorbed_scores(trace, rank).difference, 2)}."
)
if trace.sizes["K"] % 2 == 0:
    turned = absorbed_scores(trace, rank, Rotary())
    st.markdown(
        "**Rotary positions stand between.** Keys are turned after they are made, so that between"
        " $W_Q$ and $W_{UK}$ stands a rotation that differs for every distance: no one matrix can"
        " be absorbed. As if there were no rotation, a score here would be wrong by up to"
        f" {format_number(turned.difference, 2)}. So DeepSeek-V2 keeps the turned part apart: a few"
        " more features of each query, and one more key that all heads share."
    )
st.caption("DeepSeek-AI 2024 (DeepSeek-V2), section 2.1; there the matrices are trained.")

st.header("What it saves", anchor=False)
size = layer_size(trace)
sizes = {kind: replace(size, n_kv_heads=count) for kind, count in counts_of_sets.items()}
which = choose_one("Count", COUNTS_OF_KIND, "cache", key="shared_count")
counts = COUNTS_OF_KIND[which]
totals = {kind: total_count(counts, one) for kind, one in sizes.items()}
table = [f"| | formula | {' | '.join(sizes)} |", f"|---|---|{'--:|' * len(sizes)}"]
table += [
    f"| {c.name} | ${c.formula}$ | {' | '.join(f'{c.of(s):,}' for s in sizes.values())} |"
    for c in counts
]
table.append(f"| **total** | | {' | '.join(f'**{n:,}**' for n in totals.values())} |")
usual_w_o = p.w_o is not None and trace.sizes["O"] == size.d_model
words, picture = st.columns(2, gap="large")
with words:
    st.markdown("\n".join(table))
    st.caption(
        f"{COUNT_DESCRIPTIONS[which]} {now.own_letters}Sizes: tokens n = {size.n_tokens}, features"
        f" C = {size.d_model}, heads h = {size.n_heads}, d_k = {size.d_k}, d_v = {size.d_v}."
    )
    if which != "cache" and not usual_w_o:
        st.caption(
            f"The count assumes the usual {now.symbol('w_o')} with h · d_v × C numbers. This layer"
            " has another one, or none."
        )
with picture:
    letter = choose_one("Growing size", SIZE_TITLES, "n", key="shared_letter")
    show_figure(count_curves(sizes, letter, counts, which), "shared counts")
    st.caption(
        "Both axes are logarithmic; the rings are this layer. As C or h grows, d_k = d_v = C/h."
    )
