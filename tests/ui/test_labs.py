"""The laboratories answer nonsense in the URL with what is shown anyway."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ui.app import opened, scenes


@pytest.mark.parametrize(
    ("page", "url"),
    [
        (
            "convolution",
            {"conv_kernel": "own", "conv_own": "a b c, 1 2 3, 4 5 6", "conv_pixel": "9999999-x"},
        ),
        (
            "convolution",
            {"conv_kernel": "own", "conv_own": "1 2", "conv_image": "drawn", "conv_drawn": "<b>"},
        ),
        ("lexicon", {"lex_cell": "1-2", "lex_words": "<script>:NOUN"}),
        ("lexicon", {"lex_cell": "9-99-99", "lex_words": "horse"}),
        ("training", {"train_without": "-1", "train_at": "900"}),
    ],
)
def test_nonsense_in_the_url(page: str, url: dict[str, Any]) -> None:
    app = opened(page, **url)
    assert not app.exception
    assert not app.error
    assert scenes(app)
