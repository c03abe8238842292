"""The laboratories of words with named features and of orthonormal columns, and nonsense in the
URL of any.
"""

from __future__ import annotations

from typing import Any

import pytest

from attention_lab.labs.julia_mapping import mapping_example
from attention_lab.labs.lexicon import LEXICON, LEXICON_SENTENCES, START_TOKEN, compose_sentence
from attention_lab.labs.lexicon_heads import LEXICON_HEADS, run_lexicon
from attention_lab.labs.stack_settings import StackSettings
from attention_lab.labs.subspaces import example_planes
from attention_lab.labs.training_settings import TrainingSettings
from attention_ui.labs import stiefel
from attention_ui.labs.lexicon import words_read
from attention_ui.labs.training_runs import VisitorRun, visitor_run
from attention_viz.labels import format_percent
from tests.ui.app import errors, figures, opened, opened_at, pressed, scenes, texts


@pytest.mark.parametrize(
    ("page", "url"),
    [
        (
            "convolution",
            {"conv_kernel": "own", "conv_own": "a b c, 1 2 3, 4 5 6", "conv_pixel": "9999999-x"},
        ),
        ("lexicon", {"lex_cell": "1-2", "lex_words": "horse"}),
        ("training", {"train_without": "-1", "train_at": "900"}),
    ],
)
def test_nonsense_in_the_url(page: str, url: dict[str, Any]) -> None:
    app = opened(page, **url)
    assert not app.exception
    assert not app.error
    assert scenes(app)


def test_they_finds_the_sons_by_number() -> None:
    trace = run_lexicon(compose_sentence(LEXICON_SENTENCES[0]))
    they = trace.labels("T").index("they")
    share = float(trace.probabilities[0, 1, they, 5])
    assert share == pytest.approx(0.93, abs=0.01)
    assert f"- **number**: “sons” (5) {format_percent(share)}" in texts(opened("lexicon"))


def test_words_that_a_head_finds_alike() -> None:
    trace = run_lexicon(compose_sentence(LEXICON_SENTENCES[2]))
    it = trace.labels("T").index("it")
    said = words_read(trace, LEXICON_HEADS, it).splitlines()[0]
    assert said.startswith("- **gender**: “dogs” (")
    assert said.count("48.2 %") == 2
    assert "“book” (" in said
    many = run_lexicon(compose_sentence("saw saw saw saw", start=False))
    assert "4 words with 25.0 % each" in words_read(many, LEXICON_HEADS, 3)


def test_what_a_verb_looks_at() -> None:
    trace = run_lexicon(compose_sentence("the boy that lost it saw her"))
    assert trace.labels("T")[0] == START_TOKEN
    assert LEXICON_HEADS[3].name == "verb to subject"
    assert trace.labels("S")[int(trace.probabilities[0, 3, 6].argmax())] == "her"


def test_the_words_of_the_lexicon() -> None:
    (said,) = errors(opened("lexicon", lex_text="The <b>horse</b> saw her"))
    assert "'<'" in said
    app = opened_at(opened("lexicon"), "lex list")
    assert list(app.dataframe[0].value["word"]) == list(LEXICON)
    app.button(key="lex example 1").click().run()
    assert app.session_state["lex_text"] == LEXICON_SENTENCES[1]


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
