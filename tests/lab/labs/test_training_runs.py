"""A run trains a little at a time, and what it computes is kept for all."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from attention_lab import cache
from attention_lab.labs.stack_settings import StackSettings
from attention_lab.labs.training import train_layer
from attention_lab.labs.training_runs import layer_run, stack_run
from attention_lab.labs.training_settings import TrainingSettings

LONG = TrainingSettings(n_steps=20_000, batch=1, seed=4321)


@pytest.fixture(autouse=True)
def _nothing_is_known() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


def test_a_run_that_is_continued_is_the_run() -> None:
    run = layer_run(LONG)
    assert (run.step, run.done, [step for step, _ in run.losses]) == (0, False, [0])
    for _ in range(26):
        run.train(0)
    *_, last = (point for point, _ in zip(train_layer(LONG), range(27), strict=False))
    assert run.step == last.step == run.losses[-1][0] == 260
    assert (run.newest[1].w_q == last.projections.w_q).all()
    assert [step for step, _ in run.points] == [0, 200]
    assert layer_run(LONG) is run
    assert [run.at(percent)[0] for percent in (0, 1, 1.2, 100)] == [0, 200, 200, 260]


def test_visitors_who_train_a_run_at_once_train_it_one_after_the_other() -> None:
    run, others = layer_run(LONG), Barrier(4)

    def train() -> None:
        others.wait()
        run.train(0.02)

    with ThreadPoolExecutor(4) as visitors:
        list(visitors.map(lambda _: train(), range(4)))
    steps = [step for step, _ in run.losses]
    assert steps == list(range(0, run.step + 1, 10))


def test_a_run_ends_at_its_last_step() -> None:
    settings = TrainingSettings(n_steps=25, seed=3)
    run = layer_run(settings)
    run.train(60)
    points = list(train_layer(settings))
    assert run.done
    assert run.losses == [(point.step, point.loss) for point in points]
    assert [step for step, _ in run.points] == [0, 10, 20, 25]
    run.train(60)
    assert run.step == 25


def test_a_deep_stack_is_continued_as_well() -> None:
    settings = StackSettings(n_layers=1, n_steps=20)
    run = stack_run(settings)
    run.train(0)
    assert (run.step, run.done) == (10, False)
    run.train(0)
    assert (run.done, stack_run(settings) is run) == (True, True)
