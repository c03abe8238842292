"""Overview: the whole layer as one picture, and what happens in five sentences."""

from functools import partial

import streamlit as st

from attention_core.projections import BIASES, MATRICES
from attention_lab.heads.keys_read import read_row
from attention_lab.page_list import step_of
from attention_ui.blocks import draw_blocks
from attention_ui.closer_look import offer_story
from attention_ui.page_context import page_context
from attention_ui.panels import open_step, token_markdown
from attention_ui.reference.questions import show_questions
from attention_ui.step import show_step
from attention_viz.labels import format_number, format_percent
from attention_viz.story.same_word import same_word_blocks

now = page_context()
trace, focus, sizes = now.trace, now.focus, now.trace.sizes
words, said = now.layout, partial(trace.sentence, layout=now.layout)
head, query, key = focus.head, focus.query, focus.key
asking, asked = token_markdown(trace, "T", query), token_markdown(trace, "S", key)
row = read_row(trace, head, query, count=1)
n_hidden = int(trace.hidden_keys[0, head].sum())
w_q, w_k, w_v = (now.symbol(name) for name in MATRICES[:3])
biases = [now.symbol(name) for name in BIASES[:3] if getattr(trace.projections, name) is not None]
added = ""
if biases:
    added = f" Added to the products: {', '.join(biases)}."
scale = f"{trace.scale:.3g}".replace("-", "−")
score = format_number(float(trace.scores[0, head, query, key]))
if not row.strongest:
    reads = f"{asking} sees no key"
elif row.tied == 1:
    reads = (
        f"the largest share of {asking} goes to {token_markdown(trace, 'S', row.strongest[0][0])}"
    )
else:
    reads = f"the largest share of {asking} goes equally to each of {row.tied} tokens"
reads += "".join(f": {format_percent(share)}" for _, share in row.strongest)

STEP_SUMMARIES = (
    (
        "A sentence becomes numbers.",
        (f"{said('inputs')} Tokens here: {sizes['T']}; numbers for each: {sizes['D']}."),
        ("inputs",),
    ),
    (
        "Every token asks, offers and prepares.",
        (
            f"Its whole {words.row}, times :blue[{w_q}], :red[{w_k}] and :green[{w_v}], gives a"
            " :blue[query] (what it looks for), a :red[key] (what it is found by) and a"
            f" :green[value] (what it passes on).{added} Heads: {sizes['H']}. Each gets"
            f" its own {words.column}s; numbers of a query for one head: {sizes['K']}."
        ),
        ("queries", "query_heads"),
    ),
    (
        "Queries meet keys.",
        (
            f"{said('scores')} In head {head}, the query of {asking} and the key of"
            f" {asked} give {score}. Then every score is multiplied by {scale}."
            f" Cells hidden by the mask: {n_hidden:,} of {sizes['T'] * sizes['S']:,}."
        ),
        ("scores", "scaled_scores", "masked_scores"),
    ),
    (
        "Scores become shares.",
        f"{said('probabilities')} In head {head}, {reads}.",
        ("probabilities",),
    ),
    (
        "Values are mixed, heads are joined.",
        f"{said('head_outputs')} {said('output')}",
        ("head_outputs", "merged", "output"),
    ),
)

show_step(now, on_open=open_step)
draw_blocks(same_word_blocks(now))
for place, (title, text, fields) in enumerate(STEP_SUMMARIES, 1):
    st.markdown(f"**{place} · {title}** {text}")
    with st.container(horizontal=True, gap="xxsmall", key=f"sentence {place}"):
        for field in fields:
            page = step_of(field)
            st.page_link(page.path, label=page.title)
offer_story(now)
show_questions()
