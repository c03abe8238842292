"""How a sentence becomes tokens, in any script and with anything a keyboard or clipboard can
produce.
"""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from attention_core import SettingsError, TextError
from attention_lab.words.text import (
    CONTINUATION_MARK,
    MAX_CHARACTERS,
    PADDING_TOKEN,
    pieces,
    tokenize,
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


def test_the_sequence_is_cut_or_filled_up() -> None:
    for n_tokens, kept_words in ((0, "abc"), (1, "a"), (3, "abc"), (5, "abc")):
        tokens = tokenize("a b c", n_tokens=n_tokens)
        assert tokens.tokens == (*kept_words, *[PADDING_TOKEN] * (n_tokens - 3))
        assert tokens.n_real == len(kept_words)
        assert len(tokens.notes) == (n_tokens not in (0, 3))


@pytest.mark.parametrize("name", ["piece", "n_tokens"])
def test_a_negative_count_is_refused(name: str) -> None:
    with pytest.raises(SettingsError, match=rf"\b{name}\b.* -1 .*\b0\b"):
        tokenize("a", **{name: -1})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't stop, it's well-known!", "Don't stop , it's well-known !"),
        ("don’t", "don’t"),
        ("rock 'n' roll", "rock ' n ' roll"),
        ("a - b -c d-", "a - b - c d -"),
        ("3.14 C++ a_b", "3 . 14 C + + a _ b"),
        ("<script>x</script>", "< script > x < / script >"),
        ("@query &lt; $x$ **b**", "@ query & lt ; $ x $ * * b * *"),
        ("[pad]", "[ pad ]"),
        ("line\nbreak\ttab\u00a0space\u3000wide", "line break tab space wide"),
        ("שלום עולם!", "שלום עולם !"),
        ("السَّلامُ عليكم", "السَّلامُ عليكم"),
        ("नमस्ते दुनिया", "नमस्ते दुनिया"),
        ("สวัสดี\u200bชาวโลก ครับ", "สวัสดี ชาวโลก ครับ"),
        ("我爱你。", "我 爱 你 。"),
        ("東京タワー", "東 京 タ ワ ー"),
        ("한국어 좋아요", "한국어 좋아요"),
        ("Ελλάδα Привет", "Ελλάδα Привет"),
        ("می\u200cخواهم", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"),
    ],
)
def test_words_of_many_scripts(text: str, expected: str) -> None:
    assert " ".join(tokenize(text).tokens) == expected


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
def test_control_signs_are_removed(text: str, expected: tuple[str, ...], n_removed: int) -> None:
    tokens = tokenize(text)
    assert tokens.tokens == expected
    assert [str(n_removed) in note for note in tokens.notes] == [True]


@pytest.mark.parametrize(
    ("token", "size", "expected"),
    [
        ("🇩🇪", 1, ["🇩🇪"]),
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


# Every code point, lone surrogates included, and more of the awkward ones than chance would bring.
AWKWARD = st.sampled_from(
    "\u200b\u200d\u202e\u0301\ufe0f\u20e3\ud800\U0001f1e9\U0001f3fd\U0001f468'’-\x00\x1f\x85\u00ad"
)
# What only changes the character before it: joiners, variation selectors, tags.
CHANGERS = {*"\u200c\u200d", *map(chr, range(0xFE00, 0xFE10)), *map(chr, range(0xE0020, 0xE0080))}
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


@given(TEXTS.filter(kept), st.integers(1, 7))
def test_pieces_put_together_are_the_word(text: str, size: int) -> None:
    for token in tokenize(text).tokens:
        first, *rest = pieces(token, size)
        assert all(part.startswith(CONTINUATION_MARK) for part in rest)
        assert first + "".join(part.removeprefix(CONTINUATION_MARK) for part in rest) == token
