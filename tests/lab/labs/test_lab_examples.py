"""The examples of the laboratories have the properties for which they were chosen."""

from __future__ import annotations

import pytest

from attention_lab.labs.lab_examples import (
    n_choosing_themselves,
    one_by_one_example,
    sphere_step_example,
    untrained_output_size,
)
from attention_lab.labs.one_by_one import run_one_by_one
from attention_lab.labs.stack_settings import StackSettings


@pytest.mark.parametrize(
    ("kind", "all_of_them"), [("raw", False), ("layer-normed", True), ("with positions", True)]
)
def test_a_longer_token_wins_unless_lengths_are_equal(kind: str, all_of_them: bool) -> None:
    """A raw token loses its own row to a longer one; normalised or by position every token chooses
    itself.
    """
    run = run_one_by_one(*one_by_one_example(), sharpness=40, kind=kind)
    assert (n_choosing_themselves(run) == 6) is all_of_them
    assert (run.error < 1e-9) is all_of_them


def test_a_gradient_along_the_point_is_no_reason_to_move() -> None:
    """The part of the gradient along the point does not change where the step lands."""
    flat, steep = sphere_step_example(30, 0.0, 0.7), sphere_step_example(30, 5.0, 0.7)
    assert steep.landing_points["geodesic"] == pytest.approx(flat.landing_points["geodesic"])


def test_glorot_grows_and_the_others_do_not() -> None:
    """After twelve layers the output with Glorot's numbers is many times as large as with
    orthonormal columns.
    """
    assert untrained_output_size(StackSettings(variant="glorot")) > 3 * untrained_output_size(
        StackSettings(variant="stiefel")
    )
