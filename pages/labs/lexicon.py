"""Lexicon: words with named features, and heads set by hand that compare them."""

import streamlit as st

from attention_ui.board import show_board
from attention_ui.labs import lexicon as lab
from attention_ui.show import explained_errors, show_figure
from attention_ui.view import main_container
from attention_viz.labs.lexicon import (
    blocks_board,
    comparison_matrix_board,
    lexicon_heads_board,
    received_figure,
    words_board,
)
from attention_viz.markdown import quote_token

with explained_errors():
    window = main_container()
    with window:
        st.markdown(
            "Where heads look if every feature of a word has a name: each head is set by hand to"
            " compare some features and to copy others."
        )
        sentence, trace, heads = lab.choose_lexicon()
    head, query, key = lab.chosen_words(trace, len(heads))
    word = quote_token(sentence.tokens, query)
    left, right = window.columns([2, 1])
    with left:
        board = lexicon_heads_board(trace, heads, (head, query, key))
        show_board(board, "lexicon heads", on_pin=lab.pin_words, fits=True)
    with right:
        st.header(f"What {word} receives", anchor=False)
        st.markdown(lab.words_read(trace, heads, query))
        show_figure(received_figure(trace, query), "lexicon received")
        st.markdown(f"From all heads together: {lab.features_received(trace, query)}.")
        with st.popover("How each head is made", icon=":material/function:"):
            for place, each in enumerate(heads):
                st.markdown(f"**{place} {each.name}.** {each.description}")
                st.latex(each.score)
            st.caption("The temperature divides these scores before the softmax.")
        st.caption(
            "W_O puts each copied feature into the place of this feature. So a word can receive"
            " features that it does not have itself."
        )
    st.caption("Each row is the attention of one word. Click a row to follow it on the right.")
    lab.show_sentences()
    st.markdown(
        "Each word is a vector whose numbers have **names**. They stand in sections: gender,"
        " number, animacy, part of speech, tense, position. A head compares some sections and"
        " copies others. So you can see why it looks where it looks."
    )

    st.header("Which sections are compared", anchor=False)
    st.markdown(
        "A score is $x_i^\\top M x_j$ with $M = s\\,W_Q W_K^\\top$, where s is the scale. M is cut"
        " into blocks, one for each pair of sections. Only a few blocks are not 0: they show what"
        " a head compares. A head reads the part of speech to look for nouns, to avoid pronouns and"
        " to rest on the start token."
    )
    left, right = st.columns([3, 2])
    with left:
        show_board(blocks_board(trace, heads), "lexicon blocks")
    with right:
        st.info(
            "**Only here.** In a trained model no section belongs to a head. W_Q and W_K of every"
            " head read the **whole** embedding. Features such as gender are mixed with others and"
            " have no fixed places. The sections are a choice of this page.",
            icon=":material/info:",
        )
        st.markdown(
            "**Try:** choose the third sentence with *four* heads. “it” finds dogs *and* book by"
            " gender, book *and* girl by number. Then choose *and*: one head asks for gender and"
            " number at once and finds the book. In the first sentence “they” has no gender, so"
            " the *and* head looks at the start token, whereas the number head finds the sons."
        )
    with st.expander(
        f"The whole matrix M of head {head}, and the vectors of the words",
        icon=":material/grid_on:",
        key="lex matrices",
        on_change="rerun",
    ) as full:
        if full.open:
            show_board(comparison_matrix_board(trace, head, heads[head].name), "lexicon comparison")
            show_board(words_board(trace), "lexicon words")
with st.expander(
    "The lexicon",
    icon=":material/dictionary:",
    key="lex list",
    on_change="rerun",
) as listed:
    if listed.open:
        st.dataframe(lab.word_rows(), hide_index=True, height=320, alt="The words of the lexicon")
