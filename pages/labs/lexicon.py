"""Lexicon: words with named features, and heads set by hand that compare them."""

import streamlit as st

from attention_ui.board import show_board
from attention_ui.labs import lexicon_lab as lab
from attention_ui.markdown import quoted
from attention_ui.show import explained_errors, show_figure
from attention_ui.view import one_window
from attention_viz.labs.lexicon import (
    blocks_board,
    comparison_board,
    heads_board,
    received_figure,
    words_board,
)

with explained_errors():
    window = one_window()
    with window:
        sentence, trace, heads = lab.setup()
    head, query, key = lab.cell(trace, len(heads))
    word = quoted(sentence.tokens, query)
    left, right = window.columns([2, 1])
    with left:
        board = heads_board(trace, heads, (head, query, key))
        show_board(board, "lexicon heads", on_pin=lab.pin, fits=True)
    with right:
        st.header(f"What {word} receives", anchor=False)
        st.markdown(lab.found(trace, heads, query))
        show_figure(received_figure(trace, query), "lexicon received")
        st.markdown(f"All heads together bring it {lab.brought(trace, query)}.")
        with st.popover("What each head is made of", icon=":material/function:"):
            for place, each in enumerate(heads):
                st.markdown(f"**{place} {each.name}.** {each.says}")
                st.latex(each.score)
            st.caption("The temperature divides these scores.")
        st.caption(
            "W_O puts every copied feature back into its own place, so a word can learn what it"
            " does not say itself."
        )
    st.caption("Each row is one word’s attention. Click a word’s row to follow it on the right.")
    lab.examples()
    st.markdown(
        "Each word is a vector whose places have **names**: gender, number, animacy, part of"
        " speech, tense, position. Each head is set by hand: it compares one section and hands on"
        " another. So you can see why it looks where it looks."
    )

    st.header("Which sections are compared", anchor=False)
    st.markdown(
        "A score is $x_i^\\top M x_j$ with $M = s\\,W_Q W_K^\\top$, the scale s included. Cut into"
        " sections, M shows what a head compares: only few blocks are not 0. Looking for a noun,"
        " avoiding pronouns and resting on the start token all read the part of speech."
    )
    left, right = st.columns([3, 2])
    with left:
        show_board(blocks_board(trace, heads), "lexicon blocks")
    with right:
        st.info(
            "**Only here.** In a trained model no section belongs to a head: W_Q and W_K of every"
            " head read the **whole** embedding, and gender or number are neither pure nor in fixed"
            " places. The blocks are a choice.",
            icon=":material/info:",
        )
        st.markdown(
            "**Try:** the third sentence with *four* heads: “it” finds dogs *and* book by gender,"
            " book *and* girl by number. Then choose *and*: one head asks for both at once and"
            " finds the book. In the first sentence “they” has no gender, so the *and* head sends"
            " it to the start token, whereas the number head finds the sons."
        )
    with st.expander(
        f"All of M of head {head}, and the vectors of the words",
        icon=":material/grid_on:",
        key="lex matrices",
        on_change="rerun",
    ) as full:
        if full.open:
            show_board(comparison_board(trace, head, heads[head].name), "lexicon comparison")
            show_board(words_board(trace), "lexicon words")
with st.expander(
    "The lexicon, and your own words",
    icon=":material/dictionary:",
    key="lex list",
    on_change="rerun",
) as listed:
    if listed.open:
        lab.word_list()
