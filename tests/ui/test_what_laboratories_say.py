"""Sentences of the diagonal section and of the laboratories, in states in which they would be false."""

from __future__ import annotations

from tests.ui.app import opened, texts


def test_tied_weights_are_a_tendency() -> None:
    """Of the default sentence 8 of 12 tokens look at themselves most with tied weights: nothing says that all do."""
    said = texts(opened("self-attention-mass", lab_weights="tied"))
    assert "**8 of 12 tokens** look at themselves most" in said
    assert "every token prefers itself" not in said


def test_one_token_has_no_pair() -> None:
    """Beside the diagonal of one token there is no cell to click."""
    for page in ("self-attention-mass", "truths"):
        assert "for a pair" not in texts(opened(page, lab_tokens="numbers", lab_numbers="3"))
    assert "for a pair" in texts(opened("truths", lab_tokens="numbers", lab_numbers="3; 4", lab_cell="1-1"))
