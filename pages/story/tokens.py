"""Tokens: a sentence is cut into tokens, and each token becomes a row of numbers."""

import streamlit as st

from attention_lab.choices import edits_of, resolve
from attention_lab.sentences import embedding_of, tokens_of
from attention_lab.weight_kinds import LANGUAGE_MODEL, TRAINED
from attention_lab.words.embeddings import derive_input
from attention_ui.page_context import page_context
from attention_ui.panels import draw_arithmetic, draw_derivation, look_closer, token_markdown
from attention_ui.step import show_step
from attention_viz.labels import token_chips
from attention_viz.story.products import is_sum_of_words, shows_sum_of_words

now = page_context()
trace, focus, run = now.trace, now.focus, resolve(now.shown)
scenario = run.chosen
tokens, embedding = tokens_of(scenario), embedding_of(scenario)
number = focus.within(trace, "inputs").feature
asking = token_markdown(trace, "T", focus.query)

trained, language = run.weights is TRAINED, run.weights is LANGUAGE_MODEL
made = is_sum_of_words(trace, embedding)
if trained:
    st.markdown(
        "The sentence is cut into **tokens** as the trained model does it: small letters without"
        " accents. A word that it does not know becomes pieces marked ##, or [UNK] if a piece is"
        " unknown, too. [CLS] stands first and [SEP] last."
    )
elif language:
    st.markdown(
        "The sentence is cut into **pieces** as the language model does it. It knows 512: texts"
        " that are frequent in its stories, and all 256 bytes. So it can read every word, also one"
        " that it has never seen, with a small table of vectors. A word that is no piece is made of"
        " several, such as “f”, “r”, “o”, “g”, which stand closer together than words. Before the"
        " first word stands \\<s\\>, the start of a text."
    )
else:
    says = (
        "The sentence is cut into **tokens**: words, punctuation marks and emoji, each with its"
        " position."
    )
    if scenario.piece:
        says += f" Words are cut into pieces. Most characters in a piece: {scenario.piece}."
    st.markdown(says)
st.html(token_chips(tokens, focus.query))

stage = now.stage
show_step(now)
if run.own.x is not None and not made:
    where = (
        f"{now.symbol('inputs')} is your own matrix: its numbers replace word vectors and position"
        " codes."
    )
elif trained:
    where = (
        f"This is the input of layer {scenario.layer} of the trained model. Before its first layer,"
        " word vectors and position vectors were added and normalised. Layers since:"
        f" {scenario.layer}."
    )
elif language:
    where = (
        f"This is the input of layer {scenario.layer} of the language model: what the layers before"
        " it have made of the vectors of the pieces, divided by its root mean square, times a gain."
    )
elif run.handmade:
    where = (
        "The numbers here have names: the part of speech of the word, in the example *Gender and"
        " number* these two as well, a 1, and the position as cosine and sine of an angle, in"
        " eighths. A list knows common words. Of the others, those"
        " with a capital letter count as names, and the rest as *other*."
    )
else:
    where = (
        "The word vectors here are random. Each is made from a hash of the letters of the word: the"
        " same spelling always has the same vector (“The” and “the” have two), and the numbers have"
        " no meaning. Only training would move words of similar meaning near each other."
    )
    if scenario.positions:
        where += (
            " The position code is the same for every sentence: waves from fast (the first numbers)"
            " to slow (the last), so that the position of a token can be read from it."
        )
    else:
        where += (
            " Positions are off: the code is zero, so no number of a token says where it stands."
        )
if not made and any(edit.matrix == "x" for edit in edits_of(scenario).items):
    where += " Edited cells hold your own numbers instead."
st.caption(f"From orange (negative) to violet (positive). {where}")
place = focus.query, number
untouched = embedding.inputs[place] == trace.inputs[0][place]
if shows_sum_of_words(stage, embedding) and bool(untouched):
    title = f"**Number {number} of token {focus.query}, {asking}:** word + position = input"
    arithmetic = draw_derivation(derive_input(embedding, focus.query, number), title)
else:
    title = f"**Number {number} of token {focus.query}, {asking}**"
    arithmetic = draw_arithmetic(trace, "inputs", (0, focus.query, number), title)
x, memory = now.symbol("inputs"), now.symbol("memory")
memory_is = f" ({memory} = {x})" * (memory != x)
st.caption(
    "Queries, keys and values are all made from these numbers: in self-attention the *memory*, the"
    f" tokens that are looked at, is the sentence itself{memory_is}."
)
look_closer(now, "inputs", arithmetic, beside=("memory",))
