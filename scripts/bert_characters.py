"""The role of each character in BERT's uncased tokenisation, from the `tokenizers` library."""

from __future__ import annotations

from collections.abc import Iterable

from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

SURROGATES = range(0xD800, 0xE000)
ALL_OFF = {
    "clean_text": False,
    "handle_chinese_chars": False,
    "strip_accents": False,
    "lowercase": False,
}


def character_roles() -> dict[str, list[tuple[int, int]]]:
    """Each role with its ranges of code points; lone surrogates, which the library cannot process,
    are removed.
    """
    cleaned, stripped, spaced = (
        {c: BertNormalizer(**ALL_OFF | {option: True}).normalize_str(c) for c in every_character()}
        for option in ("clean_text", "strip_accents", "handle_chinese_chars")
    )
    split = BertPreTokenizer().pre_tokenize_str
    return {
        "removed": ranges([*(ord(c) for c, result in cleaned.items() if not result), *SURROGATES]),
        "spaces": ranges(ord(c) for c, result in cleaned.items() if result == " "),
        "accents": ranges(ord(c) for c, result in stripped.items() if not result),
        "ideographs": ranges(ord(c) for c, result in spaced.items() if result == f" {c} "),
        "punctuation": ranges(ord(c) for c in every_character() if len(split(f"a{c}b")) == 3),
    }


def every_character() -> Iterable[str]:
    """Every code point of Unicode except the surrogates."""
    return (chr(code) for code in range(0x110000) if code not in SURROGATES)


def ranges(codes: Iterable[int]) -> list[tuple[int, int]]:
    """Code points as ranges (first, last), in increasing order.

    >>> ranges([7, 1, 2, 3])
    [(1, 3), (7, 7)]
    """
    pairs: list[tuple[int, int]] = []
    for code in sorted(codes):
        if pairs and pairs[-1][1] == code - 1:
            pairs[-1] = (pairs[-1][0], code)
        else:
            pairs.append((code, code))
    return pairs
