"""Pieces as words, and as people write them."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from attention_lab.trained.language_model import language_model
from attention_lab.words.pieces import UNKNOWN_SIGN, readable, word_slices

MODEL = language_model()


def written(text: str) -> list[str]:
    pieces = MODEL.pieces(MODEL.encode(text))
    return [readable(*pieces[one]) for one in word_slices(pieces)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("What is love?", ["What", "is", "love", "?"]),
        (
            'Lily\'s mom: "Don’t! (35)"',
            ["Lily's", "mom", ":", '"', "Don’t", "!", "(", "35", ")", '"'],
        ),
        ("žluť 日 🐸", ["žluť", "日", "🐸"]),
        ("a\n\tb - c", ["a", "new line", "tab stop", "b", "-", "c"]),
        ("'a' a1", ["'", "a", "'", "a", "1"]),
    ],
)
def test_a_text_is_read_in_words(text: str, words: list[str]) -> None:
    assert written(text) == ["start", *words]


def test_what_is_no_text_has_a_name() -> None:
    assert [readable(one) for one in ("</s>", "<unk>", " ", "\xa0", "<0x00>")] == [
        "end of the text",
        UNKNOWN_SIGN,
        "white space",
        "white space",
        UNKNOWN_SIGN,
    ]
    pieces = [" a", "<0xE6>", "<0x97>", "r", "[pad]", "[pad]"]  # half a character, then padding
    assert [(one.start, one.stop) for one in word_slices(pieces)] == [
        (0, 1),
        (1, 3),
        (3, 4),
        (4, 5),
        (5, 6),
    ]
    assert readable(*pieces[1:3]) == UNKNOWN_SIGN
    assert len(word_slices(["<0xE6>", "<0xE6>"])) == 2  # two beginnings of a character


@given(st.lists(st.integers(0, 511), max_size=30))
@example([259 + 128, 3 + 0xE6, 3 + 0x97, 3 + 0xA5, 3 + 0xA5])
def test_every_piece_is_in_one_word(ids: list[int]) -> None:
    places = [place for one in MODEL.words(ids) for place in range(one.start, one.stop)]
    assert places == list(range(len(ids)))
