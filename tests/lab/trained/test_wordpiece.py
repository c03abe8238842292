"""WordPiece: known pieces, and those of the `tokenizers` library on any text, in all of Unicode."""

from __future__ import annotations

from functools import cache

import pytest
import tokenizers
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizers.models import WordPiece as LibraryWordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

from attention_core import TextError
from attention_lab.trained.minilm import load_minilm
from tests.lab.refusal import missing, refused


def test_first_and_last_token_are_shown() -> None:
    read = load_minilm().wordpiece.read("Embeddings!\ud800", 512)
    assert read.tokens == ("[CLS]", "em", "##bed", "##ding", "##s", "!", "[SEP]")
    assert read.ids == (101, 7861, 8270, 4667, 2015, 999, 102)
    assert not read.notes


def test_a_long_text_is_cut_with_a_note() -> None:
    for n_tokens in (5, 3, 2):
        cut = load_minilm().wordpiece.read("one two three four", n_tokens)
        assert cut.tokens == ("[CLS]", *("one", "two", "three")[: n_tokens - 2], "[SEP]")
        assert cut.n_left_out == 6 - n_tokens
        assert missing(cut.notes[0], "[CLS]", "[SEP]", 6) == []
    assert not load_minilm().wordpiece.read("one two three four", 6).notes


@pytest.mark.parametrize("text", ["", " \n", "\u0301", "\x00\u200b"])
def test_nothing_to_read(text: str) -> None:
    with refused(TextError, "word"):
        load_minilm().wordpiece.read(text, 512)


SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
# What chance would not bring: special tokens, accents apart and joined, a final sigma, Hangul,
# young characters.
WORDS = [
    "[sep]",
    "[",
    "]",
    "##",
    "é",
    "İ",
    "ΟΔΟΣ",
    "ß",
    "ẞ",
    "한국",
    "東",
    "don't",
    "ing",
    "😀",
    "12,345",
]
CHARACTERS = "\u0301\U0002b825\u0898\u2e52\x00\ufffd\u200b\u00ad\u3000\n\U0010fffe"
AWKWARD = st.sampled_from([*SPECIAL, *WORDS, *CHARACTERS, "x" * 100, "x" * 101])
ANY = st.characters(exclude_categories=["Cs"])
PARTS = st.one_of(AWKWARD, st.text(ANY, max_size=5), st.sampled_from("abc ,.'-é1"))
TEXTS = st.lists(PARTS, max_size=12).map("".join)


@cache
def library() -> tokenizers.Tokenizer:
    """The library's tokenizer with the same vocabulary and the options of the model."""
    vocabulary = dict(load_minilm().wordpiece.vocabulary)
    made = tokenizers.Tokenizer(
        LibraryWordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100)
    )
    made.normalizer = BertNormalizer(
        clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=True
    )
    made.pre_tokenizer = BertPreTokenizer()
    made.add_special_tokens(SPECIAL)
    return made


def assert_as_in_the_library(text: str) -> None:
    """The pieces of a text are those of the library."""
    expected = library().encode(text, add_special_tokens=False).tokens
    assert load_minilm().wordpiece.pieces(text) == expected, ascii(text)


@settings(max_examples=150)
@given(TEXTS)
@example("")
@example("The hallway's 12,345 naïve cafés[SEP]")
def test_any_text_gives_the_library_s_pieces(text: str) -> None:
    assert_as_in_the_library(text)


@pytest.mark.parametrize("plane", range(17))
def test_every_plane_of_unicode(plane: int) -> None:
    codes = set(range(plane << 16, (plane + 1) << 16, 37 if plane == 0 else 509))
    codes |= set(range(0x3000)) if plane == 0 else set()
    for code in sorted(codes - set(range(0xD800, 0xE000))):
        assert_as_in_the_library(chr(code))
        assert_as_in_the_library(f"a{chr(code)}b")
