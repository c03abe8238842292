"""What a step of the story has to look at besides its board: terms, code, numbers, files."""

from __future__ import annotations

import pytest

from attention_ui.panels import CLOSER
from attention_ui.registry import page_of, story
from tests.ui.app import errors, here, opened

STEPS = [page.url_path for page in story() if page.fields and page.url_path not in ("overview", "practice")]


@pytest.mark.parametrize("page", STEPS)
def test_every_step_can_be_looked_at_closer(page: str) -> None:
    """Each choice shows what it says: the terms of the cell, the code of the step, its numbers, and the files."""
    app = opened(page)
    assert [len(app.dataframe), len(app.code), len(app.get("download_button"))] == [0, 0, 0]
    app.session_state["closer"] = list(CLOSER)
    app.run()
    assert not errors(app)
    field = page_of(page).fields[0]
    assert here(app).trace.code(field) in app.code[0].value
    assert len(app.dataframe) == 2
    assert len(app.get("download_button")) == 5
