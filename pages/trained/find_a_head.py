"""The heads ranked by what they do on the user's sentence: all, layer by layer, and the best."""

import streamlit as st

from attention_lab.notation.formulas import in_letters
from attention_lab.notation.notation import symbol
from attention_lab.trained.head_finder import (
    example_cell,
    rank_heads,
    rules_for,
    targets_of,
    word_at,
    word_to_word,
)
from attention_lab.trained.head_measures import (
    HEAD_MEASURES,
    copied_logits,
    measure_heads,
    measures_for,
)
from attention_ui.board import show_board
from attention_ui.page_context import page_context
from attention_ui.show import show_figure
from attention_ui.trained.head_place import choose_word, first_cell, open_dot, open_pinned
from attention_ui.trained.heads_shown import heads_shown, show_limits
from attention_ui.trained.whose_heads import LANGUAGE
from attention_ui.url_state import draw_bound
from attention_viz.labels import format_number, format_percent
from attention_viz.markdown import escape_markdown
from attention_viz.trained.heads import best_heads
from attention_viz.trained.measures import heads_matrix, measure_by_layer

COPIES = "copies what it reads"
WORD_TO_WORD = "word to word"
RULE_TARGETS = {
    "previous token": "its left neighbour",
    "next token": "its right neighbour",
    "itself": "itself",
    "first token": "the first token",
    "last token": "the last token",
    "repeated words": "the other places of the same word",
}
FROM_AND_TO = {LANGUAGE: (15, 6)}  # "The" and "f"; of others "it" and "animal"
SHARE_FORMULA = r"\frac{1}{n}\sum_i \sum_{j \in J_i} A_{ij}"
COPIES_FORMULA = (
    r"\frac{1}{n}\sum_i \sum_{0<j<i} A_{ij}\Big(\ell_{ij}(x_j) - \tfrac{1}{512}\sum_x"
    r" \ell_{ij}(x)\Big), \quad \ell_{ij} = \frac{V_j W_O \odot g}{r_i}\,E^\top"
)

now = page_context()
window = st.container()
shown, choices = heads_shown(now, window)
maps = shown.maps
rules = (*rules_for(maps), WORD_TO_WORD)
copies = (COPIES,) if shown.run else ()
rule = draw_bound(
    choices.selectbox,
    "Find the head that does this most",
    (*copies, *rules, *measures_for(maps, bool(shown.traces))),
    key="fh_rule",
    required=True,
    persist_state="session",
    width=280,
)
is_share = rule in rules
if rule == COPIES and shown.run:
    measured, formula = copied_logits(shown.run), COPIES_FORMULA
    means = (
        "The value of a token that a head reads goes through the head’s rows of W_O and straight to"
        " the logits, which say how well each piece fits next. The number is how much this raises"
        " the logit of **that token’s own piece**, above the mean of all 512 pieces: a positive one"
        " means that the head writes again what it reads. It is weighted with the shares and"
        " averaged over the tokens; a token’s share for itself and for the start counts 0. The"
        " divisor $r_i$ of the last norm is held at its value; $g$ is its gain, $E$ the embedding,"
        " $x_j$ the piece at $j$. (Elhage et al. 2021, copying heads.)"
    )
elif rule in HEAD_MEASURES:
    measure = HEAD_MEASURES[rule]
    measured, formula = measure_heads(measure, maps, shown.traces), measure.formula
    means = f"{measure.description} Range: {measure.range}."
else:
    if rule == WORD_TO_WORD:
        asks, answers = FROM_AND_TO.get(shown.model, (9, 2))
        query = choose_word(choices, "fh_from", "From the word", maps.tokens, asks)
        key = choose_word(choices, "fh_to", "To the word", maps.memory_tokens, answers)
        targets = word_to_word(maps.tokens, query, key, maps.memory_tokens)
    else:
        targets = targets_of(maps, rule)
        query, key = example_cell(targets)
    measured, formula = rank_heads(maps, targets).measured, SHARE_FORMULA
    means = (
        "The share that each head gives to the tokens $J_i$ that the rule names for token $i$, as a"
        " mean over the tokens for which it names one."
    )

best = [one for one in measured.best(5) if one[2] > 0 or not is_share]
written = format_percent if is_share else format_number
if not best:
    says = "**No head does it.** A mask may hide these keys, or there are none."
else:
    layer, head, most = best[0]
    says = f"**Layer {layer}, head {head} does it most.** "
    if rule == COPIES:
        says += (
            f"On average, it raises the logit of what it has read by **{format_number(most)}**."
            " Such a head writes again what the text has said."
        )
    elif not is_share:
        says = f"**Layer {layer}, head {head}** has the largest number: **{format_number(most)}**."
    elif rule == WORD_TO_WORD:
        (asking, n_pieces), (read, _) = (
            word_at(maps.tokens, query),
            word_at(maps.memory_tokens, key),
        )
        pair = f"“{escape_markdown(asking)}” gives “{escape_markdown(read)}”"
        average = "on average, a piece of " if n_pieces > 1 else ""
        says += f"In it, {average}{pair} {format_percent(most)} of its attention."
    else:
        says += (
            f"In it, on average, a token gives {RULE_TARGETS[rule]} {format_percent(most)} of its"
            " attention."
        )
    if is_share and measured.even is not None:
        says += (
            " A head that reads all tokens it may see equally would give"
            f" {format_percent(float(measured.even[layer]))}."
        )
with window:
    st.markdown(says)
    left, right = st.columns(2, gap="medium", vertical_alignment="center")
    with left:
        cell = best[0][:2] if best else (0, 0)
        board = heads_matrix(measured.values, cell, rule, shares=is_share)
        show_board(board, "find a head", on_pin=open_pinned)
    with right:
        show_figure(measure_by_layer(measured, rule), "by layer", on_click=open_dot)
st.caption(
    "A click on a cell or a dot opens the head. A dashed line is a head without preferences."
)
if best:
    st.header("The heads that do it most", anchor=False)
    if not is_share:
        query, key = first_cell(maps, *best[0][:2])
    board = best_heads(maps, best, (query, key), written)
    show_board(board, "best heads", on_pin=open_pinned)
with st.expander("How it is measured"):
    words = f"$$\n{formula}\n$$\n\n{means}"
    st.markdown(words if rule == COPIES else in_letters(words, now.notation))
st.warning(
    "**Attention is not explanation.** A head that looks at a word need not use it: what arrives"
    f" is the word’s value vector, and {escape_markdown(symbol('w_o', now.notation).plain)} may"
    " throw it away. A rank on one sentence is not a rule. Try other sentences and see whether the"
    " same head wins. (Jain and Wallace 2019; Wiegreffe and Pinter 2019.)",
    icon=":material/warning:",
)
show_limits()
