"""Which head does what: every head ranked by how much of its attention goes where a simple rule
says.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from attention_core.checks import (
    Array,
    as_array,
    as_labels,
    check_choice,
    number_between,
    whole_number,
)
from attention_core.errors import SettingsError, ShapeError, TextError
from attention_core.text import CONTINUATION_MARK

from .attention_maps import AttentionMaps

# Which keys a rule names for each query. Shapes: (T, S) bool.
Targets = Array


@dataclass(frozen=True, eq=False)
class HeadRanking:
    """How much attention every head gives to what a rule names.

    scores: the share, averaged over the queries that see keys and for which the rule names one;
    even: what it would be if every query looked at all keys that it may see alike. Shapes: scores
    (L, H). Units or range: 0 to 1.
    """

    scores: Array
    even: float

    def times_even(self, score: float) -> float:
        """How many times the even share a score is; NaN where no query may see a key that the
        rule names.
        """
        number_between("score", score, 0.0, 1.0)
        return score / self.even if self.even else math.nan

    def best(self, count: int = 5) -> list[tuple[int, int, float]]:
        """(layer, head, score) of the heads that do it most, the best first."""
        whole_number("count", count, 0)
        order = np.argsort(-self.scores, axis=None, kind="stable")[:count]
        places = zip(*np.unravel_index(order, self.scores.shape), strict=True)
        return [(int(layer), int(head), float(self.scores[layer, head])) for layer, head in places]


def rank_heads(maps: AttentionMaps, targets: Targets) -> HeadRanking:
    """Every head's share on the keys that `targets` marks. Shapes: targets (T, S) bool.

    As in all measures of heads, a query that sees no key at all does not count.
    Raises: TextError when none is left, ShapeError when it is about other tokens.
    """
    sizes, targets = maps.sizes, as_array("targets", targets)
    if targets.dtype != np.bool_:
        raise SettingsError(
            f"targets must be bool (True = the rule names the key), but is {targets.dtype}"
        )
    if targets.shape != (sizes["T"], sizes["S"]):
        given, own = targets.shape, (sizes["T"], sizes["S"])
        raise ShapeError(
            f"targets has shape {given}, but the heads have (queries, keys) {own}; use their tokens"
        )
    asked_T = targets.any(axis=1) & maps.seen.any(axis=1)
    if not asked_T.any():
        seeing = " that sees any key" if targets.any() else ""
        raise TextError(
            f"In this sentence no token{seeing} has such a partner; choose another rule or sentence"
        )
    marked_TS = targets[asked_T]
    scores = [
        np.einsum("hts,ts->h", layer[:, asked_T], marked_TS) / len(marked_TS)
        for layer in maps.layers
    ]
    # Rounded shares of a row may add up to slightly more than 1, which AttentionMaps lets pass.
    scores_LH = np.minimum(np.array(scores, dtype=np.float64), 1.0)
    return HeadRanking(scores_LH, _even_share(marked_TS, maps.seen[asked_T]))


def _even_share(marked_TS: Targets, seen_TS: Array) -> float:
    """The mean share of the marked keys if queries looked at all visible keys alike."""
    n_seen_T = np.maximum(seen_TS.sum(axis=1), 1)
    return float(((marked_TS & seen_TS).sum(axis=1) / n_seen_T).mean())


def previous_token(tokens: tuple[str, ...]) -> Targets:
    """Each token's left neighbour."""
    return np.eye(_count(tokens), k=-1, dtype=bool)


def next_token(tokens: tuple[str, ...]) -> Targets:
    """Each token's right neighbour."""
    return np.eye(_count(tokens), k=1, dtype=bool)


def itself(tokens: tuple[str, ...]) -> Targets:
    """The token itself: the diagonal."""
    return np.eye(_count(tokens), dtype=bool)


def first_token(tokens: tuple[str, ...], memory_tokens: tuple[str, ...] | None = None) -> Targets:
    """The first token of the keys' sequence, [CLS] in BERT."""
    sizes = _sizes(tokens, memory_tokens)
    return np.broadcast_to(np.arange(sizes[1]) == 0, sizes)


def last_token(tokens: tuple[str, ...], memory_tokens: tuple[str, ...] | None = None) -> Targets:
    """The last token of the keys' sequence, [SEP] in BERT."""
    sizes = _sizes(tokens, memory_tokens)
    return np.broadcast_to(np.arange(sizes[1]) == sizes[1] - 1, sizes)


def repeated_words(tokens: tuple[str, ...]) -> Targets:
    """The other places where the same word stands; a word of several pieces counts as a whole."""
    numbers: dict[str, int] = {}
    words_T: list[int] = []
    places_T: list[int] = []
    for place, word in enumerate(words(tokens)):
        words_T += [numbers.setdefault(_text(tokens, word), len(numbers))] * len(word)
        places_T += [place] * len(word)
    same_TT, own_TT = (np.equal.outer(of_T, of_T) for of_T in (words_T, places_T))
    targets: Targets = same_TT & ~own_TT
    return targets


RULES: dict[str, Callable[..., Targets]] = {
    "previous token": previous_token,
    "next token": next_token,
    "itself": itself,
    "first token": first_token,
    "last token": last_token,
    "repeated words": repeated_words,
}
# The rules that take memory_tokens: among the tokens of another sequence none is a neighbour,
# itself or a twin.
_ACROSS = ("first token", "last token")


def rules_for(maps: AttentionMaps) -> tuple[str, ...]:
    """The names of the rules that say something of these heads: in cross-attention only a few
    do.
    """
    return tuple(RULES) if maps.tokens == maps.memory_tokens else _ACROSS


def targets_of(maps: AttentionMaps, rule: str) -> Targets:
    """Which keys a rule names for the queries of these heads. Raises: SettingsError for one
    that says nothing.
    """
    if check_choice("rule", rule, rules_for(maps)) in _ACROSS:
        return RULES[rule](maps.tokens, maps.memory_tokens)
    return RULES[rule](maps.tokens)


def _count(tokens: tuple[str, ...], name: str = "tokens") -> int:
    """How many tokens there are. Raises: SettingsError, TextError for what is no list of texts."""
    return len(as_labels(name, tokens))


def _sizes(tokens: tuple[str, ...], memory_tokens: tuple[str, ...] | None) -> tuple[int, int]:
    """How many queries and keys there are; without memory_tokens the keys are the queries'
    tokens.
    """
    n_queries = _count(tokens)
    return n_queries, n_queries if memory_tokens is None else _count(memory_tokens, "memory_tokens")


def word_to_word(
    tokens: tuple[str, ...], query: int, key: int, memory_tokens: tuple[str, ...] | None = None
) -> Targets:
    """From the word at token `query` to the word at token `key`, of memory_tokens in
    cross-attention.

    From several pieces the mean counts, to several pieces their sum. Source: Clark et al. 2019,
    section 4.1.
    """
    targets = np.zeros(_sizes(tokens, memory_tokens), bool)
    read = tokens if memory_tokens is None else memory_tokens
    targets[np.ix_(_word_at(tokens, query), _word_at(read, key))] = True
    return targets


def words(tokens: tuple[str, ...]) -> list[tuple[int, ...]]:
    """The positions of each word's pieces.

    >>> words(("the", "hall", "##way", "."))
    [(0,), (1, 2), (3,)]
    """
    found: list[tuple[int, ...]] = []
    _count(tokens)
    for position, token in enumerate(tokens):
        if found and token.startswith(CONTINUATION_MARK):
            found[-1] += (position,)
        else:
            found.append((position,))
    return found


def word_at(tokens: tuple[str, ...], position: int) -> tuple[str, int]:
    """The word that a token is a piece of, and how many pieces it has. Raises: TextError where
    there is no such token.

    >>> word_at(("the", "hall", "##way", "."), 2), word_at(("the", "cat"), 1)
    (('hallway', 2), ('cat', 1))
    """
    word = _word_at(tokens, position)
    return _text(tokens, word), len(word)


def _text(tokens: tuple[str, ...], word: tuple[int, ...]) -> str:
    return "".join(tokens[place].removeprefix(CONTINUATION_MARK) for place in word)


def _word_at(tokens: tuple[str, ...], position: int) -> tuple[int, ...]:
    for word in words(tokens):
        if whole_number("position", position) in word:
            return word
    raise TextError(f"There is no token {position} among {len(tokens)}; choose another")


def strongest_pair_of_head(maps: AttentionMaps, layer: int, head: int) -> tuple[int, int]:
    """The strongest cell of a head between two different words; special tokens such as [CLS], at
    the ends, are passed over, for many heads with nothing to do look there.
    """
    whole_number("layer", layer, 0, maps.sizes["L"] - 1)
    whole_number("head", head, 0, maps.sizes["H"] - 1)
    labels = maps.tokens if maps.tokens == maps.memory_tokens else ()
    return strongest_pair(maps.layers[layer][head], labels)


def strongest_pair(shares_TS: Array, tokens: Sequence[str] = ()) -> tuple[int, int]:
    """The largest cell between two different words; special tokens among the tokens are passed
    over. tokens: where queries and keys are the same.
    """
    left_TS = shares_TS.copy()
    special = [n for n, token in enumerate(tokens) if token.startswith("[") and token.endswith("]")]
    if len(special) < len(tokens) - 1:
        left_TS[special], left_TS[:, special] = -1, -1
        np.fill_diagonal(left_TS, -1)
    query, key = np.unravel_index(int(left_TS.argmax()), left_TS.shape)
    return int(query), int(key)
