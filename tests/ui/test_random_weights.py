"""Random weights are said to be random, beside the way to the same sentence in the language
model.
"""

from __future__ import annotations

import pytest

from attention_lab.presets import presets
from attention_lab.user_data.user_matrices import UserMatrices
from attention_lab.weight_kinds import WEIGHTS
from attention_viz.story.notes import first_example_notes
from attention_viz.story.story_view import StoryView
from tests.ui.app import opened, page_context, stage, texts, unfolded

STEPS = ("overview", "scores", "softmax")
OWN = UserMatrices(x=[[1.0] * 16]).url_value()
LEADS = ("weights", "language model")  # what the button chooses


def ways(page: str, **choices: object) -> list[tuple[str, str]]:
    """What the buttons of a stage's notes choose."""
    notes = stage(opened(page, **choices))["notes"]
    return [(note["act"], note["value"]) for note in notes if note["act"]]


@pytest.mark.parametrize("weights", WEIGHTS)
def test_it_is_said_where_weights_are_drawn(weights: str) -> None:
    of_a_seed = ("random", "tied", "opposite", "orthonormal")
    is_random = weights in (*of_a_seed, "by hand")  # those by hand do not fit these sizes
    back = [("weights", "by hand")] * (weights == "by hand")
    assert ways("scores", weights=weights) == [*back, *[LEADS] * is_random]


def test_each_step_of_the_pattern_says_it_once() -> None:
    assert [ways(page) for page in STEPS] == [[LEADS]] * 3
    assert [ways(page) for page in ("tokens", "output")] == [[]] * 2
    assert ways("scores", own=OWN) == ways("scores", bare=True) == []


def test_words_that_the_weights_by_hand_do_not_know() -> None:
    by_hand: dict[str, object] = {"weights": "by hand", "d_model": 8, "n_heads": 2}
    text = "the zorp saw *b* and a cat but no <i>, blorb, snick or " + "x" * 40
    for page in ("overview", "tokens", "scores", "output"):
        app = opened(page, text=text, **by_hand)
        (note,) = [note for note in stage(app)["notes"] if note["act"]]
        assert "“zorp”" in note["text"]
        assert "1 more" in note["text"]
        assert (note["act"], note["value"]) == LEADS
    assert ways("tokens", text="dogs bark at cats", **by_hand) == []
    assert "zorp" in texts(opened("all-heads", text=text, **by_hand))


def test_weights_by_hand_that_find_nothing_are_replaced() -> None:
    app = opened("scores", text="hello", weights="by hand", d_model=8, n_heads=2)
    assert page_context(app).scenario.weights == "language model"
    (note,) = stage(app)["notes"]
    assert not note["act"]
    assert "language model" in note["text"]
    unfolded(app)
    assert app.selectbox(key="weights").value == "by hand"
    assert app.number_input(key="d_model").disabled
    app.text_input(key="text").set_value("the dog ran").run()
    assert page_context(app).scenario.weights == "by hand"


def test_the_first_example_leads_to_the_second() -> None:
    first, second = presets()[:2]
    assert ways("overview", bare=True) == [("example", second.name)]
    assert ways("tokens", bare=True) == []
    assert not first_example_notes(StoryView(first.scenario, lesson="a moment"))
