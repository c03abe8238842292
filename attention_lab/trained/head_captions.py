"""What each of many heads does, in a word or two: the token before, [CLS], or one word to another.

Worked out from the head's own attention, on the tokens at hand.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attention_core.checks import Array
from attention_core.errors import TextError

from .attention_maps import AttentionMaps
from .head_finder import RULES, rank_heads, rules_for, strongest_pair, targets_of

# The share of all attention, averaged over the queries, or of one query's, that makes a habit.
HABIT_SHARE = 0.5
# In this order: a head that reads neighbours is one whatever single words it joins, while one that
# joins two words rests on [CLS] or [SEP] for all the others.
NEIGHBOURS = {
    "previous token": "token before",
    "next token": "token after",
    "itself": "itself",
}
RESTS = ("first token", "last token")
MIXED_CAPTION = "mixed"
MAX_CAPTIONED_CELLS = 4_000_000  # of which captions are worked out: 0.2 s


def head_captions(maps: AttentionMaps) -> tuple[tuple[str, ...], ...]:
    """A caption for every head, layer by layer; none where there are very many numbers.

    >>> tokens = ["[CLS]", "a", "black", "cat"]
    >>> head_captions(AttentionMaps.of([[[[1.0, 0.0, 0.0, 0.0]] * 4]], tokens))
    (('[CLS]',),)
    """
    if len(maps.layers) * maps.layers[0].size > MAX_CAPTIONED_CELLS:
        return ((),) * len(maps.layers)
    known = {rule: _shares(maps, rule) for rule in RULES if rule in rules_for(maps)}
    rests = {"first token": maps.memory_tokens[0], "last token": maps.memory_tokens[-1]}
    names = NEIGHBOURS | rests
    captions = []
    for layer, heads in enumerate(maps.layers):
        shares = [
            {rule: float(known[rule][layer, head]) for rule in known} for head in range(len(heads))
        ]
        captions.append(
            tuple(_caption(maps, heads[head], share, names) for head, share in enumerate(shares))
        )
    return tuple(captions)


def _caption(
    maps: AttentionMaps, head_TS: Array, shares: dict[str, float], names: dict[str, str]
) -> str:
    """The first that is true: neighbours, a pair of words, a place to rest, or none of these."""
    if near := _most(shares, tuple(NEIGHBOURS)):
        return names[near]
    own = maps.tokens if maps.tokens == maps.memory_tokens else ()
    query, key = strongest_pair(head_TS, own)
    if float(head_TS[query, key]) >= HABIT_SHARE and not _is_special(maps.memory_tokens[key]):
        return f"{maps.tokens[query]} → {maps.memory_tokens[key]}"
    rest = _most(shares, RESTS)
    return names[rest] if rest else MIXED_CAPTION


def _most(shares: dict[str, float], rules: Sequence[str]) -> str | None:
    best = max((rule for rule in rules if rule in shares), key=shares.__getitem__, default=None)
    return best if best and shares[best] >= HABIT_SHARE else None


def _shares(maps: AttentionMaps, rule: str) -> Array:
    """Each head's share on what a rule names; 0 where it names nothing here. Shapes: (L, H)."""
    try:
        return rank_heads(maps, targets_of(maps, rule)).scores
    except TextError:
        return np.zeros((maps.sizes["L"], maps.sizes["H"]))


def _is_special(token: str) -> bool:
    return token.startswith("[") and token.endswith("]")
