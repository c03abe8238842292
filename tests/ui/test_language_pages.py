"""The pages of the language model in the app: what clicks and the timer set."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.app import errors, opened, page_context, pressed

FROG = "One day, a little frog was very sad. The"
PAGES = ("writing", "why-this-word", "cache")


@pytest.mark.parametrize("page", PAGES)
def test_a_page_opens_on_the_frog_until_a_sentence_is_chosen(page: str) -> None:
    app = opened(page, bare=True)
    assert errors(app) == []
    assert page_context(app).scenario.text == FROG


def written(app: AppTest) -> str:
    """What stands behind the prompt on top of the page."""
    return app.markdown[1].value.removeprefix(FROG.replace(".", "\\.")).replace("\\", "")


def test_words_are_written_and_taken_back() -> None:
    app = opened("writing", text=FROG, wr_temperature=0)
    assert written(app) == ""
    app = pressed(app, "Write a word")
    assert written(app) == ":green[ frog]"
    app = pressed(app, "Write 20")
    many = written(app)
    assert len(many.split()) > 15
    state = app.query_params["wr_written"]
    assert written(opened("writing", text=FROG, wr_temperature=0, wr_written=state)) == many
    app = pressed(app, "Undo")
    assert many.startswith(written(app).removesuffix("]"))
    app = pressed(pressed(app, "Draw again"), "Start again")
    assert app.query_params["wr_seed"] == "1"
    assert written(app) == ""
