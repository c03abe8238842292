"""Shared keys: heads that share keys and values, what it changes and what it saves."""

from dataclasses import replace

import streamlit as st

from attention_lab.heads.counts import size_of, total
from attention_lab.heads.reruns import relative_change, rerun
from attention_lab.heads.shared_keys import CACHE, MULTIPLICATIONS, PARAMETERS, share_heads
from attention_lab.heads.similarity import heads_apart
from attention_ui.board import show_board
from attention_ui.facts import fact
from attention_ui.heads.heads_choice import KINDS, choose_groups, pin_kind, pinned_kind
from attention_ui.page_context import page_context
from attention_ui.show import show_figure
from attention_ui.url_state import choose_one
from attention_ui.view import one_window
from attention_viz.heads.count_figures import WORDS, count_curves
from attention_viz.heads.shared_keys import sharing, strong_colour
from attention_viz.labels import counted, number, percent

COUNTS = {"parameters": PARAMETERS, "cache": CACHE, "multiplications": MULTIPLICATIONS}
SAYS = {
    "parameters": "Numbers in the weight matrices, without biases.",
    "cache": (
        "Numbers that a text generator keeps of n tokens, so that the next one can attend to them."
    ),
    "multiplications": (
        "For one sequence of n tokens that attends to itself, with every cell computed."
    ),
}

now = page_context()
trace, n_heads = now.trace, now.trace.sizes["H"]
cell = now.focus.cell("query", "key")
kept = [name for name in ("w_q", "w_o") if getattr(trace.projections, name) is not None]
same = " and ".join(map(now.symbol, fact("matrices_kept", kept)))

window = one_window()
with window:
    st.markdown(
        "**MHA** gives each head its own keys and values, **GQA** one set to each group of heads,"
        " **MQA** one set to all."
    )
    groups = choose_groups(trace.projections.groups)
counts_of_sets = dict(zip(KINDS, (trace.projections.groups, groups, 1), strict=True))
fact("sets_of_keys", counts_of_sets)
traces = {
    kind: (
        trace
        if count == trace.projections.groups
        else rerun(trace, projections=share_heads(trace.projections, count))
    )
    for kind, count in counts_of_sets.items()
}
strongest = fact("strongest_colour", strong_colour(trace))
at_least = "" if number(strongest, 2) == "1.00" else " or more"  # no share is
board = sharing(traces, cell, strongest, pinned_kind(), now.notation)
with window:
    show_board(board, "shared keys", on_pin=pin_kind)
st.markdown(
    f"The same sentence and the same {same} go through all three; a shared key/value head is the"
    " mean of those it replaces (Ainslie et al. 2023).\n\n"
    + "\n".join(
        f"- **{kind}, G = {count}:** "
        + (
            "the layer as it is."
            if traces[kind] is trace
            else (
                f"its heads differ from MHA’s by {percent(heads_apart(trace, traces[kind]))} of the"
                " largest Jensen–Shannon divergence, its output by"
                f" {percent(relative_change(trace.output, traces[kind].output))} of its length."
            )
        )
        for kind, count in counts_of_sets.items()
    )
)
st.caption(
    f"{now.turned('A column')} is one query head in all three; behind its number stands the"
    f" key/value head that it reads. The strongest colour is {number(strongest, 2)}{at_least}."
    " Heads that share keys can still differ, for each has queries of its own. These weights never"
    " learned to share; Ainslie et al. train a model a little further after the change."
)

st.header("What it saves", anchor=False)
size = fact("size", size_of(trace))
sizes = {kind: replace(size, n_kv_heads=count) for kind, count in counts_of_sets.items()}
which = choose_one("Count", COUNTS, "cache", key="shared_count")
counts = COUNTS[which]
totals = fact("numbers_together", {kind: total(counts, one) for kind, one in sizes.items()})
table = [f"| | formula | {' | '.join(sizes)} |", f"|---|---|{'--:|' * len(sizes)}"]
table += [
    f"| {c.name} | ${c.formula}$ | {' | '.join(f'{c.of(s):,}' for s in sizes.values())} |"
    for c in counts
]
table.append(f"| **together** | | {' | '.join(f'**{n:,}**' for n in totals.values())} |")
w_o = now.symbol("w_o")
has_w_o = fact("has_w_o", trace.projections.w_o is not None)
has = f"a {w_o} of another width" if has_w_o else f"no {w_o}"
as_usual = which == "cache" or (has_w_o and trace.sizes["O"] == size.d_model)
words, picture = st.columns(2, gap="large")
with words:
    st.markdown("\n".join(table))
    st.caption(
        f"{SAYS.get(which, '')} {now.own_letters}n = {counted(size.n_tokens, 'token')}, C = "
        f"{counted(size.d_model, 'feature')}, h = "
        f"{counted(size.n_heads, 'head')}, "
        f"d_k = {size.d_k}, d_v = {size.d_v}."
        + (
            ""
            if fact("counted_as_it_is", as_usual)
            else f" This layer has {has}; counted is one with h · d_v times C numbers in it."
        )
    )
with picture:
    letter = choose_one("As this grows", WORDS, "n", key="shared_letter")
    show_figure(count_curves(sizes, letter, counts, which), "shared counts")
    st.caption(
        "Both axes are logarithmic; the rings are this layer. As C or h grows, d_k = d_v = C/h."
    )
