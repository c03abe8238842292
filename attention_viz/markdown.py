"""User text on its way into Markdown."""

import re
from collections.abc import Sequence

from attention_lab.words.text import is_right_to_left

from .pieces import label_of, word_of

ISOLATE, END = "\u2068", "\u2069"
JOINER = "\u2060"  # shows nothing and parts no words
_TURNING = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_ESCAPED = str.maketrans(
    {c: f"\\{c}" for c in r"\`*_{}[]()<>#+-.!|$~:&"} | dict.fromkeys("\n\r", " ")
)
_UNTURNED = str.maketrans("", "", _TURNING)
# Patterns that the browser still replaces after escapes are undone: links, Streamlit's icons, and
# arrows.
_SOUGHT = re.compile(
    r":(?=//|material|streamlit:)|[Ww]{3}(?=\.)|@(?=\w)|(?<!\S)(?:<?->|<-|--|[<>~]=)(?!\S)"
)


def escape_markdown(text: str) -> str:
    """User text for Markdown, with every special character escaped.

    Text from right to left is isolated, so that the words and numbers around it keep their order;
    characters that would still change the order are left out.
    """
    unread = _SOUGHT.sub(
        lambda found: f"{found[0][:1]}{JOINER}{found[0][1:]}", text.translate(_UNTURNED)
    )
    escaped = unread.translate(_ESCAPED)
    if is_right_to_left(text):
        return f"{ISOLATE}{escaped}{END}"
    return escaped


def escape_quotations(words: str) -> str:
    r"""A sentence that quotes the user, for Markdown. Quotations from right to left are isolated.

    >>> escape_quotations("“we” (1), “שלום” (2)") == rf"“we” \(1\), “{ISOLATE}שלום{END}” \(2\)"
    True
    """
    return "".join(map(escape_markdown, re.split("(?<=“)|(?=”)", words)))


def quote_token(tokens: Sequence[str], place: int) -> str:
    """A token in quotation marks, for Markdown; with its word if it is a piece of one, and with its
    place if the same token occurs twice.

    >>> quote_token(["the", "cat", "the"], 1), quote_token(["the", "cat", "the"], 2)
    ('“cat”', '“the” (2)')
    >>> quote_token([" a", " f", "rog"], 1), quote_token([" ", "x"], 1)
    ('“f” of “frog”', '“x”')
    """
    quotation = f"“{escape_markdown(label_of(tokens[place]))}”"
    if list(tokens).count(tokens[place]) > 1:
        quotation += f" ({place})"
    word = word_of(tokens, place)
    is_part = word not in ("", label_of(tokens[place]))
    return f"{quotation} of “{escape_markdown(word)}”" if is_part else quotation
