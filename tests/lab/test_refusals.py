"""Nonsense from a notebook: every argument of the public functions beside the engine is
checked, and named; the docs list these doors.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import attention_core
import attention_lab
from attention_core import AttentionError, Projections, attend
from attention_core.errors import short_repr
from attention_lab.diagonal import depth, growth, growth_curves
from attention_lab.diagonal.measures import gram_alignment
from attention_lab.diagonal.propositions import counterexamples
from attention_lab.diagonal.propositions.catalogue import find_proposition
from attention_lab.labs import backward
from attention_lab.layer_norm import standardised
from attention_lab.time_limit import check_seconds
from tests.lab.hostile_arguments import CASES

DOORS = (Path(__file__).resolve().parents[2] / "docs" / "doors.md").read_text(encoding="utf-8")
# Records and tables, which check nothing.
NO_DOORS = {"AXES", "STEPS", "Derivation", "HeadTrace", "Step", "Trace"}
X = np.random.default_rng(0).standard_normal((5, 4))
P = Projections.random(4, 2)


@pytest.mark.parametrize("name", CASES)
def test_nonsense_is_refused_with_a_sentence(name: str) -> None:
    function, valid, hostile = CASES[name]
    function(**valid)
    wrong = []
    for argument, values in hostile.items():
        for value in values:
            try:
                function(**(valid | {argument: value}))
            except AttentionError as error:
                if not 10 < len(str(error)) < 800:
                    wrong.append(f"{argument}: {error}")
            else:
                wrong.append(f"{argument} = {short_repr(value)} was taken")
    assert wrong == []


# What a sentence calls an argument whose own name says less.
OTHER_NAMES = {"name": "field", "kind": "embedding"}


@pytest.mark.parametrize("name", CASES)
def test_the_sentence_names_the_argument(name: str) -> None:
    function, valid, hostile = CASES[name]
    for argument in hostile:
        with pytest.raises(AttentionError) as caught:
            function(**(valid | {argument: object()}))
        names = (argument, OTHER_NAMES.get(argument, argument))
        assert any(each in str(caught.value) for each in names), argument


@pytest.mark.parametrize("size", [1e-300, 1e-160, 1.0, 1e160, 1e300])
def test_ratios_do_not_depend_on_size(size: float) -> None:
    distance = float(depth.consensus_distance(X))
    assert depth.consensus_distance(size * X) == pytest.approx(distance, rel=1e-12)
    assert gram_alignment(size * X, X[::-1]) == pytest.approx(gram_alignment(X, X[::-1]), rel=1e-12)
    assert standardised(size * X) == pytest.approx(standardised(X), rel=1e-12)


def test_gradients_beyond_the_range_of_float_are_refused() -> None:
    with pytest.raises(AttentionError, match="grew beyond the range of float64"):
        backward.layer_gradients(
            attend(1e150 * X, Projections.weightless(4), scale=0.0), np.full((1, 5, 4), 1e200)
        )
    empty = attend(X, P, mask=np.zeros((5, 5), bool), empty_rows="nan")
    with pytest.raises(AttentionError, match="holds NaN, which has no gradient"):
        backward.layer_gradients(empty, np.ones((1, 5, 4)))


def test_what_takes_too_long_is_refused_with_an_estimate() -> None:
    check_seconds(60.0, "choose less")
    with pytest.raises(
        AttentionError,
        match="about 61 seconds on one core, but at most 60 are allowed: choose less",
    ):
        check_seconds(61.0, "choose less")
    for call in (
        lambda: list(growth.estimates(growth.Experiment(4096, 64), error=0.0)),
        lambda: growth_curves.self_mass_exact(4, 16, scale=1e4),
        lambda: counterexamples.search(
            find_proposition("S11"), n_tokens=64, d_model=64, tries=10_000
        ),
        lambda: list(depth.levels(np.zeros((4096, 4096)), depth.Stack())),
    ):
        with pytest.raises(AttentionError, match="would take about"):
            call()


def found_by(name: str) -> Any:
    """What a dotted name stands for."""
    package, *rest = name.split(".")
    thing: Any = import_module(package)
    for part in rest:
        if not hasattr(thing, part):
            import_module(f"{thing.__name__}.{part}")
        thing = getattr(thing, part)
    return thing


def test_the_docs_list_the_doors() -> None:
    listed = re.findall(r"`(attention_\w+(?:\.\w+)+)`", DOORS)
    assert len(listed) == len(set(listed)) > 30
    assert all(callable(found_by(name)) for name in listed)
    exported = {name for name in attention_core.__all__ if not name.endswith("Error")}
    assert exported - NO_DOORS <= {name.split(".")[1] for name in listed}
    assert {*attention_lab.__all__} <= {part for name in listed for part in name.split(".")}
    tested = {function.__qualname__ for function, _, _ in CASES.values()}
    methods = {found_by(name).__qualname__ for name in listed if ".Trace." in name}
    assert methods | {"derive", "embed"} <= tested
