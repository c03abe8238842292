"""The pages about heads: what can be chosen there, and what is drawn then."""

from __future__ import annotations

import pytest

from attention_lab.construct import HEAD_TASKS
from tests.lab.test_construct import solution
from tests.ui.app import errors, gone_to, opened, page_context, texts
from tests.ui.pinning import pin


def test_a_click_on_the_grid_moves_the_focus(monkeypatch: pytest.MonkeyPatch) -> None:
    app = opened("all-heads")
    pin(app, monkeypatch, "board heads grid", None, "probabilities", 0, 2, 6, 4)
    assert [app.session_state[name] for name in ("head", "query", "key")] == [2, 6, 4]


def test_a_head_is_switched_off_and_on_again() -> None:
    app = opened("head-worth")
    app.button_group(key="choose off").set_value(["1"]).run()
    assert app.session_state["off"] == "1"
    assert "Heads off: 1." in texts(app)
    switches = app.run().button_group(key="choose off").proto
    # The browser has the value, so it is not sent again.
    assert (list(switches.default), switches.set_value) == ([1], False)
    app = gone_to(gone_to(app, "scores"), "head-worth")
    assert "Heads off: 1." in texts(app)
    app.button_group(key="choose off").set_value([]).run()
    assert "Heads off" not in texts(app)


# --- construct ---


def test_a_link_to_a_solution_is_done() -> None:
    task, made = HEAD_TASKS["previous"], solution("previous")
    layer = {"weights": "by hand", "d_model": 8, "n_heads": 2, "text": made.text}
    app = opened("construct", construct_task=task.title, edits=made.edits, **layer)
    assert errors(app) == []
    assert task.goal in texts(app)
    assert len(app.success) == 1


def test_start_sets_the_layer_of_the_task() -> None:
    app = opened("construct", seed=3)
    app.button(key="construct start").click().run()
    assert page_context(app).scenario == next(iter(HEAD_TASKS.values())).start
    assert not app.success
