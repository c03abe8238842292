"""The facts of the sentence with arcs: which shares a word reads, and what it asks."""

from __future__ import annotations

import numpy as np

from attention_core import Projections, attend
from attention_lab.column_names import HANDMADE_NAMES
from attention_lab.readings import (
    LEAST_SHARE,
    answered_names,
    asked_names,
    key_read_most,
    opposite_head,
    shares_read,
)
from attention_lab.scenario import Scenario, trace_of

BY_HAND = Scenario("the cat and the box and it", weights="by hand", d_model=8, n_heads=2)


def test_every_share_of_one_percent_is_read() -> None:
    trace = trace_of(Scenario("we saw the cat and the dog", seed=3))
    for head in range(trace.sizes["H"]):
        row = trace.probabilities[0, head, 2]
        read = shares_read(trace, head, 2)
        assert sorted(key for key, _ in read) == np.flatnonzero(row >= LEAST_SHARE).tolist()
        assert [share for _, share in read] == sorted((row[key] for key, _ in read), reverse=True)


def test_the_opposite_head_differs_most() -> None:
    x = np.eye(3)
    flat, sharp = np.zeros((3, 3)), 9 * np.eye(3)
    heads = [(flat, flat, x), (flat, flat, x), (sharp, sharp, x)]
    trace = attend(x, Projections.from_heads(heads, np.vstack([x, x, x])))
    assert [opposite_head(trace, head) for head in (0, 1)] == [2, 2]
    assert opposite_head(attend(x, Projections.weightless(3)), 0) is None


def test_a_pronoun_asks_and_an_article_does_not() -> None:
    trace = trace_of(BY_HAND)
    words = trace.labels("T")
    it, cat, box = (words.index(word) for word in ("it", "cat", "box"))
    assert len(asked_names(trace, HANDMADE_NAMES, 0, it)) == 2
    assert asked_names(trace, HANDMADE_NAMES, 0, 0) == ()
    assert answered_names(trace, HANDMADE_NAMES, 0, it, cat) == ("noun", "animate")
    assert answered_names(trace, HANDMADE_NAMES, 0, it, box) == ("noun",)
    assert (key_read_most(trace, 0, it), key_read_most(trace, 0, 0)) == (cat, None)
