"""How many there are of what a page counts, in the smallest layer as in the usual one."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ui.app import facts, opened, page_context

ONE = {"text": "a", "d_model": 1, "n_heads": 1}
PAIR = {"text": "a b", "mask": "causal"}


@pytest.mark.parametrize(
    ("choices", "sizes"),
    [(ONE, {"T": 1, "D": 1, "H": 1, "K": 1}), ({}, {"T": 12, "D": 16, "H": 4, "K": 4})],
)
def test_the_overview_counts_the_layer(choices: dict[str, Any], sizes: dict[str, int]) -> None:
    app = opened("overview", **choices)
    assert facts(app)["sizes"] == page_context(app).trace.sizes
    assert sizes.items() <= facts(app)["sizes"].items()
    assert facts(app)["hidden_cells"] == 0


@pytest.mark.parametrize(
    ("page", "choices", "name", "count"),
    [
        ("overview", PAIR, "hidden_cells", 1),
        ("overview", {"mask": "causal"}, "hidden_cells", 12 * 11 // 2),
        ("tokens", {}, "longest_piece", 0),
        ("tokens", {"piece": 1}, "longest_piece", 1),
        ("scale", ONE, "d_k", 1),
        ("mask", {"mask": "window", "window": 0}, "keys_seen", 1),
        ("mask", {"mask": "window", "window": 1}, "keys_seen", 2),
        ("mask", {"mask": "window", "window": 2, "query": 5}, "keys_seen", 5),
        ("mask", {"mask": "window", "window": 2}, "window", 2),
        ("mask", {"mask": "causal", "query": 3}, "keys_seen", 4),
        ("mask", {"mask": "none"}, "keys_seen", 12),
        ("mask", {}, "keys_seen", 1),
        ("softmax", PAIR, "masked_keys", 1),
        ("softmax", {"mask": "causal"}, "masked_keys", 11),
        ("softmax", {}, "masked_keys", 0),
    ],
)
def test_a_page_counts(page: str, choices: dict[str, Any], name: str, count: int) -> None:
    assert facts(opened(page, **choices))[name] == count


@pytest.mark.parametrize(
    ("text", "n_tokens", "n_pads"), [("a", 4, 1), ("a", 5, 2), ("tea and cake", 5, 0)]
)
def test_what_fills_a_trained_sequence_up(text: str, n_tokens: int, n_pads: int) -> None:
    app = opened("tokens", weights="trained", text=text, n_tokens=n_tokens)
    assert page_context(app).trace.tokens.count("[PAD]") == n_pads
    assert facts(app)["trained"] is True
