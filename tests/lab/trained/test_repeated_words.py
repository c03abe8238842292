"""The rule of the head finder for repeated words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import TextError
from attention_lab.trained.attention_maps import AttentionMaps
from attention_lab.trained.head_finder import TARGET_RULES, positions_of_words, rank_heads
from tests.lab.refusal import refused


@given(st.lists(st.sampled_from(("a", "b", "ab", "##a", "##b", "##")), max_size=11).map(tuple))
def test_repeated_words_pair_by_pair(tokens: tuple[str, ...]) -> None:
    spelled = {
        i: "".join(tokens[j].removeprefix("##") for j in word)
        for word in positions_of_words(tokens)
        for i in word
    }
    place = {i: word for word in positions_of_words(tokens) for i in word}
    targets = TARGET_RULES["repeated words"](tokens)
    assert targets.dtype == bool
    assert targets.shape == (len(tokens), len(tokens))
    for query in range(len(tokens)):
        for key in range(len(tokens)):
            assert targets[query, key] == (
                spelled[query] == spelled[key] and place[query] != place[key]
            )


def test_repeated_words_take_one_comparison(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(np, "ix_")
    assert TARGET_RULES["repeated words"](("a",) * 500).sum() == 500 * 499


def test_no_repeated_word() -> None:
    alike = AttentionMaps.of([np.full((1, 2, 2), 0.5)], ("a", "b"))
    with refused(TextError, "rule"):
        rank_heads(alike, TARGET_RULES["repeated words"](("a", "b")))
