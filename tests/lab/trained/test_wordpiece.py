"""WordPiece: known pieces, [CLS] and [SEP], and texts that are too short or too long."""

from __future__ import annotations

import pytest

from attention_core import TextError
from attention_lab.trained.minilm import load_minilm
from attention_lab.words.text import MAX_CHARACTERS
from tests.lab.refusal import missing, refused


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("The animal", ["the", "animal"]),
        ("embeddings", ["em", "##bed", "##ding", "##s"]),
        ("don't", ["don", "'", "t"]),
        ("Zoë's CAFÉ", ["zoe", "'", "s", "cafe"]),
        ("cafe\u0301", ["cafe"]),
        ("ΣΟΦΟΣ", ["σ", "##ο", "##φ", "##ο", "##σ"]),
        ("12,345", ["12", ",", "345"]),
        ("東京", ["東", "京"]),
        ("한국", ["ᄒ", "##ᅡ", "##ᆫ", "##ᄀ", "##ᅮ", "##ᆨ"]),
        ("a\u200bb\x00c\ufffd", ["abc"]),
        ("a\u00a0b\u3000c\nd", ["a", "b", "c", "d"]),
        ("😀 ok", ["[UNK]", "ok"]),
        ("[SEP]x[MASK][sep]", ["[SEP]", "x", "[MASK]", "[", "sep", "]"]),
        ("a" * 101, ["[UNK]"]),
        ("\ud800a", ["a"]),
    ],
)
def test_pieces_written_down(text: str, expected: list[str]) -> None:
    assert load_minilm().wordpiece.pieces(text) == expected


def test_first_and_last_token_are_shown() -> None:
    read = load_minilm().wordpiece.read("Embeddings!", 512)
    assert read.tokens == ("[CLS]", "em", "##bed", "##ding", "##s", "!", "[SEP]")
    assert read.ids == (101, 7861, 8270, 4667, 2015, 999, 102)
    assert not read.notes


def test_a_long_text_is_cut_with_a_note() -> None:
    read = load_minilm().wordpiece.read("one two three four", 5)
    assert read.tokens == ("[CLS]", "one", "two", "three", "[SEP]")
    assert missing(read.notes[0], "[CLS]", "[SEP]", 6, 3) == []
    for n_tokens in (3, 2):
        cut = load_minilm().wordpiece.read("one two three four", n_tokens)
        (note,) = cut.notes
        assert missing(note, "[CLS]", "[SEP]", 6) == []
        assert (len(cut.tokens), cut.n_left_out) == (n_tokens, 6 - n_tokens)
    assert not load_minilm().wordpiece.read("one two three four", 6).notes


@pytest.mark.parametrize("text", ["", " \n", "\u0301", "\x00\u200b"])
def test_nothing_to_read(text: str) -> None:
    with refused(TextError, "word"):
        load_minilm().wordpiece.read(text, 512)


def test_too_much_to_read() -> None:
    with refused(TextError, 20001, 20000):
        load_minilm().wordpiece.read("x" * (MAX_CHARACTERS + 1), 512)
