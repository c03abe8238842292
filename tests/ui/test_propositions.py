"""What is true: every statement has its card, its live verdict, and its search."""

from __future__ import annotations

import pytest

from attention_lab.diagonal.propositions.catalogue import PROPOSITIONS
from attention_lab.diagonal.settings import DiagonalSettings, trace_of_settings
from attention_ui.diagonal.propositions import check_propositions
from tests.ui.app import facts, opened, scenes, texts

PAIR = {"lab_tokens": "numbers", "lab_numbers": "3; 2; 1"}


def test_every_statement_has_its_card() -> None:
    app = opened("propositions")
    for statement in PROPOSITIONS:
        assert not any(line in texts(app) for line in statement.proof)
        app.session_state[f"proof {statement.number}"] = True
    said = texts(app.run())
    for statement in PROPOSITIONS:
        assert f"**{statement.number} · {statement.title}**" in said
        assert statement.statement in said
        assert all(line in said for line in statement.proof)
        assert statement.failing_step in said
        assert app.button(key=f"search {statement.number}")


@pytest.mark.parametrize("numbers", ["3; 2; 1", "3", "1,0; 0,1", "0,0; 1,1; -2,5"])
def test_every_verdict_is_that_of_the_engine(numbers: str) -> None:
    page_facts = facts(opened("propositions", lab_tokens="numbers", lab_numbers=numbers))
    scene = DiagonalSettings(tokens="numbers", numbers=numbers, weights="weightless")
    for number, check in check_propositions(trace_of_settings(scene)).items():
        verdict, where = page_facts[f"verdict_on_{number}"]
        assert verdict == (
            ("holds" if check.holds else "violated") if check.applies else "does not apply"
        )
        assert bool(where) == bool(check.where)
        assert (number in page_facts["violated"]) == (not check.holds)


@pytest.mark.parametrize(
    ("number", "found"), [("S4", True), ("S5", True), ("S7", False), ("S11", False)]
)
def test_searching_a_counterexample(number: str, found: bool) -> None:
    app = opened("propositions")
    before = scenes(app)
    app.button(key=f"search {number}").click().run()
    page_facts = facts(app)
    assert (page_facts["searched"], page_facts["counterexample_found"]) == (number, found)
    assert (len(app.success), len(app.info)) == (found, not found)
    if found:
        assert app.session_state["lab_tokens"] == "numbers"
        assert page_facts[f"verdict_on_{number}"][0] == "violated"
    else:
        assert scenes(app) == before


def test_a_search_that_finds_nothing() -> None:
    app = opened("propositions")
    nearest, met = {}, {}
    for number in ("S1", "S10", "S11"):
        app.button(key=f"search {number}").click().run()
        nearest[number] = facts(app)["nearest_excess"]
        met[number] = facts(app)["matrices_that_met_the_condition"]
        assert facts(app)["counterexample_found"] is False
    assert 0 < nearest["S1"] < 1e-12
    assert nearest["S11"] <= 0
    assert met["S1"] == met["S10"] == 300


def test_one_token_has_no_other() -> None:
    page_facts = facts(opened("propositions", lab_tokens="numbers", lab_numbers="3"))
    assert page_facts["one_token_alone"]
    assert "does not apply" in {page_facts[f"verdict_on_{one.number}"][0] for one in PROPOSITIONS}
    three = facts(opened("propositions", **PAIR))
    assert not three.get("one_token_alone", False)


def test_places_of_numbers_are_not_quoted_like_tokens() -> None:
    """Of the tokens 3, 2, 1 the one in place 2 is 1: “2” would seem to be the token 2. Words
    stay quoted.
    """
    for cell, names in (("2-1", ("2", "1")), ("2-2", ("2", "2"))):
        page_facts = facts(opened("propositions", lab_cell=cell, **PAIR))
        assert page_facts["names_of_the_pair"] == names
        assert "“" not in page_facts["verdict_on_S4"][1]
    assert facts(opened("propositions"))["names_of_the_pair"] == ("“1 animal”", "“8 it”")
