"""The user's own numbers: edits from the board, the table and the URL, matrices and states
from files.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attention_lab.scenario import Scenario, trace_of
from attention_lab.user_data.edits import Edit, Edits
from attention_ui import board, own_numbers
from tests.ui.app import named_in, opened, page_context, pressed, refused, scenes, texts
from tests.ui.callbacks import session

EDITED = "wq_0_3_9__x_2_1_-0.5"


def test_edits_in_the_url_change_the_layer() -> None:
    app = opened("projections", edits=EDITED)
    trace, plain = page_context(app).trace, trace_of(Scenario())
    assert trace.projections.w_q[0, 3] == 9
    assert trace.inputs[0, 2, 1] == -0.5
    assert not np.array_equal(trace.output, plain.output)
    arrays = scenes(app)[0]["arrays"]
    assert all("changed" in arrays[name] for name in ("inputs", "w_q", "queries"))
    assert "Edited cells: 2." in texts(app)


def test_undo_and_reset() -> None:
    app = pressed(opened("scores", edits=EDITED), "Undo")
    assert page_context(app).scenario.edits == "wq_0_3_9"
    app = pressed(opened("scores", edits=EDITED), "Reset edits")
    assert page_context(app).scenario == Scenario()
    assert not any("changed" in array for array in scenes(app)[0]["arrays"].values())


@pytest.mark.parametrize(
    "junk", ["banana", "wq_0_0_nan", "wq_0_0_1e99", "wz_0_0_1", "x_-1_0_2", "." + "0" * 32, "__"]
)
def test_nonsense_in_the_url(junk: str) -> None:
    app = opened("scores", edits=junk)
    assert not app.exception
    assert page_context(app).scenario == Scenario()
    assert [asked for _, asked, _ in refused(app)] == [junk[:40]]
    assert not opened("scores", own=junk).exception


def test_an_edit_outside_waits() -> None:
    app = opened("scores", edits="wq_15_15_2", d_model=8, n_heads=2)
    assert "Edited cells" not in texts(app)
    app.number_input(key="d_model").set_value(16).run()
    assert page_context(app).trace.projections.w_q[15, 15] == 2
    assert "Edited cells: 1." in texts(app)


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        ({"array": "w_q", "index": [0, 3], "value": 9}, "wq_0_3_9"),
        ({"array": "inputs", "index": [0, 2, 1], "value": -0.5}, "x_2_1_-0.5"),
        ({"array": "memory", "index": [0, 2, 1], "value": -0.5}, "x_2_1_-0.5"),
        ({"array": "scores", "index": [0, 0, 2, 1], "value": 1}, ""),
        ({"array": "w_q", "index": [0], "value": 9}, ""),
        ({"array": "w_q", "index": [0, 3], "value": "9"}, ""),
        (None, ""),
        ([1], ""),
    ],
)
def test_typing_on_a_cell(monkeypatch: pytest.MonkeyPatch, edit: Any, expected: str) -> None:
    state = session(monkeypatch, board={"edit": edit})
    board._edited("board")
    assert state["edits"] == expected


def test_a_number_that_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    state = session(monkeypatch, edits=EDITED)
    own_numbers.edit_cell("w_q", 0, 0, 1e99)
    assert state["edits"] == EDITED
    assert "1000000" in named_in(state["own numbers refused"])


def test_the_table_gives_edits(monkeypatch: pytest.MonkeyPatch) -> None:
    state = session(monkeypatch, table={"edited_rows": {1: {"2": 3.5, "0": None}, 0: {"1": -1}}})
    own_numbers._table_changed("table", "w_o")
    assert Edits.decode(state["edits"]).items == (Edit("w_o", 1, 2, 3.5), Edit("w_o", 0, 1, -1.0))
