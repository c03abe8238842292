"""The laboratories do what they promise: train, compare, check on the spot, and answer bad
input with a sentence.
"""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from attention_lab.labs.evaluation import score
from attention_lab.labs.tasks import TASKS
from attention_lab.labs.training import train
from attention_lab.labs.training_settings import TrainingSettings, models
from attention_ui.labs.training_run import Run
from tests.ui.app import figures, gone_to, here, opened, scenes, texts
from tests.ui.picturing import pixels_of, png


def press(app: AppTest, label: str) -> AppTest:
    """The app after a button was pressed."""
    return next(button for button in app.button if button.label == label).click().run()


def metrics(app: AppTest) -> dict[str, str]:
    """The numbers that stand in boxes, by their names."""
    return {str(metric.label): str(metric.value) for metric in app.metric}


def opened_at(app: AppTest, expander: str) -> AppTest:
    """The app with one of its expanders open."""
    app.session_state[expander] = True
    return app.run()


def test_training_runs_to_its_end() -> None:
    """Train makes all steps; the score on unseen sequences is that of the same settings trained
    without the page.
    """
    app = press(opened("training", train_steps=60, train_seed=3), "Train")
    assert not app.exception
    settings = TrainingSettings(n_steps=60, seed=3)
    last = list(train(settings))[-1]
    assert metrics(app)["Step"] == "60"
    assert (
        metrics(app)["Error on unseen sequences"]
        == f"{score(settings, last.projections).total:.4f}"
    )
    assert [button.label for button in app.button if button.label == "Trained" and button.disabled]


def test_a_stopped_run_is_shown_as_far_as_it_went() -> None:
    """A run of 20,000 steps keeps every 200th; one that was stopped before is shown at its last
    step all the same.
    """
    settings = TrainingSettings(n_steps=20_000)
    run, checkpoints = Run(settings), train(settings)
    for _ in range(4):
        run.add(next(checkpoints))
    assert [step for step, _ in run.points] == [0]
    assert run.latest is not None
    assert run.at(100) == (30, run.latest.projections)
    assert run.at(0) == run.points[0]


def test_the_scrubber_goes_back() -> None:
    """The slider shows an earlier checkpoint of the run, and the layer then scores worse."""
    app = press(opened("training", train_steps=200), "Train")
    after = float(metrics(app)["Error on unseen sequences"])
    app.slider(key="train_at").set_value(25).run()
    assert metrics(app)["Step"] == "50"
    assert float(metrics(app)["Error on unseen sequences"]) > after


def test_the_scrubber_of_an_address_counts_at_once() -> None:
    """An address that names a place of the run shows that checkpoint, and marks it, in the
    first run of the page.
    """
    press(opened("training", train_steps=200, train_batch=8), "Train")
    app = opened("training", train_steps=200, train_batch=8, train_at=20)
    assert metrics(app)["Step"] == "40"
    first = figures(app)
    assert figures(app.run()) == first


def test_silencing_a_head() -> None:
    """A button silences a head: the bars then compare the whole layer with the rest."""
    app = press(opened("training", train_model="3 heads"), "without head 2")
    names = [bars["name"] for bars in figures(app)[-1]["data"]]
    assert names == ["whole layer", "without head 2"]


def test_the_line_of_one_answer_per_head() -> None:
    """One head that brings one of two neighbours misses half of the variance: the dashed line
    lies there.
    """
    app = opened("training", train_model="1 head")
    lines = figures(app)[0]["layout"]["shapes"]
    assert lines[0]["y0"] == pytest.approx(0.5, abs=0.01)
    assert metrics(app)["One answer per head"] == "0.5000"


@pytest.mark.parametrize("task", TASKS)
def test_a_model_is_the_same_in_the_choice_and_in_the_table(task: str) -> None:
    """What the choice of models calls by a name has as many numbers to learn as the table's
    model of that name.
    """
    for name, settings in models(task).items():
        app = opened("training", train_task=task, train_model=name)
        assert f"{settings.n_parameters:,} numbers to learn" in texts(app)


@pytest.mark.parametrize(
    "address",
    [
        {"train_model": "own sizes", "train_heads": 16, "train_steps": 100_000},
        {"train_batch": 512, "train_steps": 100_000},
    ],
)
def test_what_takes_too_long_is_refused(address: dict[str, Any]) -> None:
    """A run of more than a minute is not started: the page says how long it would take."""
    app = opened("training", **address)
    assert "would take about" in app.error[0].value
    assert not [button for button in app.button if button.label == "Train"]


def test_comparing_models() -> None:
    """The table trains what is missing and has a row for each model, weightless first."""
    app = opened_at(opened("training", train_task="conjunction", train_seed=3), "train compare")
    app = press(app, "Train them all")
    assert not app.exception
    table = app.dataframe[-1].value
    assert list(table["model"]) == ["weightless", "1 head", "2 heads"]
    errors = [float(text.replace("−", "-")) for text in table["error"]]
    assert errors[0] > 0.3
    assert max(errors[1:]) < 0.01
    assert "with seed 0 and what else this page starts with, whatever is chosen above" in texts(
        app
    )  # not the seed of the run above the table
    assert "A wide head" not in texts(app)  # this task is not tried with one


def test_every_gradient_beside_its_forward_formula() -> None:
    """The formulas of the way back stand beside the forward ones."""
    app = opened_at(
        opened("training", train_constraint="orthonormal", train_temperature="0.0625"),
        "train formulas",
    )
    assert "makes gradients smaller" not in texts(app)  # this scale is 16
    assert "the others take the usual step" in texts(app)
    shown = " ".join(str(formula.value) for formula in app.latex)
    for sign in (r"\nabla_{W_Q}", r"\nabla_{\hat S_h}", r"\mathrm{qf}"):
        assert sign in shown


def test_a_trained_layer_goes_to_the_story() -> None:
    """The button puts the trained matrices in the place of the sidebar's, so that the story
    shows them.
    """
    app = opened("training", train_model="4 heads")
    app = press(app, "Take this layer to the story")
    assert not app.exception
    trace = here(gone_to(app, "scores")).trace
    assert trace.projections.n_heads == 4
    assert trace.inputs.shape == (1, 12, 10)


@pytest.mark.parametrize("convention", ["manual", "code"])
@pytest.mark.parametrize("connection", ["true", "false"])
def test_the_package_is_checked_on_screen(convention: str, connection: str) -> None:
    """Both conventions, with and without the skip connection, agree with our engine to 1e-12."""
    app = opened("stiefel", stiefel_convention=convention, stiefel_connection=connection)
    assert any("the same layer" in str(element.value) for element in app.markdown)
    theirs, ours = [str(formula.value) for formula in app.latex if "Z" in formula.value]
    assert "x" not in theirs.replace(
        "softmax", ""
    )  # one letter for the tokens, in the sum with them, too
    assert theirs.rstrip("$\n").endswith("+ Z") == ("Y = O + X" in ours) == (connection == "true")


def test_the_walk_stays_on_the_manifold() -> None:
    """The four retractions are walked on demand; none leaves the manifold by more than rounding."""
    app = press(opened("stiefel"), "Walk 1,000 steps")
    drift = next(figure for figure in figures(app) if len(figure["data"]) == 4)
    assert "distance from orthonormal" in drift["layout"]["meta"]["description"]


def test_one_layer_and_stack_on_and_off_the_manifold() -> None:
    """Both tables have all their rows once they are trained; no other test trains stacks of two
    layers.
    """
    app = opened_at(opened("stiefel", stiefel_layers=2), "stiefel deep")
    app = press(app, "Train the stacks")
    assert not app.exception
    assert len(app.dataframe[-1].value) == 4


@pytest.mark.parametrize(
    ("padding", "most"), [("nothing", 1e-12), ("frame", 1e-12), ("sink", 1e-12), ("circular", 1e-8)]
)
def test_convolution_is_reached(padding: str, most: float) -> None:
    """At the greatest sharpness attention and convolution agree in every padding; around
    circles a bit less.
    """
    app = opened("convolution", conv_padding=padding, conv_sharpness=80.0, conv_kernel="emboss")
    says = scenes(app)[0]["description"]
    assert float(says.rsplit(" ", 1)[-1].rstrip(".").replace("−", "-")) < most


def test_own_kernel_and_drawing_from_the_address() -> None:
    """A kernel and a picture of one's own come from the address, and two heads do the same."""
    app = opened(
        "convolution",
        conv_kernel="own",
        conv_own="1 0 0, 0 0 0, 0 0 -2",
        conv_image="drawn",
        conv_drawn="-".join(["12345678"] * 8),
        conv_sharpness=80.0,
    )
    app = opened_at(app, "conv two")
    assert not app.exception
    assert not app.error
    assert len(scenes(app)) == 3
    assert "Largest error" in texts(app)


def test_a_picture_from_a_file() -> None:
    """A PNG becomes the picture, as grey numbers; where one is refused the earlier one stays,
    at first the disc.
    """
    app = opened("convolution", conv_image="file")
    for width, height, expected in (
        (10_000, 9, ([8, 8], 1)),
        (5, 3, ([3, 5], 0.8)),
        (10_000, 9, ([3, 5], 0.8)),
    ):
        file = png(width, height, pixels_of(*[bytes(range(0, 255, 51))] * 3))
        app.file_uploader(key="conv file").set_value(("a.png", file, "image/png")).run()
        assert not app.exception
        shown = scenes(app)[0]["arrays"]["picture"]
        assert (shown["shape"], shown["limit"]) == expected
        assert ["1 to 1,024 a side are read" in error.value for error in app.error] == [True] * (
            width > 5
        )


@pytest.mark.parametrize(
    ("page", "address"),
    [
        (
            "convolution",
            {"conv_kernel": "own", "conv_own": "a b c, 1 2 3, 4 5 6", "conv_pixel": "9999999-x"},
        ),
        (
            "convolution",
            {"conv_kernel": "own", "conv_own": "1 2", "conv_image": "drawn", "conv_drawn": "<b>"},
        ),
        ("lexicon", {"lex_cell": "1-2", "lex_words": "<script>:NOUN"}),
        ("lexicon", {"lex_cell": "9-99-99", "lex_words": "horse"}),
        ("training", {"train_without": "-1", "train_at": "900"}),
    ],
)
def test_nonsense_in_the_address(page: str, address: dict[str, Any]) -> None:
    """Nonsense in the address leaves what is shown and never breaks the page."""
    app = opened(page, **address)
    assert not app.exception
    assert not app.error
    assert scenes(app)


def test_lexicon_follows_they() -> None:
    """As it opens, “they” is followed: the number head finds the sons."""
    app = opened("lexicon")
    assert "**number** looks at “sons” (5) with 93" in texts(app)


def test_a_word_that_is_not_in_the_lexicon() -> None:
    """A sentence with an unknown word gets a sentence in return, letter by letter."""
    app = opened("lexicon", lex_text="The <b>horse</b> saw her")
    assert not app.exception
    assert "is not in the lexicon" in app.error[0].value


def test_an_own_word() -> None:
    """A word of one's own is added with its features, by the form or the address, and can then
    be used.
    """
    app = opened("lexicon", lex_words="mare:fem.sg.anim.NOUN", lex_text="The mare called her")
    assert not app.error
    assert "**gender** looks at “mare”" in texts(app)
    app = opened_at(app, "lex list")
    app.text_input(key="lex new word").set_value("<i>")
    app.pills(key="lex new features").set_value(["NOUN"])
    app = press(app, "Add the word")
    assert "made of letters" in app.error[0].value
