"""Each check of a statement finds a case in which the statement does not hold: other vectors than
it is about, or a variant that is wrong in one way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attention_core import Projections, Trace, attend
from attention_lab.diagonal.modern import statements
from attention_lab.diagonal.modern.delta_rule import closed_form, corrections, delta_weights
from attention_lab.diagonal.modern.statements import STATEMENTS
from attention_lab.diagonal.modern.variants import (
    Looks,
    Variant,
    Vectors,
    drawn_vectors,
    find_variant,
    norm_trace,
    rotary_trace,
    weightless_vectors,
)

X = np.random.default_rng(5).normal(size=(5, 4))
X[3] = X[0]
PLAIN = weightless_vectors(X)
OPPOSITE = Vectors(X, replace(PLAIN.projections, w_k=-np.eye(4)))
WHOLE_TURN_BASE = (7 / (2 * np.pi)) ** 2  # of the second of two pairs, after seven places
IN_ONE_PAIR = weightless_vectors(np.tile([0.0, 0.0, 1.0, 2.0], (8, 1)))
NO_GAP = {"_gap": lambda *_: 0.0}


CHECKS = {one.number: one.check for one in STATEMENTS}


def at_angles(*degrees: float, key_turn: float = 0.0) -> Vectors:
    """Tokens of length √2 in the plane, at angles; their keys turned by a further one."""
    at, turn = np.radians(degrees), np.radians(key_turn)
    rotation = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    x = np.sqrt(2) * np.stack([np.cos(at), np.sin(at)], axis=1)
    return Vectors(x, replace(Projections.weightless(2), w_k=rotation))


def giving(weights: np.ndarray) -> dict[str, Callable[[str], Variant]]:
    """Variants with the same weights, whatever the tokens are; plain attention stays."""
    plain = find_variant("plain")
    other = replace(plain, run=lambda *_: Looks(weights))
    return {"find_variant": lambda key: plain if key == "plain" else other}


def keys_later(vectors: Vectors, base: float, start: int = 0) -> Trace:
    """Rotary positions with the keys one place later than the queries."""
    trace = rotary_trace(vectors, base, start)
    keys = rotary_trace(vectors, base, start + 1).turned_keys
    return replace(trace, scaled_scores=trace.turned_queries @ keys.swapaxes(-1, -2) * trace.scale)


def turned_elsewhere(vectors: Vectors, base: float, start: int = 0) -> Trace:
    """Rotary positions whose turned tokens are not those of the scores."""
    trace = rotary_trace(vectors, base, start)
    return replace(trace, turned_queries=1.1 * trace.turned_queries)


def first_before_last(vectors: Vectors, base: float) -> Trace:
    """Rotary positions with a little more for the last token in the first row."""
    trace = rotary_trace(vectors, base)
    scores = trace.scaled_scores.copy()
    scores[0, 0, 0, -1] += 1e-6
    return replace(trace, scaled_scores=scores)


def start_counts(vectors: Vectors, base: float, start: int = 0) -> Trace:
    """Scores that grow with the first position."""
    trace = rotary_trace(vectors, base)
    return replace(trace, scaled_scores=trace.scaled_scores * (1 + start))


def with_sink(vectors: Vectors, gain: float) -> Trace:
    """QK-norm whose rows lose a part to a sink."""
    trace = norm_trace(vectors, gain)
    return attend(vectors.x, vectors.projections, head_norm=trace.head_norm, sink=2.0)


def capped(scores: Callable[[np.ndarray], np.ndarray]) -> Callable[..., Trace]:
    """`attend` with another curve in the place of the cap."""

    def run(*given: Any, softcap: float = 0.0) -> Trace:
        trace = attend(*given)
        return replace(trace, scaled_scores=scores(trace.scaled_scores))

    return run


def more(amount: float, row: int = 2, column: int = 1) -> Callable[..., np.ndarray]:
    """Weights of the delta rule with more in one place."""

    def weights(*given: Any) -> np.ndarray:
        made = (delta_weights if len(given) == 3 else closed_form)(*given)
        made[row, column] += amount
        return made

    return weights


# Number, vectors, strength, and what is wrong in the module of the statements.
WRONG: dict[str, tuple[str, Vectors, float, dict[str, Any]]] = {
    "no Gram matrix": ("M1", drawn_vectors(X), 10.0, {}),
    "keys later": ("M1", weightless_vectors(X[:1]), 10.0, {"rotary_trace": keys_later}),
    "other tokens than those compared": ("M1", PLAIN, 10.0, {"rotary_trace": turned_elsewhere}),
    "the start counts": ("M1", PLAIN, 10.0, {"rotary_trace": start_counts}),
    "an equal token before the own": ("M2", OPPOSITE, 10.0, {}),
    "no positions": ("M2", PLAIN, 10.0, {"rotary_trace": lambda v, _: attend(v.x, v.projections)}),
    "a whole turn that changes a score": (
        *("M2", IN_ONE_PAIR, WHOLE_TURN_BASE),
        {"rotary_trace": first_before_last},
    ),
    "a bias that rewards distance": ("M3", PLAIN, -0.25, {}),
    "a key ahead of the own one": ("M4", at_angles(0, -17, 180, key_turn=17), 1.0, {}),
    "a sink beside QK-norm": ("M4", PLAIN, 1.0, {"norm_trace": with_sink}),
    "twice the gain": (
        *("M4", at_angles(0, 180, 170), 1.0),
        {"norm_trace": lambda v, gain: norm_trace(v, 2 * gain)},
    ),
    "a falling cap": ("M5", PLAIN, 5.0, {"attend": capped(lambda s: -np.tanh(s))}),
    "no cap": ("M5", weightless_vectors(9 * X), 5.0, {"attend": capped(lambda s: s)}),
    "another order beside the sink": ("M6", PLAIN, 2.0, giving(np.eye(5))),
    "a window without the last token": ("M7", PLAIN, 1.0, giving(np.diag([1.0, 1, 1, 1, 0]))),
    "an own weight below 1": ("M8", PLAIN, 0.0, giving(0.9 * np.eye(5))),
    "another weight above 1": ("M8", PLAIN, 0.0, giving(np.eye(5) + np.eye(5, k=-1) * -1.1)),
    "an own weight above β": ("M9", PLAIN, 0.5, {"delta_weights": more(1e-6, 1, 1)} | NO_GAP),
    "another weight above its bound": (
        *("M9", weightless_vectors(np.eye(5)), 0.5),
        {"delta_weights": more(0.3)} | NO_GAP,
    ),
    "another inverse": ("M9", PLAIN, 0.5, {"closed_form": more(1e-6)}),
    "another recurrence": (
        *("M9", PLAIN, 0.5),
        {"corrections": lambda q, k, v, rule: corrections(q, k, 1.1 * v, rule)},
    ),
    "queries that are the keys": ("M10", PLAIN, 0.0, {"drawn_vectors": weightless_vectors}),
}


@pytest.mark.parametrize("fault", WRONG)
def test_a_check_finds_what_is_wrong(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    number, vectors, strength, wrong = WRONG[fault]
    for name, replaced in wrong.items():
        monkeypatch.setattr(statements, name, replaced)
    assert not CHECKS[number](vectors, strength).holds


def test_each_statement_has_a_case_that_its_check_refuses() -> None:
    assert {case[0] for case in WRONG.values()} == set(CHECKS)


def test_whole_turns_leave_a_tie() -> None:
    """M2's exception: seven places at (7/2π)² are one turn of the second pair."""
    found = CHECKS["M2"](IN_ONE_PAIR, WHOLE_TURN_BASE)
    scores = rotary_trace(IN_ONE_PAIR, WHOLE_TURN_BASE).scaled_scores[0, 0]
    assert scores[0, 7] == pytest.approx(scores[0, 0], abs=1e-12)
    numbers = found.numbers
    assert found.holds
    assert numbers["pairs of equal tokens a whole turn apart"] == 1
    assert numbers["least lead of a token before its equal"] > 0.1


def test_another_pair_or_a_slow_one_makes_no_whole_turn() -> None:
    in_both = CHECKS["M2"](weightless_vectors(np.tile([1.0, 0, 1, 2], (8, 1))), WHOLE_TURN_BASE)
    slow = CHECKS["M2"](weightless_vectors(np.tile([0.0] * 47 + [1.0], (3, 1))), 1e12)
    assert in_both.holds
    for found in (in_both, slow):
        assert "pairs of equal tokens a whole turn apart" not in found.numbers


@pytest.mark.parametrize("length", [1.0, 1e-3, 1e-9, 1e-100])
def test_a_vector_of_any_length_becomes_one_of_length_1(length: float) -> None:
    x = length * X
    x[1] = 0
    made = statements.unit_vectors(x)
    expected = np.where(np.arange(5) == 1, 0.0, 1.0)
    np.testing.assert_allclose(np.linalg.norm(made, axis=1), expected, atol=1e-12)
    np.testing.assert_allclose(made[0] * np.linalg.norm(X[0]), X[0])
