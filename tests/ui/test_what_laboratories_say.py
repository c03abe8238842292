"""Sentences of the diagonal section and of the laboratories, in states in which they would be
false.
"""

from __future__ import annotations

import pytest

from attention_lab.labs.evaluation import loss_floor
from attention_lab.labs.lexicon import SENTENCES, compose
from attention_lab.labs.lexicon_heads import HEADS, run_lexicon
from attention_lab.labs.tasks import TASKS
from attention_lab.labs.training import train
from attention_lab.labs.training_settings import TrainingSettings
from attention_ui.labs import stiefel_runs, training_tables
from attention_ui.labs.training_run import Run, run_of
from attention_viz.labs.training_figures import loss_figure
from tests.ui.app import alternatives, figures, opened, scenes, texts


def test_tied_weights_are_a_tendency() -> None:
    """Of the default sentence 8 of 12 tokens look at themselves most with tied weights: nothing
    says that all do.
    """
    said = texts(opened("self-attention-mass", lab_weights="tied"))
    assert "**8 of 12 tokens** look at themselves most" in said
    assert "every token prefers itself" not in said


def test_a_tie_is_told_as_one() -> None:
    """Equal tokens look at themselves no more than at one another, and a bound that is met has
    nothing to spare.
    """
    said = texts(opened("self-attention-mass", text="the the the"))
    assert (
        "**3 of 3 tokens** look at themselves most, but no more than at another; the diagonal"
        in said
    )
    assert "the bound **holds**, with nothing to spare." in said
    some = texts(
        opened(
            "self-attention-mass", lab_tokens="numbers", lab_numbers="1,0; 1,0; 0,1", lab_spread=0
        )
    )
    assert (
        "**3 of 3 tokens** look at themselves most, 2 of them no more than at another; the diagonal"
        in some
    )
    assert "no more than" not in texts(opened("self-attention-mass", text="a"))


def test_one_token_has_no_other() -> None:
    """It meets the conditions of statements about pairs, of which it makes none; and it is its
    own mean at once.
    """
    assert "one token alone has no other" in texts(
        opened("truths", lab_tokens="numbers", lab_numbers="3")
    )
    assert "and there is no other token" in texts(opened("geometry", plane_of="tied", text="a"))
    assert "C = 64 **from the start**" in texts(opened("depth", depth_tokens="sentence", text="a"))


def test_one_token_has_no_pair() -> None:
    """Beside the diagonal of one token there is no cell to click."""
    for page in ("self-attention-mass", "truths"):
        assert "for a pair" not in texts(opened(page, lab_tokens="numbers", lab_numbers="3"))
    assert "for a pair" in texts(
        opened("truths", lab_tokens="numbers", lab_numbers="3; 4", lab_cell="1-1")
    )


def test_places_of_numbers_are_not_quoted_like_tokens() -> None:
    """Of the tokens 3, 2, 1 the one in place 2 is 1: “2” would seem to be the token 2. Words
    stay quoted.
    """
    for cell, said in (("2-1", "**i = 2, j = 1**"), ("2-2", "**i = j = 2**")):
        shown = texts(opened("truths", lab_tokens="numbers", lab_numbers="3; 2; 1", lab_cell=cell))
        assert said in shown
        assert "row 2, column 1" in shown
    assert "**i = “1 animal”, j = “8 it”**" in texts(opened("truths"))


def test_the_formulas_of_growth_are_those_of_its_curves() -> None:
    """Under a causal mask the curves are means over the rows; with tied weights C stands for
    d_k.
    """
    rows, width = "with $i-1$ in the place of $N-1$", "in the place of C in the formulas"
    plain, causal, tied = (
        texts(opened("growth", **address))
        for address in ({}, {"growth_causal": "true"}, {"growth_kind": "tied"})
    )
    assert [(rows in said, width in said) for said in (plain, causal, tied)] == [
        (False, False),
        (True, False),
        (False, True),
    ]


def test_stacks_in_which_nothing_is_drawn() -> None:
    """A sentence without weights has one course and no band."""
    said = texts(opened("depth", depth_compare="remedies", depth_tokens="sentence"))
    assert "there is one course; lines with a band are the median of 9 draws" in said
    assert "Lines are the median of 9 draws" in texts(opened("depth"))


def test_a_token_that_looks_at_itself_can_change() -> None:
    """A single token looks at itself alone, yet random weights turn it into another: nothing is
    mixed, much changes.
    """
    said = texts(opened("depth", depth_weights="random", depth_tokens="sentence", text="a"))
    assert "Where this is near 1, they are hardly mixed" in said
    assert "changes little" not in said


def test_a_remedy_names_its_gain() -> None:
    """Random heads with a skip and a gain of 1 collapse after 20 layers; those that do not have
    a smaller gain.
    """
    assert "4 random heads, skip and gain 0.25 **never here**" in texts(
        opened("depth", depth_compare="remedies")
    )
    said = texts(opened("depth", depth_weights="random", depth_skip="true"))
    assert "C = 16 **after 20 layers**" in said


def test_layers_with_skips_do_not_replace_tokens() -> None:
    """With a skip connection a layer adds to a token; it is attention alone that averages."""
    assert "A layer replaces each token" not in texts(opened("depth", depth_skip="true"))


@pytest.mark.parametrize("task", TASKS)
def test_the_line_of_one_answer_per_head(task: str) -> None:
    """The page of training speaks of a dashed line only where there is one, and of no bound:
    none is known.
    """
    app = opened("training", train_task=task, train_model="1 head")
    assert ("The dashed line" in texts(app)) == (task != "letters")
    assert "theory" not in texts(app).lower()
    assert [metric.label for metric in app.metric][-1] == "One answer per head"


def test_the_line_is_a_mean() -> None:
    """Losses of few sequences lie now and then below the mean of one answer, and nothing says
    that none does.
    """
    settings = TrainingSettings(n_heads=1)
    floor = loss_floor(settings)
    assert floor is not None
    assert min(point.loss for point in train(settings)) < floor
    app = opened("training", train_model="1 head")
    (note,) = figures(app)[0]["layout"]["annotations"]
    assert note["text"] == "one answer per head: 0.500 on average"
    assert "may lie below it" in texts(app)
    assert "little data" not in str([metric.help for metric in app.metric])


def test_how_deep_the_package_trains() -> None:
    """The package's example has 16 layers; the stack here begins with twelve."""
    labels = [expander.label for expander in opened("stiefel").expander]
    assert "Twelve layers, where the package trains sixteen" in labels


def test_a_kernel_without_positive_numbers() -> None:
    """One head spreads like its negative numbers, and none like positive ones; one head reads."""
    app = opened("convolution", conv_kernel="own", conv_own="-1 -1 -1, -1 -1 -1, -1 -1 -1")
    app.session_state["conv two"] = True
    assert "one like its negative ones, where it has such" in texts(app.run())
    assert scenes(app)[2]["description"].startswith("What 1 head reads")


def test_what_is_compared_with_positions() -> None:
    """Where positions are compared the contents are not, so that W_Q W_Kᵀ is no multiple of the
    identity.
    """
    app = opened("convolution")
    app.session_state["conv one"] = True
    assert "W_Q W_Kᵀ = α·I;" in texts(app.run())
    app.segmented_control(key="conv_tokens").set_value("with positions").run()
    assert "W_Q W_Kᵀ = α·I on the positions, 0 elsewhere;" in texts(app)


def test_words_that_a_head_finds_alike() -> None:
    """Of equal shares the first word is not said to be looked at alone."""
    said = texts(opened("lexicon", lex_text="The dogs took the book because the girl lost it"))
    assert "**gender** looks at “dogs” (2) and “book” (5) with 48.2 % each" in said
    said = texts(opened("lexicon", lex_text="saw saw saw saw", lex_start="false"))
    assert "**gender** looks at 4 words alike with 25.0 % each" in said


def test_what_a_verb_looks_at() -> None:
    """With its subject four words before and an object behind it, a verb finds the object: it
    is nearer.
    """
    trace = run_lexicon(compose("the boy that lost it saw her"))
    assert trace.labels("S")[int(trace.probabilities[0, 3, 6].argmax())] == "her"
    assert "nearest living thing before it" not in HEADS[3].says


def test_a_search_that_finds_nothing() -> None:
    """Of an identity what is left is rounding; a theorem without a condition has none to be met."""
    app = opened("truths")
    said = {}
    for number in ("S1", "S10", "S11"):
        app.button(key=f"search {number}").click().run()
        said[number] = app.info[0].value
    assert "Rounding alone moves it by" in said["S1"]
    assert "nearest" not in said["S1"]
    assert "condition" not in said["S1"] + said["S10"]
    assert all("none violates it" in one for one in said.values())


def test_whose_losses_are_drawn_of_five_seeds() -> None:
    """The table holds all five seeds, the lines those of one, which is said."""
    said = []
    for seeds in ("one", "five"):
        app = opened("stiefel", stiefel_layers=1, stiefel_seeds=seeds)
        app.session_state["stiefel deep"] = True
        for button in app.run().button:
            if (
                button.label == "Train the stacks"
            ):  # which is not there where these were trained before
                button.click().run(timeout=120)
        said.append("The lines are those of the first seed" in texts(app))
    assert said == [False, True]


def test_the_loss_of_a_single_run_needs_no_name() -> None:
    """A screen reader hears where the loss stands, and of several runs whose it is."""
    alone = loss_figure({"loss": [(0, 1.0)]}, 10)
    both = loss_figure({"one": [(0, 1.0)], "two": [(0, 2.0)]}, 10)
    assert "it now stands at 1.000." in str(alone["layout"])
    assert "it now stands at one 1.000 and two 2.000." in str(both["layout"])


def test_the_rows_of_one_layer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each row of the table is trained on the chosen task with what its name says of matrices
    and temperature.
    """
    asked: list[TrainingSettings] = []

    def remember(settings: TrainingSettings) -> Run:
        asked.append(settings)
        return run_of(settings)

    monkeypatch.setattr(stiefel_runs, "run_of", remember)
    app = opened("stiefel", stiefel_task="agreement")
    app.session_state["stiefel one"] = True
    app.run()
    rows = dict.fromkeys((one.task, one.constraint, one.temperature) for one in asked)
    assert list(rows) == [("agreement", *row) for row in stiefel_runs.LAYERS.values()]


def test_the_errors_of_several_seeds() -> None:
    """A row holds their mean, the smallest and the largest; that of one seed has nothing to
    compare.
    """
    row = {"model": "2 heads", "numbers to learn": "1,024", "error": "0.5000"}
    assert training_tables._row("2 heads", 1024, [0.25, 1.0, 0.25], "error") == row | {
        "smallest": "0.2500",
        "largest": "1.0000",
    }
    assert training_tables._row("2 heads", 1024, [0.5], "error") == row


def test_what_agrees_is_drawn() -> None:
    """On the task of agreement the page draws how much of each head looks at words that agree,
    on others offsets.
    """
    said = [
        " ".join(alternatives(opened("training", train_task=task)))
        for task in ("agreement", "neighbours")
    ]
    assert ["agree" in words for words in said] == [True, False]


def test_buttons_of_the_lexicon() -> None:
    """An example puts its sentence into the field; own words can be dropped all at once."""
    app = opened("lexicon", lex_words="mare:fem.sg.anim.NOUN")
    app.button(key="lex example 1").click().run()
    assert app.session_state["lex_text"] == SENTENCES[1]
    app.session_state["lex list"] = True
    app.run().button(key="lex drop").click().run()
    assert app.session_state["lex_words"] == ""
    assert "lex_words" not in app.query_params
