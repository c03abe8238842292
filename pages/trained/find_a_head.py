"""The heads ranked by what they do on the user's sentence."""

import streamlit as st

from attention_lab.notation.notation import symbol
from attention_lab.trained.head_finder import (
    example_cell,
    rank_heads,
    rules_for,
    targets_of,
    word_at,
    word_to_word,
)
from attention_ui.board import show_board
from attention_ui.page_context import page_context
from attention_ui.trained.head_place import choose_word, open_pinned
from attention_ui.trained.heads_shown import heads_shown
from attention_ui.url_state import draw_bound
from attention_viz.labels import format_percent
from attention_viz.markdown import escape_markdown
from attention_viz.trained.heads import best_heads
from attention_viz.trained.layers import heads_matrix

WORD_TO_WORD = "word to word"
RULE_TARGETS = {
    "previous token": "its left neighbour",
    "next token": "its right neighbour",
    "itself": "itself",
    "first token": "the first token",
    "last token": "the last token",
    "repeated words": "the other places of the same word",
}

now = page_context()
shown = heads_shown(now)
maps = shown.maps
rules = rules_for(maps)

st.markdown(
    "The board shows one number for each head: how much of its attention goes where you choose."
)
rule = str(
    draw_bound(
        st.selectbox,
        "Find the head that looks from each token to",
        (*rules, WORD_TO_WORD),
        key="fh_rule",
        required=True,
        persist_state="session",
    )
)
if len(rules) < len(RULE_TARGETS):
    st.caption(
        "The keys are another sequence. A query has no neighbours there and does not find itself."
        " Rules that need these are left out."
    )
if rule == WORD_TO_WORD:
    left, right = st.columns(2)
    with left:
        query = choose_word("fh_from", "From the word", maps.tokens, 9)
    with right:
        key = choose_word("fh_to", "To the word", maps.memory_tokens, 2)
    targets = word_to_word(maps.tokens, query, key, maps.memory_tokens)
    (asking, n_pieces), (read, _) = word_at(maps.tokens, query), word_at(maps.memory_tokens, key)
    gives = f"“{escape_markdown(asking)}” gives “{escape_markdown(read)}”"
    if n_pieces > 1:
        gives = f"on average, a piece of {gives}"
else:
    targets = targets_of(maps, rule)
    query, key = example_cell(targets)
    gives = f"on average, a token gives {RULE_TARGETS[rule]}"
ranking = rank_heads(maps, targets)
layer, head, most = ranking.best(1)[0]
best = [one for one in ranking.best(5) if one[2] > 0]
if best:
    ties = ""
    if others := ranking.n_tied:
        ties = f" Other heads that give exactly as much: {others}."
    st.markdown(
        f"**Layer {layer}, head {head} does it most.** In it, {gives} {format_percent(most)} of its"
        f" attention.{ties} A head that reads all tokens it may see equally would give"
        f" {format_percent(ranking.even)}."
    )
else:
    st.markdown("**No head does it**: every head gives 0 there. A mask may hide these keys.")
left, right = st.columns([3, 2], gap="medium")
with left:
    show_board(
        heads_matrix(ranking.scores, (layer, head), rule, shares=True),
        "find a head",
        on_pin=open_pinned,
    )
    st.caption(
        "The share that each head gives, as a mean over the tokens for which there is such a token"
        " to read. A click opens the head."
    )
with right:
    for rank, (one_layer, one_head, share) in enumerate(best, 1):
        times = f"{ranking.times_even(share):.1f} times the even share"
        st.markdown(
            f"{rank}. **Layer {one_layer}, head {one_head}**: {format_percent(share)}, {times}"
        )
if best:
    st.header("The heads that do it most", anchor=False)
    show_board(best_heads(maps, best, (query, key)), "best heads", on_pin=open_pinned)
st.warning(
    "**Attention is not explanation.** A head that looks at a word need not use it: what arrives"
    f" is the word’s value vector, and {escape_markdown(symbol('w_o', now.notation).plain)} may"
    " throw it away. A rank on one sentence is not a rule. Try other sentences and see whether the"
    " same head wins. (Jain and Wallace 2019; Wiegreffe and Pinter 2019.)",
    icon=":material/warning:",
)
