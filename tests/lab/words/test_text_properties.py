"""What is true of the tokens of any text."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from attention_core import TextError
from attention_lab.words.text import (
    CONTINUATION_MARK,
    PADDING_TOKEN,
    pieces,
    tokenize,
)

JOINERS = "\u200c\u200d"
# Every code point, lone surrogates included, and more of the awkward ones than chance would bring.
AWKWARD = st.sampled_from(
    "\u200b\u200d\u202e\u0301\ufe0f\u20e3\ud800\U0001f1e9\U0001f3fd\U0001f468'’-\x00\x1f\x85\u00ad"
)
# What only changes the character before it: joiners, variation selectors, tags.
CHANGERS = {*JOINERS, *map(chr, range(0xFE00, 0xFE10)), *map(chr, range(0xE0020, 0xE0080))}
TEXTS = st.text(
    st.one_of(st.characters(categories=None), AWKWARD, st.sampled_from("ab ,我ש")), max_size=40
)


def kept(text: str) -> str:
    """What a text holds without white space and removed characters, in composed form; written
    apart from the code.
    """
    held = ""
    at_start = True
    for c in unicodedata.normalize("NFC", text):
        if c.isspace() or c == "\u200b":
            at_start = True
        elif is_shown(c) or (c in CHANGERS and not at_start):
            held += c
            at_start = False
    return held


def is_shown(c: str) -> bool:
    """Whether a character shows something by itself; an emoji may be younger than Python's
    tables.
    """
    young_emoji = unicodedata.category(c) == "Cn" and 0x1F000 <= ord(c) <= 0x1FAFF
    return c not in CHANGERS and (unicodedata.category(c)[0] != "C" or young_emoji)


@given(TEXTS)
@example("\u0301 \u200d \ufe0f")
@example("'\u0301' -\u20e3-")
def test_no_text_breaks_the_tokeniser(text: str) -> None:
    if not kept(text):
        with pytest.raises(TextError):
            tokenize(text)
        return
    tokens = tokenize(text).tokens
    assert "".join(tokens) == kept(text)
    assert all(tokens)


@given(TEXTS.filter(kept))
def test_tokens_hold_no_control_characters(text: str) -> None:
    for character in "".join(tokenize(text).tokens):
        category = unicodedata.category(character)
        assert not character.isspace()
        assert category not in ("Cc", "Cs", "Co")
        assert category != "Cn" or 0x1F000 <= ord(character) <= 0x1FAFF
        assert category != "Cf" or character in JOINERS or 0xE0020 <= ord(character) <= 0xE007F


@given(TEXTS.filter(kept), st.integers(0, 5), st.integers(0, 9))
def test_the_same_text_gives_the_same_tokens(text: str, piece: int, n_tokens: int) -> None:
    first, again = (tokenize(text, piece=piece, n_tokens=n_tokens) for _ in range(2))
    assert first == again
    assert len(first.tokens) == (n_tokens or first.n_real) >= first.n_real >= 1
    assert first.tokens[first.n_real :] == (PADDING_TOKEN,) * (len(first.tokens) - first.n_real)


@given(TEXTS.filter(kept), st.integers(1, 7))
def test_pieces_put_together_are_the_word(text: str, size: int) -> None:
    for token in tokenize(text).tokens:
        first, *rest = pieces(token, size)
        assert all(part.startswith(CONTINUATION_MARK) for part in rest)
        assert first + "".join(part.removeprefix(CONTINUATION_MARK) for part in rest) == token
