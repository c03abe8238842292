"""The pages that train: what they compute while they do, and what they show of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from attention_lab import cache
from attention_lab.labs.evaluation import one_answer_loss, one_answer_score, score_layer
from attention_lab.labs.facts import stack_facts, temperature_facts
from attention_lab.labs.julia_mapping import mapping_example
from attention_lab.labs.stack_settings import StackSettings
from attention_lab.labs.subspaces import example_planes
from attention_lab.labs.tasks import TRAINING_TASKS
from attention_lab.labs.training_runs import layer_run, stored_runs
from attention_lab.labs.training_settings import TrainingSettings, models
from attention_lab.words.numbers import format_number, format_percent
from attention_viz.blocks import Block, Button, Formula, Later, Note, Table, Text
from attention_viz.labs import stiefel_experiments, training_page, training_parts
from attention_viz.labs.stiefel_experiments import LAYER_VARIANTS
from attention_viz.labs.stiefel_page import STIEFEL
from attention_viz.labs.training_page import TRAINING, settings_of
from tests.viz.reading_blocks import charts, inside, shown, texts, values_of
from tests.viz.reading_words import numbers_said

SHORT = {"train_steps": 60, "train_seed": 3}


@pytest.fixture(autouse=True)
def _nothing_is_known() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


def rows(blocks: Sequence[Block]) -> Sequence[Sequence[str]]:
    return next((one.rows for one in blocks if isinstance(one, Table)), [])


def test_a_run_is_trained_watched_and_looked_back_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training_page, "SECONDS", 0)
    before = shown(TRAINING, **SHORT)
    (button,) = (one for one in before if isinstance(one, Button))
    assert (rows(before)[0][0], button.sets["train_now"]) == ("0", "run")
    for step in range(10, 70, 10):
        now = shown(TRAINING, **SHORT, train_now="run")
        assert rows(now)[0][0] == str(step)
        assert isinstance(now[-1], Later)
    total = score_layer(
        settings_of(values_of(TRAINING, **SHORT)),
        layer_run(settings_of(values_of(TRAINING, **SHORT))).newest[1],
    ).total
    best = one_answer_score("neighbours", 2)
    assert rows(now) == [["60", format_number(total, 4), format_number(best, 4)]]
    back = shown(TRAINING, **SHORT, train_at=34)
    assert rows(back)[0][0] == "20"
    assert float(rows(back)[0][1]) > total
    watched = shown(TRAINING, **SHORT, train_now="run", train_at=34)[-1]
    assert isinstance(watched, Later)
    assert watched.sets == {"train_at": 38, "train_now": "run"}


def test_the_stored_runs_say_why_there_are_several_heads() -> None:
    ends = {name: score_layer(run.settings, run.newest[1]) for name, run in stored_runs().items()}
    one, wide, two = (score.total for score in ends.values())
    assert (one, wide) == (pytest.approx(0.5, abs=0.01), pytest.approx(0.5, abs=0.01))
    assert two < 0.001
    said = shown(TRAINING)[0]
    assert isinstance(said, Text)
    assert all(f"{error:.4f}" in said.text for error in (one, wide, two))
    assert all(f"the token {side} it" in said.text for side in ("before", "after"))
    drawn = charts(shown(TRAINING))["train loss"]
    assert [line["name"] for line in drawn["data"]] == list(ends)


@pytest.mark.parametrize("task", TRAINING_TASKS)
def test_the_line_of_one_answer_per_head(task: str) -> None:
    found = shown(TRAINING, train_task=task, train_model="1 head")
    lines = charts(found)["train loss"]["layout"]["shapes"]
    settings = models(task)["1 head"]
    best = one_answer_score(task, settings.n_heads, settings.widths[1])
    floor = one_answer_loss(settings)
    assert [line["y0"] for line in lines if line["line"]["dash"] == "dash"] == (
        [] if floor is None else [floor]
    )
    assert rows(found)[0][2] in (format_number(best, 4), format_percent(best))
    by_agreement = task in ("agreement", "conjunction")
    bars = charts(found)["train habits"]["data"][0]["x"]
    assert ("same gender" in bars) == by_agreement


def test_a_silenced_head_stands_beside_the_whole_layer() -> None:
    for model, names in (
        ("3 heads", ["whole layer", "without head 2"]),
        ("2 heads", ["whole layer"]),
    ):
        found = charts(shown(TRAINING, train_model=model, train_without="2"))["train parts"]
        assert [bars["name"] for bars in found["data"]] == names


@pytest.mark.parametrize(
    "given",
    [
        {"train_task": "letters", "train_model": "6 heads", "train_steps": 100_000},
        {"train_batch": 512, "train_steps": 100_000},
    ],
)
def test_what_takes_too_long_is_refused(given: dict[str, Any]) -> None:
    *_, last = shown(TRAINING, **given)
    assert isinstance(last, Note)
    assert "60" in last.text


def test_models_are_trained_and_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    def few(task: str, seed: int = 0) -> dict[str, TrainingSettings]:
        return {name: replace(one, n_steps=10) for name, one in models(task, seed).items()}

    monkeypatch.setattr(training_parts, "models", few)
    choices = {"train_task": "letters", "train_seed": 3}
    compare = "Compare the models"
    assert not charts(inside(TRAINING, compare, **choices))
    for _ in models("letters"):
        inside(TRAINING, compare, **choices, train_now="models")
    found = inside(TRAINING, compare, **choices)
    chart, table = charts(found)["train models"], rows(found)
    assert "Seed: 0." in texts(found)  # not that of the run above the table
    assert [one[0] for one in table] == ["weightless", *models("letters")]
    drawn = {line["name"]: float(line["y"][-1]) for line in chart["data"]}
    assert [one[-1] for one in table] == [format_number(drawn[one[0]], 4) for one in table]


def test_every_gradient_beside_its_forward_formula() -> None:
    label = "How the layer learns"
    bound = texts(inside(TRAINING, label, train_constraint="orthonormal"))
    for sign in (r"\nabla_{W_Q}", r"\nabla_{\hat S_h}", r"\mathrm{qf}"):
        assert sign in bound
    assert r"\mathrm{qf}" not in texts(inside(TRAINING, label))


@pytest.mark.parametrize(("convention", "connection"), [("manual", True), ("code", False)])
def test_the_package_is_checked_on_screen(convention: str, connection: bool) -> None:
    found = shown(STIEFEL, stiefel_convention=convention, stiefel_connection=connection)
    assert mapping_example(convention, connection, 0).difference < 1e-12
    assert [one.tone for one in found if isinstance(one, Note)] == ["right"]
    added = any(one.latex.endswith("+ Z") for one in found if isinstance(one, Formula))
    assert added == ("Y = O + X" in texts(found)) == connection


@pytest.mark.parametrize("orthonormal", [True, False])
def test_the_subspaces_of_the_heads(orthonormal: bool) -> None:
    planes = example_planes(2, 0, orthonormal)
    found = shown(STIEFEL, stiefel_plane="head 1", stiefel_plane_columns=orthonormal)
    shares = [list(map(format_percent, map(float, row))) for row in planes.length_shares]
    _, table = (one.rows for one in found if isinstance(one, Table))
    assert [list(row[1:]) for row in table] == shares
    says = f"**{format_percent(planes.stretch)}** of the length" in texts(found)
    assert says == (planes.stretch > 1e-12) == (not orthonormal)


def test_stacks_on_and_off_the_manifold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        stiefel_experiments, "StackSettings", lambda *a, **b: StackSettings(*a, n_steps=4, **b)
    )
    label, choices = "A deep stack", {"stiefel_layers": 1}
    for done in range(4):
        assert len(rows(inside(STIEFEL, label, **choices))) == done
        inside(STIEFEL, label, **choices, train_now="stacks")
    assert len(rows(inside(STIEFEL, label, **choices))) == 4


def test_the_rows_of_one_layer(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[TrainingSettings] = []

    def remember(settings: TrainingSettings) -> Any:
        asked.append(settings)
        return layer_run(settings)

    monkeypatch.setattr(stiefel_experiments, "layer_run", remember)
    inside(STIEFEL, "One layer", stiefel_task="agreement")
    found = [(one.task, one.constraint, one.temperature) for one in asked]
    assert found == [("agreement", *row) for row in LAYER_VARIANTS.values()]


def test_what_the_experiments_say_of_temperatures_and_stacks() -> None:
    for errors, best in (
        ({3.0: 0.3, 0.25: 0.2, 0.0625: 0.1}, "1/16 (error 0.1000)"),
        ({3.0: 0.3, 0.25: 0.1, 0.0625: 0.4}, "¼ (error 0.1000)"),
        ({0.0625: 0.4, 3.0: 0.1, 0.25: 0.1}, "√d_k (error 0.1000)"),
    ):
        facts = temperature_facts(errors)
        said = stiefel_experiments.describe_temperatures(facts)
        assert f"**{best}**" in said
        assert (stiefel_experiments.SATURATED in said) == (facts.case != "lowest")
        assert f"error {errors[0.0625]:.4f}" in said
        assert f"error {errors[3.0]:.4f}" in said
    results = {"scaled": (0.9, 3.0), "glorot": (0.5, 9.0), "stiefel": (0.8, 1.5)}
    said = stiefel_experiments.describe_glorot(stack_facts("glorot", results))
    assert numbers_said(said) == [0.5, 0.8, 0.9, 9.0, 3.0]
    assert not numbers_said(stiefel_experiments.describe_glorot(None))
