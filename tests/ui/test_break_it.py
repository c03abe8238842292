"""Break it: every mistake is caught, what it needs to show, and the game in which it is hidden."""

from __future__ import annotations

import re

import pytest

from attention_lab.masks.mistake_checks import (
    MISTAKE_CHECKS,
    NO_MISTAKE,
    examine_layer,
    mistake_by_key,
)
from attention_lab.masks.mistakes import MISTAKES, hidden_mistake
from attention_lab.scenario import Scenario
from attention_ui.masks.break_it import MISTAKE_NAMES
from tests.ui.app import facts, named_in, opened, page_context, scenes, texts

CAUSAL_BUTTON = "Choose a causal mask"


def test_every_mistake_is_caught_by_a_shown_check() -> None:
    app = opened("break-it", mask="causal")
    for key in (NO_MISTAKE, *(mistake.key for mistake in MISTAKES)):
        app.selectbox(key="choose bi_fault").set_value(key).run()
        layer = examine_layer(Scenario(mask="causal"), key)
        failed = [check for check in MISTAKE_CHECKS if not layer.results[check.key].passed]
        assert bool(failed) == (key != NO_MISTAKE)
        assert facts(app)["failed_checks"] == [check.key for check in failed]
        assert all(f":red[:material/close:] **{check.name}**" in texts(app) for check in failed)


def test_a_mistake_that_changes_nothing_says_what_it_needs() -> None:
    app = opened("break-it", bi_fault="mask")
    stated = facts(app)
    assert (stated["mistake_shows"], len(app.info)) == (False, 1)
    assert stated["needed"] == mistake_by_key("mask").needs
    next(button for button in app.button if button.label == CAUSAL_BUTTON).click().run()
    assert not app.info
    assert page_context(app).scenario.mask == "causal"
    stated = facts(opened("break-it", bi_fault="scale", scaling="off"))
    assert (stated["mistake_shows"], stated["needed"]) == (False, mistake_by_key("scale").needs)


def test_a_causal_mask_is_offered_only_if_it_helps() -> None:
    for mask in ("causal", "none"):
        app = opened("break-it", bi_fault="mask", text="a", mask=mask)
        assert facts(app)["mistake_shows"] is False
        assert CAUSAL_BUTTON not in [button.label for button in app.button]
    assert CAUSAL_BUTTON in [button.label for button in opened("break-it", bi_fault="mask").button]


@pytest.mark.parametrize(
    "alike",
    [
        {"scaling": "custom", "scale": 0},
        {"text": "the the the", "positions": "false"},
        {"mask": "window", "window": 0},
        {"text": "a"},
    ],
)
def test_what_the_wrong_axis_needs(alike: dict[str, object]) -> None:
    app = opened("break-it", bi_fault="axis", **alike)
    stated = facts(app)
    assert (stated["mistake_shows"], stated["needed"]) == (False, mistake_by_key("axis").needs)
    assert len(app.info) == 1


def test_spot_the_mistake() -> None:
    hidden = hidden_mistake(1)
    wrong = next(mistake for mistake in MISTAKES if mistake is not hidden)
    app = opened("break-it", bi_spot="true")
    assert MISTAKE_NAMES[hidden.key] not in texts(app)
    assert "first_wrong_field" not in facts(app)
    assert not app.code
    app.selectbox(key="choose bi_guess").set_value(wrong.key).run()
    assert (facts(app)["found"], facts(app)["wrong_guess"]) == (False, wrong.key)
    assert MISTAKE_NAMES[wrong.key] in app.warning[0].value
    app.selectbox(key="choose bi_guess").set_value(hidden.key).run()
    assert facts(app)["found"]
    assert MISTAKE_NAMES[hidden.key] in app.success[0].value
    next(button for button in app.button if button.label == "Next round").click().run()
    assert (app.session_state["bi_round"], app.session_state["bi_guess"]) == (2, "?")
    assert not app.success
    app.toggle(key="bi_answer").set_value(True).run()
    assert MISTAKE_NAMES[hidden_mistake(2).key] in app.info[0].value


def test_a_round_that_cannot_be_won() -> None:
    place, hidden = next(
        (n, one) for n in range(1, 99) if (one := hidden_mistake(n)).key == "split"
    )
    app = opened("break-it", bi_spot="true", bi_round=place, n_heads=1)
    assert (facts(app)["mistake_shows"], len(app.info)) == (False, 1)
    assert MISTAKE_NAMES[hidden.key] not in texts(app)
    seen = opened("break-it", bi_spot="true", bi_round=place)
    assert facts(seen)["mistake_shows"]
    assert not seen.info


def test_the_first_field_with_wrong_numbers() -> None:
    stated = facts(opened("break-it", bi_fault="merge"))
    assert (stated["first_wrong_field"], stated["shown_field"]) == ("merged", "merged")
    assert stated["shown_field_differs"]
    assert not facts(opened("break-it", bi_fault="merge", bi_field="scores"))["shown_field_differs"]


def test_checks_have_true_minus_signs() -> None:
    text = texts(opened("break-it", init="small", bi_fault="scale"))
    assert re.search(r"\d\.\d+e−05\b", text)
    assert not re.search(r"\de-\d", text)


def test_a_mistake_that_changes_only_rounding() -> None:
    assert facts(opened("break-it", n_heads=1, bi_fault="split"))["shown_field_differs"] is False
    assert facts(opened("break-it", bi_fault="split"))["shown_field_differs"] is True


def test_the_output_belongs_to_no_head() -> None:
    output = scenes(opened("break-it", n_heads=1, bi_field="output"))[0]["description"]
    merged = scenes(opened("break-it", head=1, bi_field="merged"))[0]["description"]
    assert (named_in(output) & {"0", "1"}, "1" in named_in(merged)) == (set(), True)
