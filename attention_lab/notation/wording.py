"""Sentences about the layer in the symbols and the convention of a text."""

from __future__ import annotations

import re

from attention_core.trace import Trace

from .notation import OURS, WEIGHTS, Notation
from .symbols import Symbol

OTHER_WAY = {"row": "column", "Row": "Column", "column": "row", "Column": "Row"}


def says(trace: Trace, name: str, notation: Notation) -> str:
    """What a step did, in one sentence with the symbols and the convention of a text.

    >>> from attention_core import Projections, attend
    >>> says(attend([[1.0, 2.0]], Projections.weightless(2)), "queries", OURS)
    'Every token asks one question per head: its whole vector multiplied by W_Q.'
    """
    return reworded(trace.sentence(name), notation)


def reworded(sentence: str, notation: Notation) -> str:
    """A sentence of ours with the symbols of a text, turned where its tokens are columns."""
    named = {
        OURS.symbols[name]: name
        for name in ("w_q", "w_k", "w_v", "w_o", "queries", "keys", "values", "scale")
    }

    def written(found: re.Match[str]) -> str:
        sign = Symbol(notation.base(named[found[1]]))
        is_turned = named[found[1]] in WEIGHTS and notation.convention == "column"
        return sign.transposed.plain if is_turned else sign.plain

    return turned(re.sub(r"(?<![\w’'])(W_[QKVO]|[QKVs])(?!\w)", written, sentence), notation)


def turned(words: str, notation: Notation) -> str:
    """Words about matrices where tokens are rows, as they are said where tokens are columns if the
    notation says so.

    The user's own words must not be among them, for they may be “row” and “column”.

    >>> turned("this row, minus its maximum", Notation("x", "X", convention="column"))
    'this column, minus its maximum'
    """
    if notation.convention == "row":
        return words
    words = words.replace("side by side", "one below the other")
    return re.sub(r"\b(?:[Rr]ow|[Cc]olumn)(?=s?\b)", lambda m: OTHER_WAY[m[0]], words)
