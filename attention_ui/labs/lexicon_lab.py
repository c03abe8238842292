"""The widgets of the lexicon: a sentence of its words, the hand-set heads, words of one's own,
a pinned cell.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from attention_core import AttentionError, SettingsError, TextError
from attention_core.trace import Trace
from attention_lab.heads.keys_read import keys_read_most
from attention_lab.labs.lexicon import (
    LEXICON,
    SECTIONS,
    SENTENCES,
    START,
    TICKABLE,
    LexiconSentence,
    compose,
    own_word,
)
from attention_lab.labs.lexicon_heads import AND_HEAD, HEADS, HandHead, received, run_lexicon
from attention_viz.labels import number, percent

from ..facts import fact
from ..markdown import plain
from ..url_state import bound, choose_one, pin_places, pinned, restore, write_to_url

Words = dict[str, tuple[str, ...]]
CHOICES: dict[str, tuple[HandHead, ...]] = {"four": HEADS, "and": (AND_HEAD,)}
TEMPERATURES = (0.25, 0.5, 1.0, 2.0, 4.0)
MOST_OWN = 12


def setup() -> tuple[LexiconSentence, Trace, tuple[HandHead, ...]]:
    """Draw all choices; give the sentence, the heads run on it, and the heads. Raises:
    TextError, SettingsError.
    """
    own = own_words()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        text = bound(
            st.text_input,
            "A sentence of the lexicon’s words",
            SENTENCES[0],
            max_chars=200,
            width=330,
            key="lex_text",
            persist_state="session",
        )
        chosen = choose_one(
            "Heads",
            CHOICES,
            "four",
            key="lex_heads",
            help=(
                "four: gender, number, previous word, verb to subject. and: one head that asks for"
                " gender and number."
            ),
        )
        temperature = bound(
            st.select_slider, "Temperature", TEMPERATURES, 1.0, key="lex_temperature", width=110
        )
        start = bound(st.toggle, f"Start token {START}", True, key="lex_start")
        causal = bound(st.toggle, "Causal mask", key="lex_causal")
    heads = CHOICES[chosen]
    composed = compose(text or "", own, start=bool(start))
    trace = run_lexicon(composed, heads, temperature=float(temperature), causal=bool(causal))
    return composed, trace, heads


def examples() -> None:
    """A button for each example, which puts its sentence into the field."""
    with st.container(horizontal=True, gap="small"):
        for place, sentence in enumerate(SENTENCES):
            st.button(
                sentence,
                key=f"lex example {place}",
                type="tertiary",
                icon=":material/science:",
                on_click=st.session_state.update,
                args=({"lex_text": sentence},),
            )


def cell(trace: Trace, n_heads: int) -> tuple[int, int, int]:
    """The pinned head, query and key; at first a pronoun in the head that finds most for it."""
    n_tokens, words = trace.sizes["T"], trace.labels("T")
    such_as = "A cell is head, query and key such as 1-7-5"
    if held := pinned("lex_cell", "Cell", "", (n_heads, n_tokens, n_tokens), such_as):
        head, query, key = held
        return head, query, key
    query = next((place for place, word in enumerate(words) if word == "they"), n_tokens - 1)
    head = 1 if n_heads > 1 and words[query] == "they" else 0
    return head, query, int(trace.probabilities[0, head, query].argmax())


def pin(array: str, index: Sequence[int]) -> None:
    """Pin a clicked cell of a head; for the callback of the board."""
    pin_places("lex_cell", int(array.rsplit(" ", 1)[-1]), *index[:2])


def found(trace: Trace, heads: Sequence[HandHead], query: int) -> str:
    """Where each head looks for one word, in words."""
    words = trace.labels("T")
    lines = []
    for place, head in enumerate(heads):
        most = float(trace.probabilities[0, place, query].max())
        read = list(keys_read_most(trace, place, query))
        fact(f"{head.name.replace(' ', '_')}_looks_at", ([words[key] for key in read], most))
        tied = [f"“{plain(words[key])}” ({key})" for key in read]
        keys = ", ".join(tied)
        if len(tied) > 3:
            keys = f"each of {len(tied)} words"
        lines.append(f"- **{head.name}** gives {percent(most)} to {keys}")
    return "\n".join(lines)


def brought(trace: Trace, query: int) -> str:
    """What a word receives of all features that count, in words."""
    parts = [
        f"**{name}** {number(value, 2)}"
        for name, value in received(trace, query).items()
        if value >= 0.2
    ]
    return ", ".join(parts) or "hardly anything"


def own_words() -> Words:
    """The visitor's own words with their features, as the address holds them."""
    restore("lex_words", "Own words", "", lambda text: _written(_read_words(text)))
    write_to_url("lex_words", "")
    return _read_words(st.session_state["lex_words"])


def word_list() -> None:
    """All words with their features, and the form for one's own."""
    left, right = st.columns([3, 2])
    rows = LEXICON | own_words()
    left.dataframe(
        [{"word": word, **_by_section(features)} for word, features in rows.items()],
        hide_index=True,
        height=320,
        alt="The words of the lexicon",
    )
    with right:
        with st.form("lex form", clear_on_submit=True):
            word = st.text_input("Your own word", max_chars=60, key="lex new word")
            features = st.pills(
                "Its features", TICKABLE, selection_mode="multi", key="lex new features"
            )
            added = st.form_submit_button("Add the word", icon=":material/add:")
        if added:
            _add(word or "", features or [])
        if st.session_state["lex_words"]:
            st.button(
                "Drop own words",
                key="lex drop",
                on_click=st.session_state.update,
                args=({"lex_words": ""},),
            )


def _add(word: str, features: Sequence[str]) -> None:
    try:
        words = _with(own_words(), word, features)
    except AttentionError as error:
        st.error(plain(str(error)))
        return
    st.session_state["lex_words"] = _written(words)
    st.rerun()


def _with(words: Words, word: str, features: Sequence[str]) -> Words:
    """Own words and one more, which takes the place of its namesake. Raises: TextError,
    SettingsError.
    """
    spelled, checked = own_word(word, features)
    if spelled in LEXICON:
        raise SettingsError(f"{spelled!r} is in the lexicon already: choose another word")
    if len(words | {spelled: checked}) > MOST_OWN:
        raise SettingsError(f"Own words are at most {MOST_OWN}: drop some first")
    return words | {spelled: checked}


def _by_section(features: Sequence[str]) -> dict[str, str]:
    return {
        section: " ".join(feature for feature in features if feature in names)
        for section, names in SECTIONS.items()
        if section != "position"
    }


def _written(words: Words) -> str:
    return ";".join(f"{word}:{'.'.join(features)}" for word, features in words.items())


def _read_words(text: str) -> Words:
    """The words of a text such as "horse:neut.sg.anim.NOUN;mare:fem.sg.anim.NOUN". Raises:
    TextError, SettingsError.
    """
    words: Words = {}
    for part in text.split(";") if text else ():
        word, separator, features = part.partition(":")
        if not separator:
            raise TextError("An own word is written as in horse:neut.sg.anim.NOUN")
        n_words, words = len(words), _with(words, word, features.split("."))
        if len(words) == n_words:
            raise SettingsError(f"{word.strip()!r} stands there twice: leave one of them out")
    return words
