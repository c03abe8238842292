"""The pages of the language model in the app: what clicks and the timer set."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.app import errors, opened, page_context, pressed, scenes

FROG = "One day, a little frog was very sad. The"
PAGES = ("writing", "why-this-word", "cache")


@pytest.mark.parametrize("page", PAGES)
def test_a_page_opens_on_the_frog_until_a_sentence_is_chosen(page: str) -> None:
    app = opened(page, bare=True)
    assert errors(app) == []
    assert page_context(app).scenario.text == FROG


def words(app: AppTest) -> list[str]:
    found: list[str] = scenes(app)[0]["sentence"]["words"]
    return found


def test_pieces_are_written_and_taken_back() -> None:
    app = opened("writing", text=FROG)
    before = words(app)
    app = pressed(app, "Write a piece")
    assert len(words(app)) == len(before) + 1
    app = pressed(app, "Write 10")
    written = app.query_params["wr_written"]
    assert len(words(app)) == len(before) + 11
    again = opened("writing", text=FROG, wr_written=written)
    assert words(again) == words(app)
    app = pressed(pressed(app, "Undo"), "Start again")
    assert words(app) == before
