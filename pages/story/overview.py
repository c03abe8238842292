"""Overview: the whole layer as one picture, and what happens in five sentences."""

import streamlit as st

from attention_core.projections import BIASES, MATRICES
from attention_lab import notation
from attention_lab.heads.keys_read import keys_read_most, strongest_keys
from attention_ui.facts import fact
from attention_ui.page_context import page_context
from attention_ui.panels import open_step, token
from attention_ui.random_weights import random_notes
from attention_ui.reference.questions import ask
from attention_ui.registry import step_of
from attention_ui.step import show_step
from attention_viz.labels import counted, number, percent
from attention_viz.overview import overview

now = page_context()
trace, focus, sizes = now.trace, now.focus, fact("sizes", now.trace.sizes)

head, query, key = focus.head, focus.query, focus.key
asking, asked = token(trace, "T", query), token(trace, "S", key)
best = fact("reads_most", strongest_keys(trace, head, query, count=1))
n_hidden = fact("hidden_cells", int(trace.hidden_keys[0, head].sum()))
become, share = (
    "becomes" if sizes["T"] == 1 else "become",
    ("has all" if sizes["H"] == 1 else "share"),
)
w_q, w_k, w_v = fact("multiplied_by", tuple(now.symbol(name) for name in MATRICES[:3]))
biases = [now.symbol(name) for name in BIASES[:3] if getattr(trace.projections, name) is not None]
fact("biases", biases)
plus = f", plus {', '.join(biases)}," if biases else ""
scale = f"{fact('scale', trace.scale):.3g}".replace("-", "−")
tied = fact("tied_keys", len(keys_read_most(trace, head, query)))
score = fact("score", float(trace.scores[0, head, query, key]))
reads = "may see no key"
if best:
    most = "" if best[0][1] == 1 else "most "
    reads = (
        f"reads {most}from {token(trace, 'S', best[0][0])}: {percent(best[0][1])}"
        if tied == 1
        else f"reads the same from {tied} tokens, and more from none: {percent(best[0][1])} each"
    )

SENTENCES = (
    (
        "A sentence becomes numbers.",
        (
            f"{notation.says(trace, 'inputs', now.notation)} Here {counted(sizes['T'], 'token')}"
            f" {become} {now.turned(counted(sizes['T'], 'row'))} of"
            f" {counted(sizes['D'], 'number')}."
        ),
        ("inputs",),
    ),
    (
        "Every token asks, offers and prepares.",
        (
            f"Its whole {now.turned('row')} multiplied by :blue[{w_q}], :red[{w_k}] and"
            f" :green[{w_v}]{plus} gives a :blue[query], a :red[key] and a :green[value];"
            f" {counted(sizes['H'], 'head')} {share} their {now.turned('columns')}: of each query,"
            f" one head gets {counted(sizes['K'], 'number')}."
        ),
        ("queries", "query_heads"),
    ),
    (
        "Queries meet keys.",
        f"{notation.says(trace, 'scores', now.notation)} In head {head}, {asking} and {asked} give "
        f"{number(score)}; then all are multiplied by {scale}; "
        + (
            f"the mask hides {n_hidden:,} of {counted(sizes['T'] * sizes['S'], 'cell')}."
            if n_hidden
            else "no cell is masked."
        ),
        ("scores", "scaled_scores", "masked_scores"),
    ),
    (
        "Scores become shares.",
        f"{notation.says(trace, 'probabilities', now.notation)} In head {head}, {asking} {reads}.",
        ("probabilities",),
    ),
    (
        "Values are mixed, heads are joined.",
        (
            f"{notation.says(trace, 'head_outputs', now.notation)}"
            f" {notation.says(trace, 'output', now.notation)}"
        ),
        ("head_outputs", "merged", "output"),
    ),
)

picture = overview(now.stage, head, query, key)
n_batch = fact("sentences", len(now.sentences))
of_batch = f"A batch of {n_batch} sentences runs; sentence {now.sequence} is shown."
also = of_batch if n_batch > 1 else ""
show_step(now, "", picture, also=also, notes=random_notes(now), on_open=open_step)
for place, (title, text, fields) in enumerate(SENTENCES, 1):
    st.markdown(f"**{place} · {title}** {text}")
    with st.container(horizontal=True, gap="xxsmall", key=f"sentence {place}"):
        for field in fields:
            page = step_of(field)
            st.page_link(page.path, label=page.title, icon=page.icon)
ask()
