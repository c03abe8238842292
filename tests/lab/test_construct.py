"""Tasks to build a head: none is done at its start, and a solution of each is found good."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from attention_lab.by_hand import HANDMADE_FEATURES, handmade_projections
from attention_lab.choices import edits_of
from attention_lab.construct import HEAD_TASKS, find_leaks
from attention_lab.scenario import Scenario, trace_of
from attention_lab.user_data.edits import Edit
from attention_lab.user_data.painted_masks import mask_to_text

ROW = {name: place for place, name in enumerate(HANDMADE_FEATURES)}


def edited(task: str, *cells: tuple[str, int, int, float]) -> Scenario:
    """The start of a task with some numbers changed."""
    scenario = HEAD_TASKS[task].start
    edits = edits_of(scenario)
    for cell in cells:
        edits = edits.add(Edit(*cell))
    return replace(scenario, edits=edits.encode())


def solution(task: str) -> Scenario:
    """A layer that does what a task asks."""
    if task == "previous":
        weights, rows = handmade_projections(), (ROW["cos"], ROW["sin"])
        cells = product(("w_q", "w_k"), rows, (0, 1))
        copied = ((*cell, float(getattr(weights, cell[0])[cell[1], cell[2] + 4])) for cell in cells)
        return edited(task, *copied)
    if task == "first":
        return edited(task, ("w_q", ROW["one"], 0, 40.0), ("w_k", ROW["cos"], 0, 1.0))
    if task == "mean":
        weights = handmade_projections().w_q
        places = [(r, c) for r in range(8) for c in range(4) if weights[r, c]]
        return edited(task, *(("w_q", row, column, 0.0) for row, column in places))
    if task == "cancel":
        given = {"noun": -1.0, "animate": -1.0, "verb": 0.0, "other": 0.0}
        cells = (("w_o", row, ROW[name], give) for row, (name, give) in enumerate(given.items(), 4))
        return edited(task, *cells)
    hole = np.tril(np.ones((8, 8), dtype=bool))
    hole[2, 5] = True
    return replace(HEAD_TASKS[task].start, painted=mask_to_text(hole))


@pytest.mark.parametrize("task", HEAD_TASKS)
def test_nothing_is_done_at_the_start(task: str) -> None:
    parts = HEAD_TASKS[task].check(trace_of(HEAD_TASKS[task].start))
    assert not all(part.done for part in parts)
    assert all(part.missing for part in parts if not part.done)


@pytest.mark.parametrize("task", HEAD_TASKS)
def test_tasks_differ(task: str) -> None:
    trace = trace_of(solution(task))
    done = {name for name, one in HEAD_TASKS.items() if all(p.done for p in one.check(trace))}
    assert task in done
    assert done <= {task, "promise"} | ({"mean"} if task == "cancel" else set())


def test_a_leak_is_one_cell_of_the_mask() -> None:
    found = np.argwhere(np.triu(find_leaks(trace_of(solution("promise"))), 1))
    assert found.tolist() == [[2, 5]]
    causal = trace_of(replace(HEAD_TASKS["promise"].start, mask="causal"))
    assert not np.triu(find_leaks(causal), 1).any()


@pytest.mark.parametrize(
    "options",
    [{"sink": True}, {"softcap": True}, {"alibi": True}, {"qk_norm": True}, {"rotary": "halves"}],
)
def test_a_causal_mask_keeps_its_promise_with_every_option(options: dict[str, Any]) -> None:
    kept = trace_of(Scenario("the cat saw it", mask="causal", **options))
    assert not np.triu(find_leaks(kept), 1).any()
    assert np.diagonal(find_leaks(kept)).all()


def test_the_weakest_pair_is_named_with_its_share() -> None:
    trace = trace_of(Scenario("the cat saw it there now", mask="causal", seed=4))
    (part,) = HEAD_TASKS["previous"].check(trace)
    shares = {i: trace.probabilities[0, 0, i, i - 1] for i in range(1, 6)}
    weak = [i for i, share in shares.items() if share < 0.8]
    place = min(weak, key=lambda i: shares[i])
    words = trace.labels("T")
    assert len(weak) < 5
    assert f"{len(weak)} of 5 " in part.missing
    assert (
        f"“{words[place]}” gives “{words[place - 1]}” {100 * shares[place]:.1f} %" in part.missing
    )


def test_other_layers_are_judged_too() -> None:
    trace = trace_of(Scenario(text="a", d_model=2, n_heads=1))
    assert all(task.check(trace) for task in HEAD_TASKS.values())
