"""WordPiece: the pieces are those of the `tokenizers` library on any text, in all of Unicode."""

from __future__ import annotations

from functools import cache

import pytest
import tokenizers
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizers.models import WordPiece as LibraryWordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

from attention_lab.trained.minilm import load_minilm

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
# What chance would not bring: special tokens, accents apart and joined, a final sigma, Hangul,
# young characters.
AWKWARD = st.sampled_from(
    [
        *SPECIAL,
        "[sep]",
        "[",
        "]",
        "##",
        "\u0301",
        "e\u0301",
        "İ",
        "ΟΔΟΣ",
        "ß",
        "ẞ",
        "한국",
        "東",
        "\U0002b825",
        "\u0898",
        "\u2e52",
        "\x00",
        "\ufffd",
        "\u200b",
        "\u00ad",
        "\u3000",
        "\n",
        "don't",
        "ing",
        "x" * 100,
        "x" * 101,
        "😀",
        "\U0010fffe",
    ]
)
ANY = st.characters(exclude_categories=["Cs"])
PARTS = st.one_of(AWKWARD, st.text(ANY, max_size=5), st.sampled_from("abc ,.'-é1"))
TEXTS = st.lists(PARTS, max_size=12).map("".join)


def pieces(text: str) -> list[str]:
    """Ours."""
    return load_minilm().wordpiece.pieces(text)


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


@settings(max_examples=150)
@given(TEXTS)
@example("")
@example("The hallway's 12,345 naïve cafés[SEP]")
def test_any_text_gives_the_library_s_pieces(text: str) -> None:
    assert pieces(text) == library().encode(text, add_special_tokens=False).tokens


@pytest.mark.parametrize("plane", range(17))
def test_every_plane_of_unicode(plane: int) -> None:
    codes = set(range(plane << 16, (plane + 1) << 16, 37 if plane == 0 else 509))
    codes |= set(range(0x3000)) if plane == 0 else set()
    for code in sorted(codes - set(range(0xD800, 0xE000))):
        for text in (chr(code), f"a{chr(code)}b"):
            assert pieces(text) == library().encode(text, add_special_tokens=False).tokens, hex(
                code
            )
