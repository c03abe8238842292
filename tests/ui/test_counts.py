"""What there is one of, or none, is said in the singular, or without a number."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ui.app import opened, texts

ONE = {"text": "a", "d_model": 1, "n_heads": 1}


@pytest.mark.parametrize(
    ("page", "choices", "said"),
    [
        ("overview", ONE, "Here 1 token becomes 1 row of 1 number."),
        ("overview", ONE, "1 head has all their columns: of each query, one head gets 1 number."),
        ("overview", {}, "Here 12 tokens become 12 rows of 16 numbers."),
        ("overview", {}, "4 heads share their columns: of each query, one head gets 4 numbers."),
        ("tokens", {"piece": 1}, "pieces of at most 1 character."),
        ("scale", ONE, "a sum of dₖ = 1 product."),
        (
            "mask",
            {"mask": "window", "window": 0},
            "A window of 0 hides every key but a token’s own.",
        ),
        ("mask", {"mask": "window", "window": 1}, "every key more than 1 place away."),
        ("mask", {"mask": "window", "window": 2}, "every key more than 2 places away."),
        (
            "softmax",
            {"text": "a b", "mask": "causal"},
            " 1 masked key enters as −∞, whose exponential is exactly 0.",
        ),
        (
            "softmax",
            {"mask": "causal"},
            " 11 masked keys enter as −∞, whose exponential is exactly 0.",
        ),
        (
            "mask-workshop",
            {"mw_second": "", "mw_third": "", "n_tokens": 1},
            "A batch of 1 sequence, 1 token long: ",
        ),
        (
            "mask-workshop",
            {},
            "A batch of 3 sequences, each 12 tokens long: the scores are 3 × 4 × 12 × 12.",
        ),
        ("mask-workshop", {"n_tokens": 1}, "Painted: 0 of 1 cell."),
        ("self-attention-mass", {"text": "a"}, "**1 of 1 token** looks at itself most;"),
        ("self-attention-mass", {}, " tokens** look at themselves most;"),
        ("trained-heads", {"n_tokens": 3}, "the first of the text is used"),
        (
            "tokens",
            {"weights": "trained", "text": "a", "n_tokens": 4},
            "there are 3 tokens; 1 [PAD] fills up to 4.",
        ),
        (
            "tokens",
            {"weights": "trained", "text": "a", "n_tokens": 5},
            "there are 3 tokens; 2 [PAD] fill up to 5.",
        ),
    ],
)
def test_a_count_of_one_is_singular(page: str, choices: dict[str, Any], said: str) -> None:
    """Nouns and verbs agree with their numbers, in the smallest layer as in the usual one."""
    assert said in texts(opened(page, **choices)).replace("\\", "")


def test_counts_say_whose_letters_they_have() -> None:
    """Beside boards of another text the letters of the counts would be taken for that text's."""
    own = "Counts have our own letters: n = 12 tokens"
    for page in ("shared-keys", "one-matrix-or-many"):
        assert own in texts(opened(page, notation="gml"))
        assert own not in texts(opened(page))
    assert "C = 16 features, h = 4 heads" in texts(opened("shared-keys"))
