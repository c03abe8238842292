"""What learners ask stands on the page concerned, with the numbers of the layer that is shown."""

from __future__ import annotations

import numpy as np
import pytest

from attention_lab.masks.hiding import HIDING_VALUES
from attention_ui.reference.glossary import find_words
from attention_ui.reference.questions import ASKED, find_entries


def test_what_hides_in_every_type_of_number() -> None:
    end = float(np.finfo(np.float16).min)
    assert [way.key for way in HIDING_VALUES if -np.inf < way.value < end] == ["billion"]


@pytest.mark.parametrize(
    ("typed", "page"),
    [
        ("why not 64 heads of width 1", "split"),
        ("low-rank bottleneck", "split"),
        ("fewer queries than keys", "mask"),
        ("fp16", "mask-workshop"),
        ("pre-LN", "depth"),
        ("pruned", "head-worth"),
        ("weights that I plot", "softmax"),
    ],
)
def test_what_is_asked_is_found(typed: str, page: str) -> None:
    assert page in {one.page for one in find_entries(typed, [ASKED])}


@pytest.mark.parametrize(
    ("word", "page"),
    [
        ("low-rank bottleneck", "split"),
        ("pre-LN", "depth"),
        ("pruning", "head-worth"),
        ("top left", "mask"),
        ("dropout", "softmax"),
    ],
)
def test_the_glossary_has_the_word(word: str, page: str) -> None:
    assert page in {one.page for one in find_words(word)}
