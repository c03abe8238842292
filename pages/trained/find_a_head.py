"""The heads ranked by what they do on the user's sentence."""

import streamlit as st

from attention_lab.notation.notation import symbol
from attention_lab.trained.head_finder import (
    rank_heads,
    rules_for,
    targets_of,
    word_at,
    word_to_word,
)
from attention_ui.board import show_board
from attention_ui.facts import fact
from attention_ui.markdown import plain
from attention_ui.page_context import page_context
from attention_ui.trained.head_place import choose_token, open_pinned
from attention_ui.trained.heads_shown import heads_shown
from attention_ui.url_state import bound
from attention_viz.labels import percent
from attention_viz.trained.layer_pictures import BEST, best_heads, heads_matrix

WORDS = "word to word"
SAYS = {
    "previous token": "its left neighbour",
    "next token": "its right neighbour",
    "itself": "itself",
    "first token": "the first token",
    "last token": "the last token",
    "repeated words": "the other places where the same word stands",
}

now = page_context()
shown = heads_shown(now)
maps = shown.maps
rules = rules_for(maps)

rule = str(
    bound(
        st.selectbox,
        "Find the head that looks from each token to",
        (*rules, WORDS),
        key="fh_rule",
        required=True,
        persist_state="session",
    )
)
if len(rules) < len(SAYS):
    st.caption(
        "The keys are another sequence. A query has no neighbours there and does not find itself."
        " Rules that need these are left out."
    )
if rule == WORDS:
    left, right = st.columns(2)
    with left:
        query = choose_token("fh_from", "From the word", maps.tokens, 9)
    with right:
        key = choose_token("fh_to", "To the word", maps.memory_tokens, 2)
    targets = word_to_word(maps.tokens, query, key, maps.memory_tokens)
    (asking, n_pieces), (read, _) = word_at(maps.tokens, query), word_at(maps.memory_tokens, key)
    looks = f"“{plain(asking)}” gives “{plain(read)}”"
    fact("words", (asking, read))
    if fact("pieces_that_ask", n_pieces) > 1:
        looks = f"a piece of {looks}, on average"
else:
    query, key = min(1, len(maps.tokens) - 1), 0
    targets = targets_of(maps, rule)
    looks = f"a token gives {SAYS[rule]}, on average"
ranking = rank_heads(maps, targets)
best = ranking.best(5)
layer, head, most = best[0]

fact("most", most)
if most:
    fact("does_it_most", (layer, head))
    fact("even_share", ranking.even)
    others = fact("tied_with", int((ranking.scores == most).sum()) - 1)
    st.markdown(
        f"**Layer {layer}, head {head} does it most**: {percent(most)} is what {looks}. Other heads"
        f" with the same share: {others}. A head that reads all tokens it may see equally would"
        f" give {percent(ranking.even)}."
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
    st.caption("The share that each head gives. A click opens the head.")
with right:
    ranked = best if most else ()
    fact("times_the_even_share", [ranking.times_even(score) for *_, score in ranked])
    for place, (one_layer, one_head, score) in enumerate(ranked, 1):
        times = f"{ranking.times_even(score):.1f} times the even share"
        st.markdown(f"{place}. **Layer {one_layer}, head {one_head}**: {percent(score)}, {times}")
if most:
    st.header(BEST(len(best)), anchor=False)
    show_board(best_heads(maps, best, (query, key)), "best heads", on_pin=open_pinned)
st.warning(
    "**Attention is not explanation.** A head that looks at a word need not use it: what arrives"
    f" is the word’s value vector, and {plain(symbol('w_o', now.notation).plain)} may throw it"
    " away. A rank on one sentence is not a rule. Try other sentences and see whether the same"
    " head wins."
    " (Jain and Wallace 2019; Wiegreffe and Pinter 2019.)",
    icon=":material/warning:",
)
