"""What an edit changes: its own cell, and every step that follows from it."""

from __future__ import annotations

from typing import Any

import numpy as np

from attention_core import Projections, Trace, attend
from attention_core.projections import MATRICES
from attention_lab.user_data.edits import Edit, Edits, apply_edits, edits_outside, outside_note
from tests.lab.refusal import missing

T, D, H, K, V = 5, 7, 2, 11, 13


def layer() -> tuple[np.ndarray, Projections]:
    """Inputs and weights, every axis another prime."""
    return np.random.default_rng(2).normal(size=(T, D)), Projections.random(
        D, H, d_k=K, d_v=V, seed=1
    )


def run(*edits: Edit, **options: Any) -> Trace:
    """The layer with edits in it."""
    return attend(*apply_edits(Edits(edits), *layer()), **options)


def cells(array: np.ndarray) -> set[tuple[int, ...]]:
    """The indices of the cells that are True."""
    return {tuple(int(i) for i in place) for place in np.argwhere(array)}


def test_edits_change_their_cells_only() -> None:
    inputs, weights = layer()
    given = (
        np.array(inputs),
        *(np.array(getattr(weights, name)) for name in ("w_q", "w_k", "w_v", "w_o")),
    )
    edits = Edits((Edit("x", 4, 6, 9.5), Edit("w_k", 6, 21, -3), Edit("w_o", 25, 0, 0.1)))
    x, p = apply_edits(edits, inputs, weights)
    for old, kept, new, place in zip(
        given,
        (inputs, weights.w_q, weights.w_k, weights.w_v, weights.w_o),
        (x, p.w_q, p.w_k, p.w_v, p.w_o),
        ({(4, 6): 9.5}, {}, {(6, 21): -3.0}, {}, {(25, 0): 0.1}),
        strict=True,
    ):
        assert (old == kept).all()
        assert cells(new != old) == set(place)
        assert all(new[cell] == value for cell, value in place.items())
    assert not x.flags.writeable
    assert inputs.flags.writeable


def test_no_edit_no_copy() -> None:
    inputs, weights = layer()
    for edits in (Edits(), Edits((Edit("x", 99, 0, 1.0),))):
        x, p = apply_edits(edits, inputs, weights)
        assert x is inputs
        assert p is weights


def test_edits_outside_are_kept_with_a_note() -> None:
    edits = Edits((Edit("x", T, 0, 1.0), Edit("w_q", 0, H * K, 1.0), Edit("w_v", 0, 0, 1.0)))
    trace = run(*edits.items)
    assert edits_outside(edits, trace) == edits.items[:2]
    assert missing(outside_note(edits, trace), 2) == []
    assert missing(outside_note(Edits(edits.items[:1]), trace), 1) == []
    assert outside_note(Edits(edits.items[2:]), trace) == ""


def test_edits_of_a_layer_without_weights() -> None:
    edits = Edits((Edit("w_q", 0, 1, 3.0), Edit("w_o", 0, 0, 2.0)))
    trace = attend(*apply_edits(edits, np.eye(2), Projections.weightless(2)))
    assert trace.queries[0].tolist() == [[1.0, 3.0], [0.0, 1.0]]
    assert (trace.keys == trace.inputs).all()
    assert trace.projections.w_o is None
    assert edits_outside(edits, trace) == edits.items[1:]


def changed_cells(before: Trace, after: Trace, field: str) -> np.ndarray:
    """Which numbers of a field, or of a weight matrix, are not the same as before."""
    old, new = (
        getattr(trace.projections if field in MATRICES else trace, field)
        for trace in (before, after)
    )
    return np.asarray(old != new)


def test_what_follows_an_edit_of_the_inputs() -> None:
    before, after = run(causal=True), run(Edit("x", 3, 0, 9.0), causal=True)
    assert cells(changed_cells(before, after, "inputs")) == {(0, 3, 0)}
    assert cells(changed_cells(before, after, "queries").any(axis=2)) == {(0, 3)}
    scores = changed_cells(before, after, "scores")[0]
    assert cells(scores[0]) == {(t, s) for t in range(T) for s in range(T) if 3 in (t, s)}
    assert cells(changed_cells(before, after, "masked_scores")[0, 0]) == {
        (3, 0),
        (3, 1),
        (3, 2),
        (3, 3),
        (4, 3),
    }
    assert cells(changed_cells(before, after, "output").any(axis=2)) == {(0, 3), (0, 4)}


def test_what_follows_an_edit_of_a_weight() -> None:
    before = run()
    after = run(Edit("w_v", 2, V + 4, 9.0))
    assert cells(changed_cells(before, after, "w_v")) == {(2, V + 4)}
    assert {
        place[1:] for place in cells(changed_cells(before, after, "head_outputs").any(axis=2))
    } == {(1, 4)}
    assert not changed_cells(before, after, "probabilities").any()
    after = run(Edit("w_o", 0, 6, 9.0))
    assert {place[2] for place in cells(changed_cells(before, after, "output"))} == {6}
    assert not changed_cells(before, after, "merged").any()
    barely = run(Edit("x", 0, 0, np.nextafter(before.inputs[0, 0, 0], 9)))
    assert cells(changed_cells(before, barely, "inputs")) == {(0, 0, 0)}
