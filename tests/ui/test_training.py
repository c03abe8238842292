"""The training laboratory: it trains, looks back, silences heads, compares models."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attention_lab.labs.evaluation import one_answer_loss, one_answer_score, score_layer
from attention_lab.labs.tasks import TRAINING_TASKS
from attention_lab.labs.training import train_layer
from attention_lab.labs.training_settings import TrainingSettings, models
from attention_ui.labs import training_runs, training_tables
from attention_ui.labs.training import stored_answer
from attention_viz.labels import format_number, format_percent
from attention_viz.labs.training import loss_figure
from tests.ui.app import array_of, figures, gone_to, opened, opened_at, page_context, pressed, texts


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replay what is known at once: nobody watches."""
    monkeypatch.setattr(training_runs, "SECONDS_OF_A_REPLAY", 0)


@pytest.fixture
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare the models of a task after a few steps."""

    def few(task: str, seed: int = 0) -> dict[str, TrainingSettings]:
        return {name: replace(one, n_steps=10) for name, one in models(task, seed).items()}

    monkeypatch.setattr(training_tables, "models", few)


def metrics(app: Any) -> list[str]:
    """Step, score on unseen sequences, and score of one answer per head."""
    return [str(box.value) for box in app.metric]


def test_training_runs_to_its_end_and_the_scrubber_goes_back() -> None:
    app = pressed(opened("training", train_steps=60, train_seed=3), "Train")
    settings = TrainingSettings(n_steps=60, seed=3)
    points = list(train_layer(settings))
    best = one_answer_score("neighbours", 2, settings.widths[1])
    total = score_layer(settings, points[-1].projections).total
    assert metrics(app) == ["60", f"{total:.4f}", format_number(best, 4)]
    assert app.button(key="train go").label == "Train again"
    app.slider(key="train_at").set_value(34).run()
    assert metrics(app)[0] == "20"
    assert float(metrics(app)[1]) > total


def test_the_scrubber_of_a_url_counts_at_once() -> None:
    app = opened("training", train_steps=50, train_batch=8, train_at=20)
    assert metrics(app)[0] == "0"
    app = pressed(app, "Train")
    assert metrics(app)[0] == "10"
    first = figures(app)
    assert figures(app.run()) == first


def test_the_stored_runs_say_why_there_are_several_heads() -> None:
    found = stored_answer()
    one, wide, two = found.errors.values()
    assert (one, wide) == (pytest.approx(0.5, abs=0.01), pytest.approx(0.5, abs=0.01))
    assert two < 0.001
    assert sorted(found.offsets) == [-1, 1]
    app = opened("training")
    said, (loss, *_) = texts(app), figures(app)
    assert all(f"{error:.4f}" in said for error in found.errors.values())
    assert all(format_percent(share) in said for share in found.shares)
    assert (metrics(app)[:2], app.button(key="train go").label) == (["800", f"{two:.4f}"], "Train")
    assert [line["name"] for line in loss["data"]] == list(found.errors)
    app = pressed(app, "Train")
    assert metrics(app)[0] == "800"
    drawn = [array_of(line["y"]) for figure in (loss, figures(app)[0]) for line in figure["data"]]
    for before, after in zip(drawn[:3], drawn[3:], strict=True):
        np.testing.assert_allclose(before, after, rtol=1e-5)


def test_silencing_a_head() -> None:
    app = pressed(opened("training", train_model="3 heads"), "without head 2")
    names = [bars["name"] for bars in figures(app)[-1]["data"]]
    assert names == ["whole layer", "without head 2"]


@pytest.mark.parametrize("task", TRAINING_TASKS)
def test_the_line_of_one_answer_per_head(task: str) -> None:
    app = opened("training", train_task=task, train_model="1 head")
    lines = [line for line in figures(app)[0]["layout"]["shapes"] if line["line"]["dash"] == "dash"]
    settings = models(task)["1 head"]
    best = one_answer_score(task, settings.n_heads, settings.widths[1])
    assert bool(lines) == (task != "letters")
    assert metrics(app)[2] in (format_number(best, 4), format_percent(best))
    assert f"numbers to learn: {settings.n_parameters:,}" in texts(app)
    assert app.slider(key="train_at").disabled == (task != "neighbours")  # whose run is stored
    if task == "neighbours":  # a head that brings one of two misses half of the variance
        assert best == pytest.approx(0.5, abs=0.01)
        floor = one_answer_loss(settings)
        assert lines[0]["y0"] == floor
        (note,) = figures(app)[0]["layout"]["annotations"]
        assert format_number(floor) in note["text"]


def test_a_model_is_the_same_in_the_choice_and_in_the_table() -> None:
    for name, settings in models("staircase").items():
        app = opened("training", train_task="staircase", train_model=name)
        assert f"numbers to learn: {settings.n_parameters:,}" in texts(app)


@pytest.mark.parametrize(
    "url",
    [
        {"train_task": "letters", "train_model": "6 heads", "train_steps": 100_000},
        {"train_batch": 512, "train_steps": 100_000},
    ],
)
def test_what_takes_too_long_is_refused(url: dict[str, Any]) -> None:
    app = opened("training", **url)
    assert not app.exception
    assert len(app.error) == 1
    assert not [button for button in app.button if button.label == "Train"]


@pytest.mark.usefixtures("_short")
def test_models_are_compared_by_who_trained_them() -> None:
    choices = {"train_task": "letters", "train_seed": 3}
    one, other = (opened_at(opened("training", **choices), "train compare") for _ in range(2))
    waiting = len(figures(one))
    one = pressed(one, "Train them all")
    chart, table = figures(one)[-1], one.dataframe[-1].value
    assert len(figures(one)) == waiting + 1
    assert len(figures(other.run())) == waiting
    other = pressed(other, "Train them all")
    assert figures(other)[-1] == chart
    # The seed is not that of the run above the table.
    assert "Seed: 0." in texts(one)
    assert list(table["model"]) == ["weightless", *models("letters")]
    assert chart["layout"]["yaxis"]["type"] == "log"
    drawn = {line["name"]: float(array_of(line["y"])[-1]) for line in chart["data"]}
    for name, loss in zip(table["model"], table["cross-entropy"], strict=True):
        assert format_number(drawn[name], 4) == loss
    one.session_state["table of train models"] = True
    twin = one.run().dataframe[0].value.groupby("name").last().iloc[:, -1]
    assert twin[list(table["model"])].to_numpy() == pytest.approx(
        [drawn[name] for name in table["model"]]
    )


def test_every_gradient_beside_its_forward_formula() -> None:
    choices = {"train_constraint": "orthonormal", "train_temperature": "0.0625"}
    app = opened_at(opened("training", **choices), "train formulas")
    shown = " ".join(str(formula.value) for formula in app.latex)
    for sign in (r"\nabla_{W_Q}", r"\nabla_{\hat S_h}", r"\mathrm{qf}"):
        assert sign in shown
    free = opened_at(opened("training"), "train formulas")
    assert r"\mathrm{qf}" not in " ".join(str(formula.value) for formula in free.latex)


def test_a_trained_layer_goes_to_the_story() -> None:
    app = opened("training", train_model="4 heads")
    app = pressed(app, "Take this layer to the story")
    assert not app.exception
    trace = page_context(gone_to(app, "scores")).trace
    assert trace.projections.n_heads == 4
    assert trace.inputs.shape == (1, 12, 10)


def test_the_loss_of_a_single_run_needs_no_name() -> None:
    alone = str(loss_figure({"loss": [(0, 1.0)]}, 10)["layout"])
    both = str(loss_figure({"one": [(0, 1.0)], "two": [(0, 2.0)]}, 10)["layout"])
    assert "1.000" in alone
    assert "loss 1.000" not in alone
    assert "one 1.000" in both
    assert "two 2.000" in both


def test_what_agrees_is_drawn() -> None:
    names = {
        task: tuple(figures(opened("training", train_task=task))[1]["data"][0]["x"])
        for task in ("agreement", "neighbours")
    }
    assert names["agreement"] != names["neighbours"]
