"""What each trained layer adds to a token by attention, and what by its feed-forward part."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from attention_lab.layer_norm import layer_norm
from attention_lab.trained.added_parts import added_parts, parts_of_text
from attention_lab.trained.encoded_text import encoded
from attention_lab.trained.encoder import encode
from attention_lab.trained.minilm import load_minilm
from tests.lab.trained.test_encoder import D, a_layer, fed_by_loops, vectors


def test_both_parts_beside_what_they_are_added_to() -> None:
    layers = [a_layer(1), a_layer(2)]
    run = encode(vectors(), layers)
    parts = added_parts(run, layers)
    for number, (trace, layer) in enumerate(zip(run.traces, layers, strict=True)):
        added = trace.merged[0] @ layer.attention.w_o + layer.attention.b_o
        attended = layer_norm(trace.inputs[0] + added, layer.attention_norm)
        fed = [fed_by_loops(list(row), layer.feed_forward) for row in attended]
        for found, part, before in (
            (parts.attention, added, trace.inputs[0]),
            (parts.feed_forward, np.array(fed), attended),
        ):
            beside = np.linalg.norm(part, axis=1) / np.linalg.norm(before, axis=1)
            np.testing.assert_allclose(found[number], beside)
    both = parts.attention + parts.feed_forward
    np.testing.assert_allclose(parts.share, parts.attention / both)


def test_a_part_that_adds_nothing() -> None:
    layer = a_layer(3)
    none = {"w_out": np.zeros_like(layer.feed_forward.w_out), "b_out": np.zeros(D)}
    quiet = replace(layer, feed_forward=replace(layer.feed_forward, **none))
    parts = added_parts(encode(vectors(), [quiet]), [quiet])
    assert not parts.feed_forward.any()
    assert (parts.share == 1).all()
    empty = replace(parts, attention=parts.feed_forward)
    assert np.isnan(empty.share).all()


def test_the_parts_of_the_trained_model() -> None:
    text = "the animal was tired"
    parts = parts_of_text(text)
    assert parts.attention.shape == (len(load_minilm().layers), len(encoded(text).tokens))
    assert ((parts.share > 0) & (parts.share < 1)).all()
