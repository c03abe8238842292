"""Heads ranked by what they do, on heads made to follow one rule each; their captions."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import TextError
from attention_lab.heads.habits import HABIT_SHARE
from attention_lab.heads.head_portraits import MEASURES
from attention_lab.trained.attention_maps import AttentionMaps
from attention_lab.trained.head_finder import (
    MIXED_CAPTION,
    TARGET_RULES,
    HeadRanking,
    Targets,
    example_cell,
    has_sink,
    head_captions,
    positions_of_words,
    rank_heads,
    rules_for,
    sink_shares,
    strongest_pair,
    targets_of,
    word_to_word,
)
from attention_lab.trained.head_measures import measure_heads
from attention_lab.trained.language_text import language_run
from tests.lab.refusal import refused
from tests.lab.trained.minilm_maps import attention_of

TOKENS = ("[CLS]", "the", "hall", "##way", "the", "door", "[SEP]")
T = len(TOKENS)


def towards(key: Callable[[int], int]) -> np.ndarray:
    """A head that gives 0.9 to one key of each query, and the rest to all keys alike."""
    head = np.full((T, T), 0.1 / T)
    for query in range(T):
        head[query, key(query) % T] += 0.9
    return head


# One head for each rule, in two layers; (layer, head) of the one that follows it.
DOERS = {
    "previous token": ((0, 0), lambda i: i - 1),
    "next token": ((0, 1), lambda i: i + 1),
    "itself": ((0, 2), lambda i: i),
    "first token": ((1, 0), lambda i: 0),
    "last token": ((1, 1), lambda i: T - 1),
    "repeated words": ((1, 2), lambda i: {1: 4, 4: 1}.get(i, 3)),
}


@pytest.fixture(scope="module")
def maps() -> AttentionMaps:
    """Two layers of three heads, each with one habit."""
    heads = [towards(key) for _, key in DOERS.values()]
    return AttentionMaps.of([np.stack(heads[:3]), np.stack(heads[3:])], TOKENS)


def ranked(head: object, targets: Targets) -> HeadRanking:
    """The ranking of one head."""
    return rank_heads(AttentionMaps.of([[head]]), targets)


@pytest.mark.parametrize("rule", DOERS)
def test_the_head_that_follows_the_rule_is_first(maps: AttentionMaps, rule: str) -> None:
    targets = targets_of(maps, rule)
    assert np.array_equal(targets, TARGET_RULES[rule](TOKENS))
    assert targets[example_cell(targets)]
    ranking = rank_heads(maps, targets)
    layer, head, score = ranking.best(1)[0]
    assert (layer, head) == DOERS[rule][0]
    assert score == pytest.approx(0.9 + 0.1 / T)
    assert ranking.even == pytest.approx(1 / T)
    assert rule in rules_for(maps)


@pytest.mark.parametrize("rule", TARGET_RULES)
def test_the_even_share_leaves_hidden_keys_out(rule: str) -> None:
    causal = np.tril(np.ones((T, T)))
    ranking = ranked(causal / causal.sum(axis=1, keepdims=True), TARGET_RULES[rule](TOKENS))
    assert ranking.scores[0, 0] == pytest.approx(ranking.even)
    assert ranked(np.eye(T), TARGET_RULES["next token"](TOKENS)).even == 0


# The first rows of a head of seven tokens; all other queries read the first one.
@pytest.mark.parametrize(
    ("rows", "targets", "share"),
    [
        ({5: [0.5, 0, 0.2, 0.3, 0, 0, 0]}, word_to_word(TOKENS, 5, 2), 0.5),
        ({5: [0.5, 0, 0.2, 0.3, 0, 0, 0]}, word_to_word(TOKENS, 5, 3), 0.5),
        (
            {2: [0.8, 0, 0, 0, 0, 0.2, 0], 3: [0.4, 0, 0, 0, 0, 0.6, 0]},
            word_to_word(TOKENS, 3, 5),
            0.4,
        ),
        # Rounded shares make no more than 1.
        ({5: [0, 0, 0.5, 0.505, 0, 0, 0]}, word_to_word(TOKENS, 5, 2), 1),
        # Only queries that have a partner count.
        ({}, TARGET_RULES["previous token"](TOKENS), 1 / 6),
    ],
)
def test_pieces_of_words(rows: dict[int, list[float]], targets: Targets, share: float) -> None:
    head = np.eye(T)[np.zeros(T, int)]
    for query, row in rows.items():
        head[query] = row
    assert ranked(head, targets).scores[0, 0] == pytest.approx(share)


def test_queries_that_see_nothing_do_not_count() -> None:
    head = np.array([[0.5, 0.5, 0], [0.2, 0.7, 0.1], [0, 0, 0]])
    maps = AttentionMaps.of([head[np.newaxis]], ("a", "b", "c"))
    measures = {measure.key: measure for measure in MEASURES}
    rules = {"itself": "self", "previous token": "previous", "first token": "first"}
    for rule, key in rules.items():
        ranking = rank_heads(maps, TARGET_RULES[rule](maps.tokens))
        measured = measure_heads(measures[f"{key}_mass"], maps)
        assert ranking.scores == pytest.approx(measured.values)
        assert ranking.even == pytest.approx(measured.even)
    with refused(TextError, "token"):
        rank_heads(maps, word_to_word(maps.tokens, 2, 0))
    with refused(TextError, "rule"):
        rank_heads(maps, TARGET_RULES["repeated words"](maps.tokens))


def test_words_of_several_pieces() -> None:
    assert positions_of_words(TOKENS) == [(0,), (1,), (2, 3), (4,), (5,), (6,)]
    assert positions_of_words(("##a", "b")) == [(0,), (1,)]
    assert positions_of_words((" f", "r", "og", ".", " It")) == [(0, 1, 2), (3,), (4,)]


def test_the_strongest_pair_of_words() -> None:
    shares = np.array([[0.9, 0.05, 0.05], [0.0, 0.6, 0.4], [0.8, 0.1, 0.1]])
    assert strongest_pair(shares, ["[CLS]", "a", "b"]) == (1, 2)
    assert strongest_pair(shares, ["[CLS]", "a", "b"], last=True) == (2, 1)
    assert strongest_pair(shares, ["a", "##b", "c"]) == (2, 0)
    assert strongest_pair(shares, ["[CLS]", "a", "[SEP]"]) == (0, 0)  # one word
    assert strongest_pair(shares) == (0, 0)


def test_keys_of_another_sequence() -> None:
    head = np.array([[0.2, 0.1, 0.3, 0.3, 0.1], [0.4, 0, 0, 0, 0.6], [0, 0, 1, 0, 0]])
    keys = ("a", "b", "c", "##d", "e")
    across = AttentionMaps.of([head[np.newaxis]], ("x", "y", "z"), keys)
    assert rules_for(across) == ("first token", "last token")
    targets = [targets_of(across, rule) for rule in rules_for(across)]
    targets.append(word_to_word(across.tokens, 0, 3, across.memory_tokens))
    shares = [rank_heads(across, one).scores[0, 0] for one in targets]
    assert shares == pytest.approx([0.2, 0.7 / 3, 0.6])


@settings(max_examples=40)
@given(st.lists(st.sampled_from(("a", "b", "ab", "##a", "##b", "##")), max_size=11).map(tuple))
def test_repeated_words_pair_by_pair(tokens: tuple[str, ...]) -> None:
    words = {i: word for word in positions_of_words(tokens) for i in word}
    spelled = {i: "".join(tokens[j].removeprefix("##") for j in word) for i, word in words.items()}
    targets = TARGET_RULES["repeated words"](tokens)
    assert targets.dtype == bool
    assert targets.shape == (len(tokens), len(tokens))
    for query, key in np.ndindex(targets.shape):
        again = spelled[query] == spelled[key] and words[query] != words[key]
        assert targets[query, key] == again


@settings(max_examples=40)
@given(st.lists(st.sampled_from("abc"), max_size=9).map(tuple))
def test_after_the_last_time_is_the_place_behind_the_nearest_earlier_copy(
    tokens: tuple[str, ...],
) -> None:
    targets = TARGET_RULES["after the last time"](tokens)
    for query, key in np.ndindex(targets.shape):
        between = tokens[key:query]
        is_it = 0 < key <= query and tokens[key - 1] == tokens[query] not in between
        assert targets[query, key] == is_it


def test_a_very_long_label_takes_its_room_once() -> None:
    tracemalloc.start()
    try:
        TARGET_RULES["repeated words"](("w" * 10**6, *["x"] * 200))
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


IT_RAN = ("[CLS]", "it", "ran", "home", "[SEP]")
N = len(IT_RAN)


def captioned(*heads: np.ndarray) -> tuple[str, ...]:
    """The captions of one layer of heads."""
    return head_captions(AttentionMaps.of([np.stack(heads)], IT_RAN))[0]


def shifted(offset: int) -> np.ndarray:
    """A head whose tokens read one neighbour, those without it themselves."""
    places = np.clip(np.arange(N) + offset, 0, N - 1)
    return np.eye(N)[places]


def test_each_habit_has_its_name() -> None:
    first, last = (np.eye(N)[np.full(N, place)] for place in (0, N - 1))
    even = np.full((N, N), 1 / N)
    found = captioned(shifted(-1), shifted(1), np.eye(N), first, last, even)
    assert found == ("token before", "token after", "itself", "[CLS]", "[SEP]", MIXED_CAPTION)


@pytest.mark.parametrize(
    ("share", "caption"), [(HABIT_SHARE, "it → home"), (HABIT_SHARE - 0.01, "[CLS]")]
)
def test_a_pair_of_words_comes_before_where_a_head_rests(share: float, caption: str) -> None:
    head = np.eye(N)[np.zeros(N, int)]
    head[1] = [1 - share, 0, 0, share, 0]
    assert captioned(head) == (caption,)


def test_the_trained_head_of_the_animal() -> None:
    text = "The animal did not cross the street because it was too tired"
    captions = head_captions(attention_of(text, 0))
    assert captions[3][1] == "it → animal"
    assert captions[0][2] == "token before"
    assert [len(layer) for layer in captions] == [12] * 6


def test_what_the_start_takes_of_each_head() -> None:
    run = language_run("One day, a little frog was very sad. The")
    maps = AttentionMaps.of_traces(run.traces)
    found, n_tokens = sink_shares(maps), len(run.ids)
    for layer, head in ((4, 0), (2, 1)):
        rows = run.traces[layer].probabilities[0, head]
        total = sum(float(rows[query, 0]) for query in range(1, n_tokens))
        assert found[layer, head] == pytest.approx(total / (n_tokens - 1), rel=1e-12)
    assert has_sink(maps, 4, 0)
    assert not has_sink(maps, 2, 1)
    assert not has_sink(AttentionMaps.of([[[[1.0, 0.0], [0.9, 0.1]]]], ["the", "cat"]), 0, 0)
    assert np.isnan(sink_shares(AttentionMaps.of([[[[1.0]]]]))).all()
