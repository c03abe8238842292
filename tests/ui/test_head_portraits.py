"""The page on what a head does: measures, their formulas, and heads compared."""

from __future__ import annotations

import pytest

from attention_lab.heads.habits import HABITS
from attention_lab.heads.patterns import largest_entropy, pattern_of
from attention_ui.heads.parts import choose_portrait
from attention_viz.labels import format_number
from tests.ui.app import figures, opened, page_context, refused, scenes, texts


def test_every_measure_can_be_opened() -> None:
    app = opened("head-portraits", head=1, mask="causal")
    pattern = pattern_of(page_context(app).trace)
    for measure in HABITS:
        app.selectbox(key="portrait").set_value(measure.name).run()
        assert f"$$\n{measure.formula}\n$$" in texts(app)
        assert measure.range in texts(app)
        assert f"{format_number(float(measure.value(pattern)[0, 1]), 3)}; without" in texts(app)


def test_an_old_link_to_another_measure_opens_the_first() -> None:
    app = opened("head-portraits", portrait="rank of the scores")
    assert [one[:2] for one in refused(app)] == [("Look closer at", "rank of the scores")]
    assert app.selectbox(key="portrait").value == HABITS[0].name


@pytest.mark.parametrize(
    "bar", [None, "x", [], ["self-mass"], ["no such", 1], ["self-mass", -1], ["self-mass", 99], {}]
)
def test_a_strange_click_changes_nothing(bar: object) -> None:
    choose_portrait(bar)  # outside a run there is no session, so a change would fail


def test_a_head_without_a_value_has_no_profile_and_none_to_compare() -> None:
    alone = opened("head-portraits", portrait="previous-token mass", text="Hello", n_heads=1)
    assert (len(figures(alone)), len(scenes(alone))) == (1, 0)
    four = opened("head-portraits", portrait="previous-token mass")
    assert (len(figures(four)), len(scenes(four))) == (2, 2)


@pytest.mark.parametrize(("choices", "n_tokens"), [({"n_tokens": 2}, 2), ({}, 4)])
def test_how_far_heads_can_differ(choices: dict[str, int], n_tokens: int) -> None:
    bound = largest_entropy(n_tokens)
    said = texts(opened("head-portraits", **choices))
    assert f"ln {n_tokens} = {format_number(bound, 3)}" in said
