"""Pieces of words as the board gets them."""

from __future__ import annotations

from collections.abc import Sequence

from attention_lab.words.pieces import bare, continued

__all__ = ["bare", "continued", "named"]


def named(labels: Sequence[str]) -> dict[str, list[str] | list[int]]:
    """The labels of an axis or of a sentence as the board gets them, and the places that continue a
    word, if there are any.
    """
    places = continued(labels)
    return {"labels": [bare(label) for label in labels]} | ({"continued": places} if places else {})
