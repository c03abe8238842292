"""The laboratory of orthonormal columns: the package, the walk, the layers and stacks."""

from __future__ import annotations

import numpy as np
import pytest

from attention_lab.labs.julia_mapping import mapping_example
from attention_lab.labs.training_settings import TrainingSettings
from attention_ui.labs import stiefel
from attention_ui.labs.training_runs import VisitorRun, visitor_run
from tests.ui.app import facts, figures, numbers_of, opened
from tests.ui.laboratories import opened_at, press


@pytest.mark.parametrize("convention", ["manual", "code"])
@pytest.mark.parametrize("connection", ["true", "false"])
def test_the_package_is_checked_on_screen(convention: str, connection: str) -> None:
    app = opened("stiefel", stiefel_convention=convention, stiefel_connection=connection)
    found = mapping_example(convention, connection == "true", 0).difference
    told = facts(app)
    assert told["difference_from_the_package"] == found < 1e-12
    assert told["same_layer"]
    theirs, ours = [str(formula.value) for formula in app.latex if "Z" in formula.value]
    assert "x" not in theirs.replace(
        "softmax", ""
    )  # one letter for the tokens, in the sum with them, too
    assert theirs.rstrip("$\n").endswith("+ Z") == ("Y = O + X" in ours) == (connection == "true")


def test_the_walk_stays_on_the_manifold() -> None:
    app = press(opened("stiefel"), "Walk 1,000 steps")
    (drift,) = [figure for figure in figures(app) if len(figure["data"]) == 4]
    assert all(np.abs(numbers_of(line["y"])).max() < 1e-10 for line in drift["data"])


def test_one_layer_and_stack_on_and_off_the_manifold() -> None:
    app = opened_at(opened("stiefel", stiefel_layers=2), "stiefel deep")
    app = press(app, "Train the stacks")
    assert not app.exception
    assert len(app.dataframe[-1].value) == 4


def test_how_deep_the_package_trains() -> None:
    app = opened_at(opened("stiefel"), "stiefel deep")
    assert facts(app)["layers_here_and_in_the_package"] == (12, 16)
    assert app.slider(key="stiefel_layers").value == 12


def test_whose_losses_are_drawn_of_five_seeds() -> None:
    several = []
    for seeds in ("one", "five"):
        app = opened("stiefel", stiefel_layers=1, stiefel_seeds=seeds)
        app.session_state["stiefel deep"] = True
        for button in app.run().button:
            if (
                button.label == "Train the stacks"
            ):  # which is not there where these were trained before
                button.click().run(timeout=120)
        several.append(facts(app)["several_seeds"])
    assert several == [False, True]


def test_the_rows_of_one_layer(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[TrainingSettings] = []

    def remember(settings: TrainingSettings) -> VisitorRun:
        asked.append(settings)
        return visitor_run(settings)

    monkeypatch.setattr(stiefel, "visitor_run", remember)
    app = opened("stiefel", stiefel_task="agreement")
    app.session_state["stiefel one"] = True
    app.run()
    rows = dict.fromkeys((one.task, one.constraint, one.temperature) for one in asked)
    assert list(rows) == [("agreement", *row) for row in stiefel.LAYER_VARIANTS.values()]
