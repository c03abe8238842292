"""A training run is the visitor's own, though what it computes is kept for all."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from attention_lab import cache
from attention_lab.labs import training
from attention_lab.labs.training import train_layer
from attention_lab.labs.training_settings import TrainingSettings
from attention_ui.labs import visitor_runs
from attention_ui.labs.shared_runs import shared_run
from attention_ui.labs.visitor_runs import (
    MAX_RUNS,
    VisitorRun,
    continue_training,
    reset_run,
    visitor_run,
)
from attention_ui.url_state.session import Session
from tests.ui.app import facts, figures, opened
from tests.ui.laboratories import button_of, opened_at, press

LONG = TrainingSettings(n_steps=20_000, batch=1, seed=4321)


class StoppedError(Exception):
    """What ends a script that writes to a page which was left."""


def stop_at(step: int) -> Any:
    """Something that is told of each checkpoint, and stops at one."""

    def say(share: float, words: str) -> None:
        if f"step {step} of" in words:
            raise StoppedError

    return say


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch) -> Session:
    """The session of a visitor who has trained nothing, where nothing is computed yet."""
    mine = Session()
    monkeypatch.setattr(visitor_runs, "session", lambda: mine)
    cache.clear()
    return mine


def test_two_visitors_train_for_themselves() -> None:
    choices = {"train_steps": 70, "train_seed": 4321}
    one, other = opened("training", **choices), opened("training", **choices)
    one = press(one, "Train")
    assert (button_of(one).label, facts(one)["step"]) == ("Train again", 70)
    other.run()
    assert (button_of(other).label, facts(other)["step"]) == ("Train", 0)
    assert other.slider(key="train_at").disabled
    other = press(other, "Train")
    assert figures(other)[0]["data"] == figures(one)[0]["data"]
    assert facts(other)["total_on_unseen"] == facts(one)["total_on_unseen"]


def test_models_are_compared_by_who_trained_them() -> None:
    one, other = (
        opened_at(opened("training", train_task="conjunction"), "train compare") for _ in range(2)
    )
    one = press(one, "Train them all")
    assert "curves" in facts(one)
    assert "curves" not in facts(other.run())
    assert facts(press(other, "Train them all"))["curves"] == facts(one)["curves"]


def test_training_again_goes_the_same_way(monkeypatch: pytest.MonkeyPatch) -> None:
    app = press(opened("training", train_steps=70, train_seed=4322), "Train")
    before = figures(app)[0]["data"]
    told: list[int] = []
    monkeypatch.setattr(training, "next_checkpoint", refuse)
    original = visitor_runs._remaining_steps

    def watched(run: VisitorRun) -> Any:
        for one in original(run):
            told.append(run.step)
            yield one

    monkeypatch.setattr(visitor_runs, "_remaining_steps", watched)
    app = press(app, "Train again")
    assert told == [10, 20, 30, 40, 50, 60, 70]
    assert figures(app)[0]["data"] == before
    assert button_of(app).label == "Train again"


def refuse(*_: object) -> None:
    """Nothing may be computed."""
    raise AssertionError


@pytest.mark.usefixtures("own")
def test_a_stopped_run_is_shown_as_far_as_it_went() -> None:
    run = visitor_run(LONG)
    with pytest.raises(StoppedError):
        continue_training(run, stop_at(230))
    assert [step for step, _ in run.points] == [0, 200]
    assert (run.step, run.losses[-1][0], run.done) == (230, 230, False)
    assert visitor_run(LONG) is run
    assert run.at(100) == run.latest
    assert run.at(0) == run.points[0]
    with pytest.raises(StoppedError):
        continue_training(run, stop_at(260))
    *_, last = (point for point, _ in zip(train_layer(LONG), range(27), strict=False))
    assert run.step == last.step == 260
    assert (run.latest[1].w_q == last.projections.w_q).all()


@pytest.mark.usefixtures("own")
def test_who_comes_later_stays_where_they_stop() -> None:
    with pytest.raises(StoppedError):
        continue_training(visitor_run(LONG), stop_at(430))
    reset_run(LONG)
    run = visitor_run(LONG)
    assert (run.step, [step for step, _ in run.losses]) == (0, [0])
    steps: list[int] = []
    with pytest.raises(StoppedError):
        continue_training(
            run, lambda share, words: (steps.append(run.step), stop_at(400)(share, words))
        )
    assert all(a < b for a, b in pairwise(steps))
    assert shared_run(LONG).step >= 430
    assert (run.step, run.losses[-1][0]) == (400, 400)
    assert max(step for step, _ in run.points) == 400


@pytest.mark.usefixtures("own")
def test_what_was_forgotten_starts_anew() -> None:
    with pytest.raises(StoppedError):
        continue_training(visitor_run(LONG), stop_at(230))
    cache.clear()
    assert (visitor_run(LONG).step, visitor_run(LONG).done) == (0, False)


def test_a_visitor_keeps_so_many_runs(own: Session) -> None:
    every = [TrainingSettings(n_steps=1, batch=1, seed=seed) for seed in range(MAX_RUNS + 2)]
    for settings in every:
        visitor_run(settings)
        visitor_run(every[0])
    assert list(own.visitor_runs) == [*every[3:], every[0]]
