"""How it grows: what is measured, and the curves of every choice."""

from __future__ import annotations

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attention_lab.diagonal.growth import TOKEN_COUNTS, Growth, estimates
from attention_lab.diagonal.growth_curves import half_mass_width
from tests.ui.app import facts, figures, numbers_of, opened, texts
from tests.ui.laboratories import press


def measured(app: AppTest) -> tuple[int, int]:
    """How many points of the pictures are measured, and how many there are."""
    page_facts = facts(app)
    return page_facts["points_measured"], page_facts["points"]


def test_measuring_growth() -> None:
    parameters = {"growth_error": "0.02", "growth_seed": 7}
    app = opened("growth", **parameters)
    assert measured(app) == (0, 28)
    app = press(app, "Draw tokens and measure")
    assert measured(app) == (28, 28)
    *_, point = estimates(Growth(seed=7).experiment(16, 8), error=0.02)
    assert np.isin(
        np.float32([point.self_mass, point.self_mass_error]), numbers_of(figures(app)[0])
    ).all()
    assert np.isin(np.float32(point.argmax_rate), numbers_of(figures(app)[1])).all()
    assert measured(opened("growth", **parameters)) == (28, 28)


@pytest.mark.parametrize(
    "parameters",
    [
        {"growth_kind": "tied"},
        {"growth_scaled": "false"},
        {"growth_causal": "true", "growth_lines": "uniform"},
        {"growth_n": "banana"},
        {"growth_n": "64"},
        {"growth_error": "0", "growth_seed": "-1"},
        {"growth_lines": ""},
    ],
)
def test_kinds_of_growth(parameters: dict[str, str]) -> None:
    app = opened("growth", **parameters)
    assert not app.exception
    assert len(figures(app)) == 2


@pytest.mark.parametrize(
    ("parameters", "over_rows", "of_a_query"),
    [
        ({}, False, False),
        ({"growth_causal": "true"}, True, False),
        ({"growth_kind": "tied"}, False, True),
    ],
)
def test_the_formulas_of_growth_are_those_of_its_curves(
    parameters: dict[str, str], over_rows: bool, of_a_query: bool
) -> None:
    page_facts = facts(opened("growth", **parameters))
    assert page_facts["curves_are_means_over_rows"] == over_rows
    assert page_facts["width_is_that_of_a_query"] == of_a_query


@pytest.mark.parametrize(
    ("scaled", "divisor", "half"),
    [
        ("true", r"\sqrt C", r"\left(\ln(N-1)+\tfrac12\right)^2"),
        ("false", "1", r"2 \ln(N-1)"),
    ],
)
def test_the_formula_of_the_half_mass(scaled: str, divisor: str, half: str) -> None:
    app = opened("growth", growth_scaled=scaled)
    assert rf"$\tau = {divisor}$" in texts(app)
    assert half in app.latex[-1].value
    dotted = half_mass_width(TOKEN_COUNTS[-1], scaled=scaled == "true")
    assert f"{dotted:.1f}" in app.table[0].value.iloc[-1].astype(str).tolist()
