"""The widgets of the page *Lexicon*: a sentence of its words, the heads set by hand, the pinned
cell, the list of all words.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from attention_core.trace import Trace
from attention_lab.heads.keys_read import keys_read_most
from attention_lab.labs.lexicon import (
    FEATURE_SECTIONS,
    LEXICON,
    LEXICON_SENTENCES,
    START_TOKEN,
    LexiconSentence,
    compose_sentence,
)
from attention_lab.labs.lexicon_heads import (
    CONJUNCTION_HEAD,
    LEXICON_HEADS,
    LexiconHead,
    received_features,
    run_lexicon,
)
from attention_viz.labels import format_number, format_percent
from attention_viz.markdown import escape_markdown

from ..url_state import cell_places, choose_one, draw_bound, set_places

HEAD_CHOICES: dict[str, tuple[LexiconHead, ...]] = {
    "four": LEXICON_HEADS,
    "and": (CONJUNCTION_HEAD,),
}
TEMPERATURES = (0.25, 0.5, 1.0, 2.0, 4.0)


def choose_lexicon() -> tuple[LexiconSentence, Trace, tuple[LexiconHead, ...]]:
    """Draw all widgets; return the sentence, its trace, and the heads. Raises: TextError,
    SettingsError.
    """
    with st.container(horizontal=True, vertical_alignment="bottom"):
        text = draw_bound(
            st.text_input,
            "A sentence of the lexicon’s words",
            LEXICON_SENTENCES[0],
            max_chars=200,
            width=330,
            key="lex_text",
            persist_state="session",
        )
        chosen = choose_one(
            "Heads",
            HEAD_CHOICES,
            "four",
            key="lex_heads",
            help=(
                "four: the heads gender, number, previous word, and verb to subject. and: one head"
                " that asks for gender and number at once."
            ),
        )
        temperature = draw_bound(
            st.select_slider, "Temperature", TEMPERATURES, 1.0, key="lex_temperature", width=110
        )
        start = draw_bound(st.toggle, f"Start token {START_TOKEN}", True, key="lex_start")
        causal = draw_bound(st.toggle, "Causal mask", key="lex_causal")
    heads = HEAD_CHOICES[chosen]
    composed = compose_sentence(text or "", start=bool(start))
    trace = run_lexicon(composed, heads, temperature=float(temperature), causal=bool(causal))
    return composed, trace, heads


def show_sentences() -> None:
    """A button for each example: it puts its sentence into the field."""
    with st.container(horizontal=True, gap="small"):
        for place, sentence in enumerate(LEXICON_SENTENCES):
            st.button(
                sentence,
                key=f"lex example {place}",
                type="tertiary",
                icon=":material/science:",
                on_click=st.session_state.update,
                args=({"lex_text": sentence},),
            )


def chosen_words(trace: Trace, n_heads: int) -> tuple[int, int, int]:
    """The pinned head, query and key.

    At first “they” in the head *number*, or the last word in the first head; and the key it reads
    most.
    """
    n_tokens, words = trace.sizes["T"], trace.labels("T")
    such_as = "A cell is head, query and key such as 1-7-5"
    if held := cell_places("lex_cell", "Cell", "", (n_heads, n_tokens, n_tokens), such_as):
        head, query, key = held
        return head, query, key
    query = next((place for place, word in enumerate(words) if word == "they"), n_tokens - 1)
    head = int(n_heads > 1 and words[query] == "they")
    return head, query, int(trace.probabilities[0, head, query].argmax())


def pin_words(array: str, index: Sequence[int]) -> None:
    """Pin a clicked cell of a head; a callback of the board."""
    set_places("lex_cell", int(array.rsplit(" ", 1)[-1]), *index[:2])


def words_read(trace: Trace, heads: Sequence[LexiconHead], query: int) -> str:
    """Which words each head reads most for one word, as a Markdown list."""
    words = trace.labels("T")
    lines = []
    for place, head in enumerate(heads):
        most = float(trace.probabilities[0, place, query].max())
        read = list(keys_read_most(trace, place, query))
        keys = ", ".join(
            f"“{escape_markdown(words[key])}” ({key}) {format_percent(most)}" for key in read
        )
        if len(read) > 3:
            keys = f"{len(read)} words with {format_percent(most)} each"
        lines.append(f"- **{head.name}**: {keys}")
    return "\n".join(lines)


def features_received(trace: Trace, query: int) -> str:
    """The features that a word receives with 0.2 or more, in words."""
    parts = [
        f"**{name}** {format_number(value, 2)}"
        for name, value in received_features(trace, query).items()
        if value >= 0.2
    ]
    return ", ".join(parts) or "hardly anything"


def word_rows() -> list[dict[str, str]]:
    """All words with their features, as the rows of a table."""
    return [
        {"word": word}
        | {
            section: " ".join(feature for feature in features if feature in names)
            for section, names in FEATURE_SECTIONS.items()
            if section != "position"
        }
        for word, features in LEXICON.items()
    ]
