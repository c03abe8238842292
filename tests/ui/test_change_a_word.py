"""Change one word: what every head changes, and the largest changes."""

from __future__ import annotations

import numpy as np
import pytest

from attention_lab.trained.change_a_word import change_word
from tests.ui.app import facts, opened, page_context, scenes, sent, texts
from tests.ui.uploads import ANIMAL


def test_change_one_word() -> None:
    app = opened("change-a-word", text="something else entirely")
    assert (facts(app)["replaced"], len(app.info)) == ("entirely", 1)  # for “tired” is not there
    next(button for button in app.button if button.label == "tired / wide").click().run()
    assert page_context(app).scenario.text == ANIMAL
    assert (facts(app)["replaced"], len(app.info)) == ("tired", 0)
    change = change_word(ANIMAL, "tired", "wide")
    noted = facts(app)["before_and_after"]
    assert noted == [change.before[3][1, 9, 2], change.after[3][1, 9, 2]]
    assert noted == pytest.approx([0.688, 0.323], abs=5e-4)
    assert np.array_equal(sent(scenes(app)[1]["arrays"]["layer 3"]), change.differences[3])


def test_the_page_opens_with_the_animal() -> None:
    app = opened("change-a-word")
    assert facts(app)["asks_and_is_read"] == ("it", "animal")
    assert facts(app)["before_and_after"] == pytest.approx([0.653, 0.300], abs=5e-4)
    cell = scenes(app)[0]["cell"]
    assert cell["index"] == [9, 2]


def test_whose_share_a_strongest_change_is() -> None:
    app = opened("change-a-word", text=ANIMAL)
    strongest = facts(app)["strongest"]
    moves = change_word(ANIMAL, "tired", "wide").largest(5)
    assert strongest == [(move.layer, move.head, move.query, move.key) for move in moves]
    buttons = [app.button(key=f"cw {layer} {head}") for layer, head, *_ in strongest]
    assert all("“tired → wide” to “" in button.help for button in buttons[:2])
    assert [query == key for *_, query, key in strongest[:2]] == [True, False]
    layer, head, *_ = strongest[-1]
    buttons[-1].click().run()
    assert (app.session_state["th_layer"], app.session_state["th_head"]) == (layer, head)


@pytest.mark.parametrize(
    ("text", "after", "again"),
    [
        ("The cat saw the cat", "The wide saw the cat", True),
        ("The cat saw the dog", "The cat saw the wide", False),
    ],
)
def test_which_word_is_replaced(text: str, after: str, again: bool) -> None:
    app = opened("change-a-word", text=text)
    assert (facts(app)["is_repeated"], len(app.info)) == (again, 1)
    assert after in texts(app)
