"""Captions of trained heads say what their own attention does."""

from __future__ import annotations

import numpy as np
import pytest

from attention_lab.heads.habits import HABIT_SHARE
from attention_lab.trained.attention_maps import AttentionMaps
from attention_lab.trained.encoded_text import attention_of
from attention_lab.trained.head_finder import MIXED_CAPTION, head_captions

TOKENS = ("[CLS]", "it", "ran", "home", "[SEP]")
N = len(TOKENS)


def captioned(*heads: np.ndarray) -> tuple[str, ...]:
    """The captions of one layer of heads."""
    return head_captions(AttentionMaps.of([np.stack(heads)], TOKENS))[0]


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
