"""The training laboratory: it trains, stops, looks back, silences heads, compares models."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attention_lab.labs.evaluation import one_answer_loss, one_answer_score, score_layer
from attention_lab.labs.tasks import TRAINING_TASKS
from attention_lab.labs.training import train_layer
from attention_lab.labs.training_settings import TrainingSettings, models
from attention_ui.labs import training_tables
from attention_viz.labels import format_number
from attention_viz.labs.training import loss_figure
from tests.ui.app import array_of, facts, figures, gone_to, opened, page_context
from tests.ui.laboratories import button_of, opened_at, press


def test_training_runs_to_its_end() -> None:
    app = press(opened("training", train_steps=60, train_seed=3), "Train")
    settings = TrainingSettings(n_steps=60, seed=3)
    total = score_layer(settings, list(train_layer(settings))[-1].projections).total
    assert facts(app)["step"] == 60
    assert facts(app)["total_on_unseen"] == total
    assert {"60", f"{total:.4f}"} <= {metric.value for metric in app.metric}
    assert button_of(app).label == "Train again"


def test_the_page_opens_with_its_answer() -> None:
    app = opened("training")
    told, (loss, *_) = facts(app), figures(app)
    one, wide, two = told["stored_errors"].values()
    assert (one, wide) == (pytest.approx(0.5, abs=0.01), pytest.approx(0.5, abs=0.01))
    assert two < 0.001
    assert sorted(told["stored_offsets"]) == [-1, 1]
    assert (told["step"], told["is_stored"], button_of(app).label) == (800, True, "Train")
    assert [line["name"] for line in loss["data"]] == list(told["stored_errors"])
    app = press(app, "Train")
    assert (facts(app)["step"], facts(app)["is_stored"]) == (800, False)
    assert facts(app)["total_on_unseen"] == pytest.approx(told["total_on_unseen"], rel=1e-3)
    drawn = [array_of(line["y"]) for figure in (loss, figures(app)[0]) for line in figure["data"]]
    for before, after in zip(drawn[:3], drawn[3:], strict=True):
        np.testing.assert_allclose(before, after, rtol=1e-5)


def test_the_scrubber_goes_back() -> None:
    app = press(opened("training", train_steps=200), "Train")
    after = facts(app)["total_on_unseen"]
    app.slider(key="train_at").set_value(25).run()
    assert facts(app)["step"] == 50
    assert facts(app)["total_on_unseen"] > after


def test_the_scrubber_of_a_url_counts_at_once() -> None:
    app = opened("training", train_steps=200, train_batch=8, train_at=20)
    assert facts(app)["step"] == 0
    app = press(app, "Train")
    assert facts(app)["step"] == 40
    first = figures(app)
    assert figures(app.run()) == first


def test_silencing_a_head() -> None:
    app = press(opened("training", train_model="3 heads"), "without head 2")
    names = [bars["name"] for bars in figures(app)[-1]["data"]]
    assert names == ["whole layer", "without head 2"]


@pytest.mark.parametrize("task", TRAINING_TASKS)
def test_the_line_of_one_answer_per_head(task: str) -> None:
    app = opened("training", train_task=task, train_model="1 head")
    lines = [line for line in figures(app)[0]["layout"]["shapes"] if line["line"]["dash"] == "dash"]
    settings = models(task)["1 head"]
    best = one_answer_score(task, settings.n_heads, settings.widths[1])
    assert facts(app)["has_a_dashed_line"] == bool(lines) == (task != "letters")
    assert facts(app)["one_answer_per_head"] == best
    if task == "neighbours":  # a head that brings one of two misses half of the variance
        assert best == pytest.approx(0.5, abs=0.01)
        assert lines[0]["y0"] == one_answer_loss(settings)


def test_the_line_is_a_mean() -> None:
    settings = TrainingSettings(n_heads=1)
    floor = one_answer_loss(settings)
    assert floor is not None
    assert min(point.loss for point in train_layer(settings)) < floor
    (note,) = figures(opened("training", train_model="1 head"))[0]["layout"]["annotations"]
    assert format_number(floor) in note["text"]


@pytest.mark.parametrize("task", TRAINING_TASKS)
def test_a_model_is_the_same_in_the_choice_and_in_the_table(task: str) -> None:
    for name, settings in models(task).items():
        app = opened("training", train_task=task, train_model=name)
        assert facts(app)["numbers_to_learn"] == settings.n_parameters


@pytest.mark.parametrize(
    "url",
    [
        {"train_model": "own sizes", "train_heads": 16, "train_steps": 100_000},
        {"train_batch": 512, "train_steps": 100_000},
    ],
)
def test_what_takes_too_long_is_refused(url: dict[str, Any]) -> None:
    app = opened("training", **url)
    assert not app.exception
    assert len(app.error) == 1
    assert not [button for button in app.button if button.label == "Train"]


def test_comparing_models() -> None:
    app = opened_at(opened("training", train_task="conjunction", train_seed=3), "train compare")
    app = press(app, "Train them all")
    table = app.dataframe[-1].value
    assert list(table["model"]) == ["weightless", "1 head", "2 heads"]
    errors = [float(text.replace("−", "-")) for text in table["error"]]
    assert errors[0] > 0.3
    assert max(errors[1:]) < 0.01
    assert facts(app)["seeds_compared"] == [0]  # not the seed of the run above the table
    assert facts(app)["has_a_wide_head"] is False  # this task is not tried with one


def compared(app: AppTest) -> AppTest:
    """The app with all models trained that are compared."""
    app = opened_at(app, "train compare")
    return press(app, "Train them all")


@pytest.mark.parametrize("task", ["conjunction", "letters"])
def test_the_curves_end_where_the_table_says(task: str) -> None:
    app = opened("training", train_task=task)
    waiting = len(figures(app))
    app = compared(app)
    chart, told, table = figures(app)[-1], facts(app), app.dataframe[-1].value
    assert len(figures(app)) == waiting + 1
    assert chart["layout"]["yaxis"]["type"] == "log"
    column = table["cross-entropy" if task == "letters" else "error"]
    ends = {name: points[-1][1] for name, points in told["curves"].items()}
    ends |= {"weightless": told["weightless_loss"]}
    assert {name: format_number(loss, 4) for name, loss in ends.items()} == dict(
        zip(table["model"], column, strict=True)
    )
    drawn = {part["name"]: array_of(part["y"])[-1] for part in chart["data"]}
    assert drawn == pytest.approx(ends | told["marks"])
    app.session_state["table of train models"] = True
    twin = facts(app.run())["table of train models"].groupby("name").last()
    assert {name: twin.iloc[:, -1][name] for name in ends} == pytest.approx(ends)


def test_the_mean_of_five_seeds() -> None:
    app = compared(opened("training", train_task="conjunction", train_seeds="five"))
    runs = [models("conjunction", seed)["1 head"] for seed in range(5)]
    scores = [score_layer(one, list(train_layer(one))[-1].projections).total for one in runs]
    assert facts(app)["curves"]["1 head"][-1][1] == pytest.approx(np.mean(scores))


def test_every_gradient_beside_its_forward_formula() -> None:
    app = opened_at(
        opened("training", train_constraint="orthonormal", train_temperature="0.0625"),
        "train formulas",
    )
    assert facts(app)["adam_on_the_manifold"]
    shown = " ".join(str(formula.value) for formula in app.latex)
    for sign in (r"\nabla_{W_Q}", r"\nabla_{\hat S_h}", r"\mathrm{qf}"):
        assert sign in shown
    free = opened_at(opened("training"), "train formulas")
    assert not facts(free)["adam_on_the_manifold"]
    assert r"\mathrm{qf}" not in " ".join(str(formula.value) for formula in free.latex)


def test_a_trained_layer_goes_to_the_story() -> None:
    app = opened("training", train_model="4 heads")
    app = press(app, "Take this layer to the story")
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


def test_the_errors_of_several_seeds() -> None:
    row = {"model": "2 heads", "numbers to learn": "1,024", "error": "0.5000"}
    assert training_tables._row("2 heads", 1024, [0.25, 1.0, 0.25], "error") == row | {
        "smallest": "0.2500",
        "largest": "1.0000",
    }
    assert training_tables._row("2 heads", 1024, [0.5], "error") == row


def test_what_agrees_is_drawn() -> None:
    agreement, neighbours = (
        opened("training", train_task=task) for task in ("agreement", "neighbours")
    )
    assert [facts(app)["by_agreement"] for app in (agreement, neighbours)] == [True, False]
    names = {tuple(figures(app)[1]["data"][0]["x"]) for app in (agreement, neighbours)}
    assert len(names) == 2


def test_a_run_that_has_not_begun_has_no_places() -> None:
    assert opened("training", train_seed=977).slider(key="train_at").disabled
