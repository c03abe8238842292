"""One line in a notebook: a picture that shows itself and can be saved."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attention_core import AttentionError, Projections, Rotary, Trace, attend, padding_mask
from attention_viz import board, head_view

X = np.random.default_rng(0).standard_normal((2, 5, 6))
TRACE = attend(X, Projections.random(6, 3), causal=True, tokens=["a", "b", "c", '"', "</p>"])
SHARES = [np.full((1, 2, 3, 4), 0.25)] * 5


@pytest.mark.parametrize("step", TRACE.steps)
def test_every_step_has_a_board_in_a_frame_without_network(step: str) -> None:
    picture = board(TRACE, step, sequence=1, head=2, query=4)
    cell = picture._repr_html_()
    (inside,) = re.findall('srcdoc="([^"]*)"', cell)
    assert unescape(inside) == picture.page
    assert "default-src 'none'" in picture.page


@pytest.mark.parametrize("step", ["turned_queries", "turned_keys"])
def test_a_step_of_an_option_has_a_board(step: str) -> None:
    turned = attend(X[:1], Projections.random(6, 3), rotary=Rotary())
    assert board(turned, step).page
    with pytest.raises(AttentionError, match="step is"):
        board(TRACE, step)


def test_a_board_of_a_memory_shows_its_keys() -> None:
    crossed = attend(X[:1], Projections.random(6, 3), memory=X[:1, :4])
    assert "keys: 4" in board(crossed, "probabilities").page


def test_a_picture_is_saved_as_it_is_shown(tmp_path: Path) -> None:
    picture = head_view(SHARES, ["a", "b", "c"], ["w", "x", "y", "z"])
    assert picture.save(tmp_path / "heads.html").read_text(encoding="utf-8") == picture.page
    with pytest.raises(AttentionError, match="path is"):
        picture.save(tmp_path)


def large(**sizes: int) -> Trace:
    """A layer beyond what a window shows."""
    tokens = sizes.pop("tokens", 3)
    wide = {"d_model": 32, "n_heads": 2} | sizes
    return attend(np.ones((tokens, wide["d_model"])), Projections.random(**wide))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: board(np.ones(3)), "trace is"),
        (lambda: board(TRACE, "attention"), "step is 'attention'"),
        (lambda: board(TRACE, head=3), "head is 3"),
        (lambda: board(TRACE, sequence=2), "sequence is 2"),
        (lambda: board(large(tokens=65)), "65 queries, but a board shows at most 64"),
        (lambda: board(large(d_model=65, n_heads=65)), "65 heads"),
        (lambda: board(large(d_model=4098, d_k=2, d_v=2, d_out=4)), "4098 features"),
        (lambda: head_view([np.full((1, 2, 65, 65), 1 / 65)]), "at most 64 tokens"),
        (lambda: head_view(np.full((40, 40, 20, 20), 0.05)), "at most 13 tokens"),
        (lambda: head_view(None), "output_attentions"),
    ],
)
def test_what_is_too_large_or_no_layer_is_refused(call: Any, words: str) -> None:
    with pytest.raises(AttentionError, match=words):
        call()


MASKS = padding_mask([3, 5], 5)
BIASES = np.random.default_rng(1).standard_normal((2, 3, 5, 5))


@pytest.mark.parametrize(
    ("whole", "alone"),
    [
        ({}, {}),
        ({"mask": MASKS}, {"mask": MASKS[1:]}),
        ({"mask": MASKS[:1]}, {"mask": MASKS[:1]}),
        ({"bias": BIASES}, {"bias": BIASES[1:]}),
        ({"bias": BIASES[:1]}, {"bias": BIASES[:1]}),
        ({"bias": BIASES[0]}, {"bias": BIASES[0]}),
    ],
    ids=["plain", "masks", "one mask for all", "biases", "one bias for all", "bias of no batch"],
)
@pytest.mark.parametrize("step", ["scores", "masked_scores", "output"])
def test_the_board_of_a_batch_is_that_of_its_sequence_alone(
    whole: dict[str, Any], alone: dict[str, Any], step: str
) -> None:
    weights = Projections.random(6, 3)
    in_batch = board(attend(X, weights, **whole), step, sequence=1)
    assert in_batch.page == board(attend(X[1:], weights, **alone), step).page
