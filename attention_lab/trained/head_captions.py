"""What each of many heads does, in a word or two: the token before, [CLS], or one word to another.

A caption depends on the attention of its head alone, on the tokens that are shown.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attention_core.checks import Array
from attention_core.errors import TextError

from ..heads.habits import HABIT_SHARE
from .attention_maps import AttentionMaps
from .head_finder import is_special, rank_heads, rules_for, strongest_pair, targets_of

# A head is named for what has HABIT_SHARE: of its attention, averaged over the queries, or of the
# attention of one query. In this order: a head that reads neighbours is called so even if it joins
# two words strongly. A head that joins two words reads [CLS] or [SEP] with all other queries.
NEIGHBOUR_CAPTIONS = {
    "previous token": "token before",
    "next token": "token after",
    "itself": "itself",
}
MIXED_CAPTION = "mixed"
MAX_CAPTIONED_CELLS = 4_000_000  # they take 0.2 s


def head_captions(maps: AttentionMaps) -> tuple[tuple[str, ...], ...]:
    """A caption for every head, layer by layer; no captions for more than `MAX_CAPTIONED_CELLS`.

    >>> tokens = ["[CLS]", "a", "black", "cat"]
    >>> head_captions(AttentionMaps.of([[[[1.0, 0.0, 0.0, 0.0]] * 4]], tokens))
    (('[CLS]',),)
    """
    if len(maps.layers) * maps.layers[0].size > MAX_CAPTIONED_CELLS:
        return ((),) * len(maps.layers)
    shares_LH = {rule: _shares(maps, rule) for rule in rules_for(maps)}
    return tuple(
        tuple(
            _caption(maps, head_TS, {rule: one[layer, head] for rule, one in shares_LH.items()})
            for head, head_TS in enumerate(heads)
        )
        for layer, heads in enumerate(maps.layers)
    )


def _caption(maps: AttentionMaps, head_TS: Array, shares: dict[str, float]) -> str:
    """The first that is true: neighbours, a pair of words, an end of the sequence, or mixed."""
    if near := _habit(shares, tuple(NEIGHBOUR_CAPTIONS)):
        return NEIGHBOUR_CAPTIONS[near]
    tokens = maps.tokens if maps.tokens == maps.memory_tokens else ()
    query, key = strongest_pair(head_TS, tokens)
    if head_TS[query, key] >= HABIT_SHARE and not is_special(maps.memory_tokens[key]):
        return f"{maps.tokens[query]} → {maps.memory_tokens[key]}"
    ends = {"first token": maps.memory_tokens[0], "last token": maps.memory_tokens[-1]}
    return ends.get(_habit(shares, tuple(ends)), MIXED_CAPTION)


def _habit(shares: dict[str, float], rules: Sequence[str]) -> str:
    """The rule with the largest share, if that is a habit; else ""."""
    habits = [rule for rule in rules if shares.get(rule, 0) >= HABIT_SHARE]
    return max(habits, key=shares.__getitem__, default="")


def _shares(maps: AttentionMaps, rule: str) -> Array:
    """Each head's share on what a rule names; 0 if it names nothing here. Shapes: (L, H)."""
    try:
        return rank_heads(maps, targets_of(maps, rule)).scores
    except TextError:
        return np.zeros((maps.sizes["L"], maps.sizes["H"]))
