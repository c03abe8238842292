"""A sentence becomes tokens: words, single punctuation marks, single emoji; in any script.

How unusual input is read; `Tokens.notes` says what was changed:

* white space separates tokens; the text is brought to Unicode's composed form (NFC);
* control characters, direction marks, lone surrogates, unassigned code points and invisible
  characters are removed;
* an apostrophe or hyphen between letters belongs to the word (don't, well-known);
* Chinese and Japanese characters are one token each, because they are written without spaces;
* an emoji with its modifiers (skin tone, joined family, flag) is one token;
* a text without any token, or longer than `MAX_CHARACTERS`, is an error.
"""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from attention_core.checks import check_text, whole_number
from attention_core.errors import TextError
from attention_core.numbers import check_room

from ..files.file_checks import check_length

MAX_CHARACTERS = 20_000
PADDING_TOKEN = "[pad]"
CONTINUATION_MARK = "##"

_JOINERS = "\u200c\u200d"
_INSIDE_WORDS = "'’-"
_ONE_BY_ONE = (
    (0x3040, 0x30FF),  # hiragana, katakana
    # Chinese characters
    *((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3134F)),
)


@dataclass(frozen=True)
class Tokens:
    """The tokens of a sequence, how many of them are real (the rest is padding), and what was done
    to the text.

    n_left_out: how many tokens of the text have no place in the sequence.
    """

    tokens: tuple[str, ...]
    n_real: int
    notes: tuple[str, ...] = ()
    n_left_out: int = 0


def tokenize(text: str, *, piece: int = 0, n_tokens: int = 0) -> Tokens:
    """Cut a text into tokens, then cut or pad the sequence to n_tokens (0: as long as the text).

    piece: 0 keeps words whole; n cuts them into pieces of at most n characters, the later ones
    marked "##".
    Raises: TextError, SettingsError.

    >>> tokenize("Don't panic!", piece=4, n_tokens=6).tokens
    ("Don'", '##t', 'pani', '##c', '!', '[pad]')
    """
    check_text("text", text)
    whole_number("piece", piece, 0)
    check_room(n_tokens=whole_number("n_tokens", n_tokens, 0))
    check_length(text, MAX_CHARACTERS)
    tokens, n_removed = _words(unicodedata.normalize("NFC", text))
    if not tokens:
        raise TextError(
            "The text holds no word, so there is nothing to attend to: type at least one"
        )
    if piece:
        tokens = [part for token in tokens for part in pieces(token, piece)]
    n_real = min(len(tokens), n_tokens or len(tokens))
    n_padding = max(0, n_tokens - n_real)
    notes = tuple(_notes(n_removed, len(tokens), n_real, n_padding))
    padded = tuple(tokens[:n_real]) + (PADDING_TOKEN,) * n_padding
    return Tokens(padded, n_real, notes, len(tokens) - n_real)


def _notes(n_removed: int, n_found: int, n_real: int, n_padding: int) -> Iterator[str]:
    """What was done to a text, one sentence for each thing."""
    if n_removed:
        yield f"Control or invisible characters removed from the sentence: {n_removed}."
    if n_real < n_found:
        yield f"Tokens in the sentence: {n_found:,}. Used from its start: {n_real}."
    if n_padding:
        yield (
            f"Tokens in the sentence: {n_real}. {PADDING_TOKEN} added after it: {n_padding}, so the"
            f" length is {n_real + n_padding}."
        )


def tokenize_at_most(text: str, most: int, *, piece: int = 0) -> Tokens:
    """Cut a text into tokens and the sequence to its first `most`; a shorter one stays as it is.

    Raises: TextError, SettingsError.

    >>> cut = tokenize_at_most("we like tea", 2)
    >>> cut.tokens, cut.notes, cut.n_left_out
    (('we', 'like'), ('Tokens in the sentence: 3. Used from its start: 2.',), 1)
    """
    whole = tokenize(text, piece=piece)
    return whole if len(whole.tokens) <= most else tokenize(text, piece=piece, n_tokens=most)


def is_right_to_left(text: str) -> bool:
    """Whether a text has letters of a script that is written from right to left.

    >>> is_right_to_left("hello"), is_right_to_left("שלום")
    (False, True)
    """
    return not text.isascii() and any(unicodedata.bidirectional(s) in ("R", "AL") for s in text)


def pieces(token: str, size: int) -> list[str]:
    """A token in parts of `size` visible characters; an accent or emoji modifier stays with its
    character.

    >>> pieces("attention", 4)
    ['atte', '##ntio', '##n']
    """
    clusters: list[str] = []
    for character in token:
        kind, before = _kind(character), clusters[-1] if clusters else ""
        flag = kind == "flag" and len(before) == 1 and _kind(before) == "flag"
        if before and (kind == "mark" or flag or before[-1] in _JOINERS):
            clusters[-1] += character
        else:
            clusters.append(character)
    parts = ["".join(clusters[i : i + size]) for i in range(0, len(clusters), size)]
    return parts[:1] + [CONTINUATION_MARK + part for part in parts[1:]]


def _words(text: str) -> tuple[list[str], int]:
    """The tokens of a text, and how many characters were removed from it."""
    tokens: list[str] = []
    n_removed = 0
    previous = "space"
    for position, character in enumerate(text):
        kind = _kind(character)
        if kind == "removed" or (previous == "space" and _is_invisible(character)):
            n_removed += 1
            continue
        following = text[position + 1 : position + 2]
        if character in _INSIDE_WORDS and previous == "word" and _kind(following) == "word":
            kind = "word"
        if previous != "space" and _belongs(kind, previous, tokens[-1]):
            tokens[-1] += character
            previous = previous if kind == "mark" else kind
        elif kind != "space":
            tokens.append(character)
            previous = kind
        else:
            previous = "space"
    return tokens, n_removed


def _belongs(kind: str, previous: str, token: str) -> bool:
    """Whether a character continues the token before it."""
    if kind == "mark":
        return True
    if kind == "flag" and previous == "flag":
        return len(token) == 1
    if kind == "symbol" and previous == "symbol":
        return token[-1] == _JOINERS[1]
    return kind == previous == "word"


def _is_invisible(character: str) -> bool:
    """Whether a character shows nothing alone: joiners, variation selectors and tags change the
    one before them.
    """
    code = ord(character)
    return character in _JOINERS or 0xFE00 <= code <= 0xFE0F or 0xE0020 <= code <= 0xE007F


def _kind(character: str) -> str:
    """What a character does in a text: word, symbol, one (stands alone), mark, flag, space or
    removed.
    """
    # The zero-width space parts words in Thai.
    if not character or character.isspace() or character == "\u200b":
        return "space"
    code, category = ord(character), unicodedata.category(character)
    if _is_invisible(character) or category[0] == "M" or 0x1F3FB <= code <= 0x1F3FF:
        return "mark"
    if category == "Cn" and 0x1F000 <= code <= 0x1FAFF:  # an emoji younger than Python's tables
        return "symbol"
    if category[0] == "C":
        return "removed"
    if 0x1F1E6 <= code <= 0x1F1FF:
        return "flag"
    if category[0] in "LN":
        return "one" if any(low <= code <= high for low, high in _ONE_BY_ONE) else "word"
    return "symbol"
