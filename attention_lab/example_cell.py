"""The cell that a page first looks at: a query and a key worth explaining."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from attention_core.checks import Array
from attention_core.trace import Trace

from .by_hand import part_of_speech
from .words.text import PADDING_TOKEN

# Tokens that stand for no word; the trained model adds some of its own.
SPECIAL_TOKENS = (PADDING_TOKEN, "[PAD]", "[CLS]", "[SEP]")


class Cell(NamedTuple):
    """A head, a query, a key and a feature, as the pages look into them."""

    head: int = 0
    query: int = 0
    key: int = 0
    feature: int = 0


def choose_example_cell(trace: Trace, head: int = 0) -> Cell:
    """The first pronoun that stands for a noun, and the key with its largest share; without such a
    pronoun, the query with the largest share of another token.

    A token and itself are chosen only if there is no other pair.

    >>> from attention_lab.scenario import Scenario, trace_of
    >>> choose_example_cell(trace_of(Scenario("we saw the cat", weights="weightless", n_heads=1)))
    Cell(head=0, query=1, key=2, feature=0)
    """
    shares_TS = _shares_of_others(trace, head)
    strongest_T = shares_TS.max(axis=1)
    pronouns = [
        query
        for query, token in enumerate(trace.labels("T"))
        if part_of_speech(token) == ("pronoun",) and strongest_T[query] > 0
    ]
    query = pronouns[0] if pronouns else int(strongest_T.argmax())
    return Cell(head, query, int(shares_TS[query].argmax()))


def _shares_of_others(trace: Trace, head: int) -> Array:
    """The shares of other tokens in a head; −1 for a token itself, and for tokens that stand for no
    word. Shapes: (T, S).
    """
    shares_TS: Array = trace.probabilities[0, head].copy()
    for axis, letter in enumerate("TS"):
        words = np.array([label not in SPECIAL_TOKENS for label in trace.labels(letter)])
        if words.sum() > 1:
            shares_TS[(slice(None),) * axis + (~words,)] = -1
    if shares_TS.shape[1] > 1:
        np.fill_diagonal(shares_TS, -1)
    return shares_TS
