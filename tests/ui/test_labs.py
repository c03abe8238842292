"""The laboratory of orthonormal columns, and nonsense in the URL of any."""

from __future__ import annotations

import pytest

from attention_lab.labs.julia_mapping import mapping_example
from attention_lab.labs.stack_settings import StackSettings
from attention_lab.labs.subspaces import example_planes
from attention_lab.labs.training_settings import TrainingSettings
from attention_ui.labs import stiefel
from attention_ui.labs.training_runs import VisitorRun, visitor_run
from attention_viz.labels import format_percent
from tests.ui.app import figures, opened, opened_at, pressed, scenes, texts


def test_nonsense_in_the_url() -> None:
    app = opened("training", train_without="-1", train_at="900")
    assert not app.exception
    assert not app.error
    assert scenes(app)


@pytest.mark.parametrize(
    ("convention", "connection"), [("manual", "true"), ("code", "false"), ("code", "true")]
)
def test_the_package_is_checked_on_screen(convention: str, connection: str) -> None:
    app = opened("stiefel", stiefel_convention=convention, stiefel_connection=connection)
    assert mapping_example(convention, connection == "true", 0).difference < 1e-12
    assert ":green-badge" in texts(app)
    theirs, ours = [str(formula.value) for formula in app.latex if "Z" in formula.value]
    assert "x" not in theirs.replace("softmax", "")  # one letter for the tokens, in the sum too
    assert theirs.rstrip("$\n").endswith("+ Z") == ("Y = O + X" in ours) == (connection == "true")


def test_the_subspaces_of_the_heads() -> None:
    for is_free in (False, True):
        app = opened("stiefel", stiefel_plane="head 1", stiefel_plane_columns=not is_free)
        planes = example_planes(2, 0, orthonormal=not is_free)
        said = texts(app)
        for share in planes.length_shares.ravel():
            assert format_percent(float(share)) in said
        assert (f"**{format_percent(planes.stretch)}** of the length" in said) == is_free
        assert (planes.stretch > 1e-12) == is_free
        kinds = [figure["data"][0]["type"] for figure in figures(app)]
        assert kinds.count("scatter3d") == 2


def test_stacks_on_and_off_the_manifold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stiefel, "StackSettings", lambda *a, **b: StackSettings(*a, n_steps=4, **b))
    monkeypatch.setattr(stiefel.StackSettings, "n_steps", 4, raising=False)
    app = opened_at(opened("stiefel"), "stiefel deep")
    slider = app.slider(key="stiefel_layers")
    assert slider.value == StackSettings.n_layers == 12
    slider.set_value(1).run()
    app = pressed(app, "Train the stacks")
    assert not app.exception
    assert len(app.dataframe[-1].value) == 4


def test_the_rows_of_one_layer(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[TrainingSettings] = []

    def remember(settings: TrainingSettings) -> VisitorRun:
        asked.append(settings)
        return visitor_run(settings)

    monkeypatch.setattr(stiefel, "visitor_run", remember)
    opened_at(opened("stiefel", stiefel_task="agreement"), "stiefel one")
    rows = dict.fromkeys((one.task, one.constraint, one.temperature) for one in asked)
    assert list(rows) == [("agreement", *row) for row in stiefel.LAYER_VARIANTS.values()]
