"""The page on what a head does: measures, their formulas, and heads compared."""

from __future__ import annotations

import numpy as np
import pytest

from attention_lab.heads.head_portraits import MEASURES
from attention_lab.heads.patterns import pattern_of
from attention_ui.heads.head_portraits import choose_portrait
from tests.ui.app import (
    facts,
    figures,
    opened,
    page_context,
    scenes,
    texts,
)


def test_every_measure_can_be_opened() -> None:
    app = opened("head-portraits", head=1, mask="causal")
    pattern = pattern_of(page_context(app).trace)
    for measure in MEASURES:
        app.selectbox(key="portrait").set_value(measure.name).run()
        assert f"$$\n{measure.formula}\n$$" in texts(app)
        assert measure.range in texts(app)
        assert facts(app)["measure"] == measure.name
        assert facts(app)["value"] == measure.value(pattern)[0, 1]


def test_a_sentence_says_what_each_head_does() -> None:
    app = opened("head-portraits", bare=True)
    shares = page_context(app).trace.probabilities[0]
    by_measure = {habit.measure: habit for habit in facts(app)["habits"]}
    assert set(by_measure) == {"", "previous_mass"}
    diagonal = np.diagonal(shares[1], -1)
    assert by_measure["previous_mass"].share == pytest.approx(diagonal.mean())
    assert by_measure[""].share == pytest.approx(shares[0].max())
    assert len(facts(opened("head-portraits", n_heads=8))["habits"]) == 8


@pytest.mark.parametrize(
    "bar", [None, "x", [], ["entropy"], ["no such", 1], ["entropy", -1], ["entropy", 99], {"a": 1}]
)
def test_a_strange_click_changes_nothing(bar: object) -> None:
    choose_portrait(bar)  # outside a run there is no session, so a change would fail


def test_formulas_of_a_closed_box_are_not_sent() -> None:
    app = opened("head-portraits", portrait="self-mass")
    assert r"\ln A_{ij}" not in texts(app)
    helps = " ".join(part.help or "" for part in app.markdown)
    assert all(
        formula in helps for formula in (r"\tfrac{H(a)+H(b)}{2}", r"\langle a-e,\,b-e\rangle")
    )
    app.session_state["all measures"] = True
    assert r"\ln A_{ij}" in texts(app.run())


def test_a_head_without_a_value_has_no_profile() -> None:
    app = opened("head-portraits", portrait="previous-token mass", text="Hello", n_heads=1)
    assert facts(app)["is_known"] is False
    assert len(figures(app)) == 1
    assert facts(opened("head-portraits", portrait="previous-token mass"))["is_known"]


def test_a_rank_counts_dimensions() -> None:
    stated = facts(opened("head-portraits", portrait="rank of the scores"))
    assert stated["value"] == 4 == stated["largest_rank"]
    few = facts(opened("head-portraits", portrait="rank of the scores", text="one two"))
    assert few["largest_rank"] == 2 >= few["value"]


def test_one_head_has_nothing_to_compare() -> None:
    alone, four = (opened("head-portraits", n_heads=n_heads) for n_heads in (1, 4))
    assert "layer_divergence" not in facts(alone)
    assert facts(four)["layer_divergence"] > 0
    assert len(scenes(four)) == len(scenes(alone)) + 2
    assert len(figures(alone)[1]["data"]) < len(figures(four)[1]["data"])
