"""Random weights are said to be random, beside the way to the same sentence in a trained head."""

from __future__ import annotations

import pytest

from attention_lab.choices import SEEDED_WEIGHTS, WEIGHT_KINDS
from attention_lab.scenario import Scenario, trace_of
from attention_lab.user_data.user_matrices import UserMatrices
from attention_ui import board, random_weights
from attention_ui.url_state import Session
from tests.ui.app import facts, opened, page_context, stage

STEPS = ("overview", "scores", "softmax")
OWN = UserMatrices(x=[[1.0] * 16]).url_value()
LEADS = ("weights", "trained")  # what the button chooses


def ways(page: str, **choices: object) -> list[tuple[str, str]]:
    """What the buttons of a stage's notes choose."""
    app = opened(page, **choices)
    shown = [(note["act"], note["value"]) for note in stage(app)["notes"] if note["act"]]
    if page in STEPS:
        assert facts(app)["random_weights"] == (LEADS in shown)
    return shown


@pytest.mark.parametrize("weights", WEIGHT_KINDS)
def test_it_is_said_where_weights_are_drawn(weights: str) -> None:
    """And nowhere else: weights by hand do not fit the usual sizes, so they are random here."""
    is_random = weights in (*SEEDED_WEIGHTS, "by hand")
    assert ways("scores", weights=weights) == [LEADS] * is_random


def test_each_step_of_the_pattern_says_it_once() -> None:
    """The overview, the scores and the softmax; other steps have no need of it, nor has a layer
    with own numbers or with those of the first example.
    """
    assert [ways(page) for page in STEPS] == [[LEADS]] * 3
    assert [ways(page) for page in ("tokens", "output")] == [[]] * 2
    assert ways("scores", own=OWN) == ways("scores", bare=True) == []


def test_the_button_leads_to_a_trained_head(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same sentence, in layer 3, head 1, and there the pronoun with what it reads."""
    state, before = {}, Session(page_context=page_context(opened("scores")))
    monkeypatch.setattr(random_weights.st, "session_state", state)
    monkeypatch.setattr(board, "session", lambda: before)
    board.apply_stage_choice(*LEADS)
    assert state == {
        "weights": "trained",
        "layer": 3,
        "head": 1,
        "query": 9,
        "key": 2,
        "feature": 0,
    }
    trace = trace_of(Scenario(weights="trained", layer=3))
    assert (trace.tokens[9], trace.tokens[2]) == ("it", "animal")
