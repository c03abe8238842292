"""How a sentence becomes tokens, in any script and with anything a keyboard or clipboard can
produce.
"""

from __future__ import annotations

import re

import pytest

from attention_core import SettingsError, TextError
from attention_lab.words.text import (
    MAX_CHARACTERS,
    PADDING_TOKEN,
    Tokens,
    pieces,
    tokenize,
    tokenize_at_most,
)

FAMILY = "👨\u200d👩\u200d👧\u200d👦"
ENGLAND = "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"


@pytest.mark.parametrize(
    "text",
    ["", " ", "  \n\t ", "\u00a0\u3000", "\u200b", "\u202e\u202c", "\x00\x07", "\ud800", "\ue000"],
)
def test_a_text_without_a_word_is_refused(text: str) -> None:
    with pytest.raises(TextError):
        tokenize(text)


def test_the_longest_text() -> None:
    assert tokenize("x" * MAX_CHARACTERS).tokens == ("x" * MAX_CHARACTERS,)
    with pytest.raises(TextError, match=r"\b20,001\b.*\b20,000\b"):
        tokenize("x" * (MAX_CHARACTERS + 1))


def test_ten_thousand_words_are_cut() -> None:
    tokens = tokenize("a " * 9_999 + "b", n_tokens=64)
    assert (tokens.tokens, tokens.n_real) == (("a",) * 64, 64)
    assert re.findall(r"[\d,]*\d", *tokens.notes) == ["10,000", "64"]


@pytest.mark.parametrize(
    ("n_tokens", "expected", "n_real"),
    [
        (0, ("a", "b", "c"), 3),
        (1, ("a",), 1),
        (3, ("a", "b", "c"), 3),
        (5, ("a", "b", "c", PADDING_TOKEN, PADDING_TOKEN), 3),
    ],
)
def test_the_sequence_is_cut_or_filled_up(
    n_tokens: int, expected: tuple[str, ...], n_real: int
) -> None:
    tokens = tokenize("a b c", n_tokens=n_tokens)
    assert (tokens.tokens, tokens.n_real) == (expected, n_real)
    assert len(tokens.notes) == (n_tokens not in (0, 3))


def test_a_sentence_that_fits_has_no_note() -> None:
    assert tokenize("The cat sat.") == Tokens(("The", "cat", "sat", "."), 4, ())


def test_pieces_are_cut_at_most_so_many() -> None:
    assert tokenize_at_most("animals", 9, piece=3).tokens == tokenize("animals", piece=3).tokens
    cut = tokenize_at_most("animals", 2, piece=3)
    assert (cut.tokens, cut.n_left_out) == (tokenize("animals", piece=3, n_tokens=2).tokens, 1)


@pytest.mark.parametrize("name", ["piece", "n_tokens"])
def test_a_negative_count_is_refused(name: str) -> None:
    with pytest.raises(SettingsError, match=rf"\b{name}\b.* -1 .*\b0\b"):
        tokenize("a", **{name: -1})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't stop, it's well-known!", ["Don't", "stop", ",", "it's", "well-known", "!"]),
        ("don’t", ["don’t"]),
        ("rock 'n' roll", ["rock", "'", "n", "'", "roll"]),
        ("a - b -c d-", ["a", "-", "b", "-", "c", "d", "-"]),
        ("3.14 C++ a_b", ["3", ".", "14", "C", "+", "+", "a", "_", "b"]),
        ("<script>x</script>", ["<", "script", ">", "x", "<", "/", "script", ">"]),
        (
            "@query &lt; $x$ **b**",
            ["@", "query", "&", "lt", ";", "$", "x", "$", "*", "*", "b", "*", "*"],
        ),
        ("[pad]", ["[", "pad", "]"]),
        ("line\nbreak\ttab\u00a0space\u3000wide", ["line", "break", "tab", "space", "wide"]),
        ("שלום עולם!", ["שלום", "עולם", "!"]),
        ("السَّلامُ عليكم", ["السَّلامُ", "عليكم"]),
        ("नमस्ते दुनिया", ["नमस्ते", "दुनिया"]),
        ("สวัสดี\u200bชาวโลก ครับ", ["สวัสดี", "ชาวโลก", "ครับ"]),
        ("我爱你。", ["我", "爱", "你", "。"]),
        ("東京タワー", ["東", "京", "タ", "ワ", "ー"]),
        ("한국어 좋아요", ["한국어", "좋아요"]),
        ("Ελλάδα Привет", ["Ελλάδα", "Привет"]),
        ("می\u200cخواهم", ["می\u200cخواهم"]),
    ],
)
def test_words_of_many_scripts(text: str, expected: list[str]) -> None:
    assert list(tokenize(text).tokens) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("😀😀", ["😀", "😀"]),
        (f"{FAMILY}x", [FAMILY, "x"]),
        ("👍🏽👍🏿", ["👍🏽", "👍🏿"]),
        ("👩🏽\u200d🚀!", ["👩🏽\u200d🚀", "!"]),
        ("🇩🇪🇫🇷", ["🇩🇪", "🇫🇷"]),
        ("🇩🇪 🇩", ["🇩🇪", "🇩"]),
        ("❤️ 1️⃣", ["❤️", "1️⃣"]),
        (f"{ENGLAND}.", [ENGLAND, "."]),
        ("\U0001fae8!", ["\U0001fae8", "!"]),
    ],
)
def test_an_emoji_is_one_token(text: str, expected: list[str]) -> None:
    assert list(tokenize(text).tokens) == expected


def test_a_flag_is_never_cut() -> None:
    assert pieces("🇩🇪", 1) == ["🇩🇪"]


def test_accents_are_composed() -> None:
    assert tokenize("cafe\u0301").tokens == tokenize("caf\u00e9").tokens == ("caf\u00e9",)
    assert tokenize("x\u0301\u0302 y").tokens == ("x\u0301\u0302", "y")


@pytest.mark.parametrize(
    ("text", "expected", "n_removed"),
    [
        ("a\x00b\x07c", ("abc",), 2),
        ("\u202eevil\u202c x", ("evil", "x"), 2),
        ("\u2066a\u2069\u200e\u200f", ("a",), 4),
        ("\ud800a\udfff", ("a",), 2),
        ("in\u00advisible", ("invisible",), 1),
        ("\ufeffstart", ("start",), 1),
        ("\ufe0f a \u200d b", ("a", "b"), 2),
    ],
)
def test_control_characters_are_removed(
    text: str, expected: tuple[str, ...], n_removed: int
) -> None:
    tokens = tokenize(text)
    assert tokens.tokens == expected
    assert [str(n_removed) in note for note in tokens.notes] == [True]


@pytest.mark.parametrize(
    ("token", "size", "expected"),
    [
        ("attention", 4, ["atte", "##ntio", "##n"]),
        ("attention", 9, ["attention"]),
        ("abc", 1, ["a", "##b", "##c"]),
        ("x\u0301\u0302yz", 1, ["x\u0301\u0302", "##y", "##z"]),
        (FAMILY, 1, [FAMILY]),
        ("👍🏽", 1, ["👍🏽"]),
        ("नमस्ते", 2, ["नम", "##स्ते"]),
    ],
)
def test_pieces_of_a_word(token: str, size: int, expected: list[str]) -> None:
    assert pieces(token, size) == expected


def test_pieces_are_counted_by_the_sequence_length() -> None:
    assert tokenize("attention is", piece=5, n_tokens=2).tokens == ("atten", "##tion")
