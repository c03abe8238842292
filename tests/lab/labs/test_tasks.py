"""The five tasks: inputs and targets, checked token by token with plain loops."""

from __future__ import annotations

import numpy as np
import pytest

from attention_lab.labs.tasks import (
    TRAINING_TASKS,
    ring_positions,
    target_variance,
    unseen_examples,
)

N = 7


@pytest.mark.parametrize(
    ("name", "offsets"),
    [("neighbours", (-1, 1)), ("staircase", (-2, -1, 1, 2)), ("letters", (-1, 1))],
)
def test_targets_of_ring_tasks(name: str, offsets: tuple[int, ...]) -> None:
    examples = TRAINING_TASKS[name].draw(np.random.default_rng(0), N)
    contents = examples.inputs[..., :-6]
    for b, i in np.ndindex(N, 12):
        for part, offset in enumerate(offsets):
            assert (examples.targets[b, i, part] == contents[b, (i + offset) % 12]).all()
    assert (examples.inputs[..., -6:] == ring_positions()).all()


def test_positions_on_the_ring() -> None:
    assert ring_positions()[3].round(12).tolist() == [0, -1, 0, 1, 0, -1]


@pytest.mark.parametrize("name", ["agreement", "conjunction"])
def test_targets_of_word_tasks(name: str) -> None:
    examples = TRAINING_TASKS[name].draw(np.random.default_rng(0), N)
    for b, i in np.ndindex(N, 10):
        words = examples.inputs[b]
        gender = [j for j in range(10) if (words[j, :3] == words[i, :3]).all()]
        number = [j for j in range(10) if (words[j, 3:5] == words[i, 3:5]).all()]
        chosen = [gender, number] if name == "agreement" else [[j for j in gender if j in number]]
        for part, members in enumerate(chosen):
            assert i in members
            np.testing.assert_allclose(
                examples.targets[b, i, part], words[members, 5:].mean(axis=0), atol=1e-12
            )


def test_every_word_has_one_gender_and_one_number() -> None:
    inputs = unseen_examples("agreement").inputs
    assert (inputs[..., :3].sum(axis=-1) == 1).all()
    assert (inputs[..., 3:5].sum(axis=-1) == 1).all()
    same = inputs[..., :3] @ inputs[..., :3].swapaxes(1, 2)
    assert same.mean() == pytest.approx(0.1 + 0.9 / 3, abs=0.01)


def test_the_error_that_counts_as_one() -> None:
    assert target_variance("neighbours") == pytest.approx(1, abs=0.03)
    assert target_variance("agreement", 4000) == pytest.approx(0.245, abs=0.01)
