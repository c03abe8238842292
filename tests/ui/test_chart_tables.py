"""Every chart has its numbers as a table and as a file."""

from __future__ import annotations

import re
from typing import Any

import pytest

from attention_ui.browser_files import COMPONENT_PREFIX
from tests.ui.app import charts, opened

PAGES: dict[str, dict[str, Any]] = {
    "all-heads": {"heads_view": "Lines"},
    "questions": {"verdict": "false"},
    "mask-workshop": {"mw_try": "how to hide"},
}


@pytest.mark.parametrize("page", PAGES)
def test_every_chart_has_a_table(page: str) -> None:
    app = opened(page, **PAGES[page])
    shown = [one.proto for one in app.get("bidi_component")]
    named = [chart.id for chart in shown if chart.component_name == f"{COMPONENT_PREFIX}.chart"]
    keys = [f"table of {name.split('-', 2)[2]}" for name in named]
    files = [chart["name"] for chart in charts(app)]
    assert len(keys) == len({*files}) > 0
    assert all(re.fullmatch(f"{page}-[a-z0-9-]+", name) for name in files)
    before = len(app.dataframe)
    for key in keys:
        app.session_state[key] = True
    assert all(table.proto.alt for table in app.run().dataframe)
    tables = [table.value for table in app.dataframe]
    assert len(tables) == before + len(keys)
    assert all((len(table) and len(table.columns) > 1) or "says" in table for table in tables)
