"""Which head does what: every head ranked by how much of its attention follows a simple rule.

And what each of many heads does, in a word or two: the token before, [CLS], or one word to another.
A caption depends on the attention of its head alone, on the tokens that are shown.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np

from attention_core.checks import Array, as_array, as_labels
from attention_core.errors import SettingsError, ShapeError, TextError

from ..heads.habits import HABIT_SHARE
from ..words.pieces import bare, continued, readable
from ..words.text import CONTINUATION_MARK
from .attention_maps import AttentionMaps
from .head_measures import MeasuredHeads

# Which keys a rule names for each query. Shapes: (T, S) bool.
Targets = Array


@dataclass(frozen=True, eq=False)
class HeadRanking:
    """How much attention every head gives to the keys that a rule names.

    scores: the share, averaged over the queries that see keys and for which the rule names one.
    even: the same for a head that reads all keys it may see equally. Shapes: scores (L, H). Units
    or range: 0 to 1.
    """

    scores: Array
    even: float

    @property
    def measured(self) -> MeasuredHeads:
        """The same as a measure of all heads."""
        return MeasuredHeads(self.scores, np.full(len(self.scores), self.even))

    def best(self, count: int = 5) -> list[tuple[int, int, float]]:
        """Layer, head and score of the heads with the highest scores, the highest first."""
        return self.measured.best(count)


def rank_heads(maps: AttentionMaps, targets: Targets) -> HeadRanking:
    """How much attention every head gives to the keys that `targets` marks: the share, averaged
    over the queries that see keys and for which a key is marked.

    Shapes: targets (T, S) bool. Units or range: 0 to 1.

    As in all measures of heads, a query that sees no key does not count. Raises: SettingsError when
    targets are not bool; ShapeError when they are for other tokens; TextError when no query is
    left.
    """
    sizes, targets = maps.sizes, as_array("targets", targets)
    if targets.dtype != np.bool_:
        raise SettingsError(
            f"targets must be bool (True = the rule names the key), but is {targets.dtype}"
        )
    if targets.shape != (sizes["T"], sizes["S"]):
        raise ShapeError(
            f"targets has shape {targets.shape}, but the heads have (queries, keys)"
            f" {(sizes['T'], sizes['S'])}; use their tokens"
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
    # The rounded shares of a row may have a sum slightly above 1, which AttentionMaps accepts.
    scores_LH = np.minimum(np.array(scores, dtype=np.float64), 1.0)
    even = _even_share(marked_TS, maps.seen[asked_T])
    return HeadRanking(scores_LH, even)


def sink_shares(maps: AttentionMaps) -> Array:
    """The share that the first token takes of each head, as a mean over the later queries that see
    keys; NaN without one. Where it takes more than any other it is an attention sink. Shapes:
    (L, H). Units or range: 0 to 1. Source: Xiao et al. 2024, section 3.1.

    >>> maps = AttentionMaps.of([[[[1.0, 0.0, 0.0], [0.6, 0.4, 0.0], [0.8, 0.1, 0.1]]]])
    >>> sink_shares(maps).round(3).tolist()
    [[0.7]]
    """
    asked = np.flatnonzero(maps.seen.any(axis=1))
    later = asked[asked > 0]
    if not later.size:
        return np.full((maps.sizes["L"], maps.sizes["H"]), np.nan)
    return np.array([layer[:, later, 0].mean(axis=1) for layer in maps.layers], np.float64)


def has_sink(maps: AttentionMaps, layer: int, head: int) -> bool:
    """Whether the first token is one of the model's own, such as the start, and takes more of a
    head than any other key, as a mean over the later queries.
    """
    means_S = maps.layers[layer][head][1:].mean(axis=0) if maps.sizes["T"] > 1 else np.zeros(1)
    return is_special(maps.memory_tokens[0]) and bool(means_S[0] > means_S[1:].max(initial=0.0))


def _even_share(marked_TS: Targets, seen_TS: Array) -> float:
    """The mean share of the marked keys if queries read all keys they may see equally."""
    n_seen_T = np.maximum(seen_TS.sum(axis=1), 1)
    return float(((marked_TS & seen_TS).sum(axis=1) / n_seen_T).mean())


def previous_token(tokens: Sequence[str]) -> Targets:
    """Each token's left neighbour. Shapes: (T, T) bool.

    Raises: SettingsError for no list; TextError for no texts.
    """
    return neighbour(as_labels("tokens", tokens), -1)


def neighbour(tokens: Sequence[str], offset: int) -> Targets:
    """The token so many places to the right; 0 is the token itself."""
    return np.eye(len(tokens), k=offset, dtype=bool)


def end_token(
    tokens: tuple[str, ...], memory_tokens: tuple[str, ...] | None = None, place: int = 0
) -> Targets:
    """The first or the last token of the keys' sequence, which has at least one; in BERT [CLS] and
    [SEP]. place: 0 or -1.
    """
    targets = np.zeros((len(tokens), len(memory_tokens or tokens)), bool)
    targets[:, place] = True
    return targets


def repeated_words(tokens: tuple[str, ...]) -> Targets:
    """The other places of the same word. A word of several pieces counts as a whole."""
    words = positions_of_words(tokens)
    sizes = [len(word) for word in words]
    # NumPy would make room for the longest label in the place of each.
    numbers: dict[str, int] = {}
    spellings = [numbers.setdefault(_spelling(tokens, word), len(numbers)) for word in words]
    spelling_T, word_T = np.repeat(spellings, sizes), np.repeat(np.arange(len(words)), sizes)
    targets: Targets = np.equal.outer(spelling_T, spelling_T) & ~np.equal.outer(word_T, word_T)
    return targets


def after_last_time(tokens: Sequence[str]) -> Targets:
    """The token that came after this one the last time that it stood before: what an induction head
    reads. Source: Olsson et al. 2022, "Prefix matching".

    >>> np.argwhere(after_last_time(["a", "b", "a", "b", "a"])).tolist()
    [[2, 1], [3, 2], [4, 3]]
    """
    targets = np.zeros((len(tokens), len(tokens)), bool)
    last: dict[str, int] = {}
    for place, token in enumerate(tokens):
        if token in last:
            targets[place, last[token] + 1] = True
        last[token] = place
    return targets


TARGET_RULES: dict[str, Callable[..., Targets]] = {
    "previous token": previous_token,
    "next token": partial(neighbour, offset=1),
    "itself": partial(neighbour, offset=0),
    "first token": end_token,
    "last token": partial(end_token, place=-1),
    "repeated words": repeated_words,
    "after the last time": after_last_time,
}
# The rules that take memory_tokens. In another sequence a token has no neighbour and no copy.
CROSS_ATTENTION_RULES = ("first token", "last token")


def rules_for(maps: AttentionMaps) -> tuple[str, ...]:
    """The names of the rules that apply to these heads; in cross-attention only a few do."""
    return tuple(TARGET_RULES) if maps.tokens == maps.memory_tokens else CROSS_ATTENTION_RULES


def targets_of(maps: AttentionMaps, rule: str) -> Targets:
    """Which keys a rule names for the queries of these heads. rule: one of `rules_for`."""
    is_across = rule in CROSS_ATTENTION_RULES
    return TARGET_RULES[rule](maps.tokens, *([maps.memory_tokens] if is_across else []))


def example_cell(targets: Targets) -> tuple[int, int]:
    """A query and a key that a rule names for it: the second query that has one, if there are two.

    >>> example_cell(previous_token(["a", "b", "c"]))
    (2, 1)
    """
    queries = np.flatnonzero(targets.any(axis=1))[:2]
    query = int(queries.max(initial=0))
    return query, int(targets[query].argmax())


def word_to_word(
    tokens: tuple[str, ...], query: int, key: int, memory_tokens: tuple[str, ...] | None = None
) -> Targets:
    """From the word at token `query` to the word at token `key`, of memory_tokens in
    cross-attention.

    A query of several pieces has their mean, a key of several pieces their sum. Source: Clark et
    al. 2019, section 4.1.
    """
    keys = memory_tokens or tokens
    targets = np.zeros((len(tokens), len(keys)), bool)
    targets[np.ix_(_word_with(tokens, query), _word_with(keys, key))] = True
    return targets


def positions_of_words(tokens: Sequence[str]) -> list[tuple[int, ...]]:
    """The positions of each word's pieces. A punctuation mark is a word of its own.

    >>> positions_of_words(("the", "hall", "##way", ".")), positions_of_words((" f", "rog", "."))
    ([(0,), (1, 2), (3,)], [(0, 1), (2,)])
    """
    words: list[tuple[int, ...]] = []
    later = set(continued(tokens))
    for position, token in enumerate(tokens):
        if words and position in later and any(map(str.isalnum, token)):
            words[-1] += (position,)
        else:
            words.append((position,))
    return words


def word_at(tokens: tuple[str, ...], position: int) -> tuple[str, int]:
    """The word that a token is a piece of, and its number of pieces.

    >>> word_at(("the", "hall", "##way", "."), 2), word_at(("the", "cat"), 1)
    (('hallway', 2), ('cat', 1))
    """
    word = _word_with(tokens, position)
    return readable(*(tokens[place] for place in word)), len(word)


@lru_cache(maxsize=8)
def _word_of(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """The word of which each token is a piece."""
    words = positions_of_words(tokens)
    return tuple(readable(*(tokens[place] for place in word)) for word in words for _ in word)


def word_share(tokens: Sequence[str], row_S: Array, key: int) -> tuple[str, list[float]]:
    """The word that a key is a piece of, and what a query gives to each of its pieces; the share of
    the word is their sum. Shapes: row (S,). Units or range: 0 to 1.

    >>> word_share([" a", " f", "rog"], np.array([0.5, 0.375, 0.125]), 2)
    ('frog', [0.375, 0.125])
    """
    word = _word_with(tuple(tokens), key)
    return readable(*(tokens[place] for place in word)), [float(row_S[place]) for place in word]


def _spelling(tokens: tuple[str, ...], word: tuple[int, ...]) -> str:
    return bare("".join(tokens[position].removeprefix(CONTINUATION_MARK) for position in word))


def _word_with(tokens: tuple[str, ...], position: int) -> tuple[int, ...]:
    return next(word for word in positions_of_words(tokens) if position in word)


def is_special(token: str) -> bool:
    """Whether a token is one of the model's own, such as [CLS] or the start <s>.

    >>> is_special("[CLS]"), is_special("<s>"), is_special("cat")
    (True, True, False)
    """
    return (token[:1], token[-1:]) in (("[", "]"), ("<", ">"))


def strongest_pair(
    shares_TS: Array, tokens: Sequence[str] = (), last: bool = False
) -> tuple[int, int]:
    """The query and the key of the strongest cell between two different words.

    Special tokens such as [CLS] do not count, because many heads with nothing to do read them.
    tokens: given if queries and keys are the same tokens; without them all cells count. last: only
    the last query counts.
    """
    left_TS = shares_TS.copy()
    words = positions_of_words(tokens)
    special = [n for n, token in enumerate(tokens) if is_special(token)]
    if len(words) - len(special) > 1:
        for word in map(list, words):
            left_TS[np.ix_(word, word)] = -1
        left_TS[special], left_TS[:, special] = -1, -1
    first = len(left_TS) - 1 if last else 0
    query, key = np.unravel_index(int(left_TS[first:].argmax()), left_TS[first:].shape)
    return first + int(query), int(key)


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

    def caption(layer: int, head: int) -> str:
        shares = {rule: one[layer, head] for rule, one in shares_LH.items()}
        return _caption(maps, maps.layers[layer][head], shares)

    heads = range(maps.sizes["H"])
    return tuple(tuple(caption(layer, head) for head in heads) for layer in range(len(maps.layers)))


def _caption(maps: AttentionMaps, head_TS: Array, shares: dict[str, float]) -> str:
    """The first that is true: neighbours, a pair of words, an end of the sequence, or mixed."""
    if near := _habit(shares, tuple(NEIGHBOUR_CAPTIONS)):
        return NEIGHBOUR_CAPTIONS[near]
    tokens = maps.tokens if maps.tokens == maps.memory_tokens else ()
    query, key = strongest_pair(head_TS, tokens)
    if head_TS[query, key] >= HABIT_SHARE and not is_special(maps.memory_tokens[key]):
        return f"{_word_of(maps.tokens)[query]} → {_word_of(maps.memory_tokens)[key]}"
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
