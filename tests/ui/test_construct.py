"""The page of tasks: a link holds what was built, and says what is missing."""

from __future__ import annotations

import pytest

from attention_lab.construct import HEAD_TASKS
from tests.lab.test_construct import solution
from tests.ui.app import errors, facts, opened, page_context


@pytest.mark.parametrize("task", HEAD_TASKS)
def test_a_link_to_a_solution_is_done(task: str) -> None:
    made = solution(task)
    more = {"mask": made.mask, "painted": made.painted} if made.painted else {}
    app = opened(
        "construct",
        construct_task=HEAD_TASKS[task].title,
        weights="by hand",
        d_model=8,
        n_heads=2,
        text=made.text,
        edits=made.edits,
        **more,
    )
    stated = facts(app)
    assert errors(app) == []
    assert stated["task"] == HEAD_TASKS[task].title
    assert stated["done"]


def test_start_sets_the_layer_of_the_task() -> None:
    app = opened("construct", seed=3)
    app.button(key="construct start").click().run()
    task = next(iter(HEAD_TASKS.values()))
    assert page_context(app).scenario == task.start
    assert not facts(app)["done"]
