"""Tokens: a sentence is cut into tokens, and each token becomes a row of numbers."""

import streamlit as st

from attention_core.derivation import derive_input
from attention_lab.scenario import edits_of, embedding_of, own_of, settled, tokens_of
from attention_ui.facts import fact
from attention_ui.page_context import page_context
from attention_ui.panels import draw_arithmetic, draw_derivation, look_closer, token
from attention_ui.step import show_step
from attention_viz import story
from attention_viz.labels import chips_html, counted

now = page_context()
trace, focus, scenario = now.trace, now.focus, settled(now.shown)
tokens, embedding = tokens_of(scenario), embedding_of(scenario)
number = focus.within(trace, "inputs").feature
earlier = fact("earlier_layers", scenario.layer)
asking = token(trace, "T", focus.query)

own = fact("own_inputs", own_of(scenario).x is not None)
trained = fact("trained", scenario.weights == "trained")
made = fact("made_of_words", story.made_of_words(trace, embedding))
edited = not made and any(edit.matrix == "x" for edit in edits_of(scenario).items)
piece = fact("longest_piece", scenario.piece)
pieces = f"; words are cut into pieces of at most {counted(piece, 'character')}" if piece else ""
st.markdown(
    "The sentence is cut into **tokens** as the trained model does it: small letters without"
    " accents, words it does not know in pieces marked ##, or as [UNK] where it lacks the pieces,"
    " too; [CLS] before them and [SEP] after."
    if trained
    else (
        "The sentence is cut into **tokens**: words, punctuation marks and emoji, each with its"
        f" place{pieces}."
    )
)
st.html(chips_html(tokens, focus.query))

stage = now.stage
board = story.tokens(stage, embedding, focus.query, number, not now.whole)
sum_of_parts = r" = E_{\text{words}} + P_{\text{positions}}" if made else ""
board = show_step(now, "inputs", board, sum_of_parts)
if own and not made:
    where = (
        f"{now.symbol('inputs')} is your own: its numbers stand in the place of word vectors and"
        " position codes."
    )
elif trained:
    where = (
        f"This is what comes into layer {scenario.layer} of the trained model. Words and places"
        " were added and normalised before its first layer"
        + (", and the layers before this one have worked on them." if earlier else ".")
    )
elif scenario.weights == "by hand":
    where = (
        "The numbers here have names: what part of speech a word is (a small list knows common"
        " words, all else is *other*), a 1, and the place as the cosine and sine of an angle."
    )
else:
    where = (
        "The word vectors here are drawn at random, once for each word, from a hash of its letters:"
        " the same spelling always has the same vector (“The” and “the” have two), and a vector"
        " means nothing. Only training would"
        " move words of similar meaning near each other. "
        + (
            "The position code is the same for every sentence: waves from fast (the first numbers)"
            " to slow (the last), so that a token's place can be read from it."
            if fact("positions", scenario.positions)
            else (
                "Positions are off: the code is zero, so nothing in a token's numbers tells which"
                " comes first."
            )
        )
    )
cells = " Edited cells hold your own numbers instead." if fact("edited", edited) else ""
st.caption(f"From orange (negative) to violet (positive). {where}{cells}")
place = focus.query, number
untouched = embedding.inputs[place] == trace.inputs[0][place]
if fact("is_a_sum", story.beside_words(stage, embedding) and bool(untouched)):
    arithmetic = draw_derivation(
        derive_input(embedding, focus.query, number),
        f"**Number {number} of token {focus.query}, {asking}:** word + position = input",
    )
else:
    arithmetic = draw_arithmetic(
        trace,
        "inputs",
        (0, focus.query, number),
        f"**Number {number} of token {focus.query}, {asking}**",
    )
x, memory = fact("symbols", (now.symbol("inputs"), now.symbol("memory")))
st.caption(
    "Queries, keys and values are all made from these numbers: in self-attention the *memory* that"
    f" is looked at is the sentence itself{'' if memory == x else f', {memory} = {x}'}."
)
look_closer(now, "inputs", board, arithmetic, beside=("memory",))
