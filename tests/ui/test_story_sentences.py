"""What the pages of the story and the heads say is true of small, steep and unusual layers, too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attention_lab.user_data.own_matrices import OwnMatrices
from attention_ui.panels import pair
from attention_viz.labels import number
from tests.ui.app import alternatives, figures, here, opened, scenes, texts


def test_one_column_is_no_range() -> None:
    """The block of a head that is one number wide is told in the singular, as is a last column
    drawn alone.
    """
    narrow = texts(opened("projections", d_k=1, n_heads=2, which="queries", head=1))
    assert ":blue[column 1], but **every row**" in narrow
    assert ":blue[feature 3]" in texts(
        opened("projections", weights="weightless", d_model=4, head=3)
    )
    wide = OwnMatrices(w_o=np.ones((16, 65))).address()
    assert "Drawn is column 64 of 65." in texts(opened("output", own=wide, feature=64))
    assert "Drawn are columns 0 to 63 of 65." in texts(opened("output", own=wide))


@pytest.mark.parametrize(
    ("notation", "scale", "many", "wide"),
    [
        ("ours", "s", "h", "dₖ"),
        ("note", "λ", "dₕ", "d"),
        ("gml", "s", "n_heads", "(N ÷ n_heads)"),
        ("doshi", "s", "Head", "(Query size)"),
    ],
)
def test_sentences_about_widths_have_the_symbols_of_the_notation(
    notation: str, scale: str, many: str, wide: str
) -> None:
    """The note calls the width of the layer s: where |s| is below 1 would be nowhere."""
    said = texts(opened("scale", notation=notation)).replace("\\", "")
    assert f"gets weaker where |{scale}| is below 1" in said
    assert f"a sum of {wide} = 4 products." in said
    assert f"a standard deviation of √{wide} = 2.00. Times 1/√{wide} it" in said
    app = opened("scores", notation=notation)
    app.session_state["all heads"] = True
    said = texts(app.run()).replace("\\", "")
    assert f"takes {many}² · {wide} = 4² · 4 = **64 multiplications** for this pair" in said


def test_a_word_that_stands_twice_is_named_with_its_place() -> None:
    """The wrong reshape lands in the row of another "the", and "the" reads from "the" says
    nothing.
    """
    text = "the cat and the dog and the bird"
    said = texts(opened("softmax", text=text))
    assert ":blue[“the” (0)] reads" in said
    assert "from “the” (3)" in said
    assert "from “dog”" in said
    assert ":blue[query of “the” (0)] and :red[key of “the” (3)]" in texts(
        opened("scores", text=text, key=3)
    )
    assert "in the row of “the” (6)." in texts(opened("merge", text=text, head=3))


@pytest.mark.parametrize(
    ("text", "rest"), [("one two three four", "one other"), ("one two three four five", "2 others")]
)
def test_the_rest_of_a_row_is_counted(text: str, rest: str) -> None:
    assert f", the rest from {rest}. The shares" in texts(opened("softmax", text=text))
    assert "the rest" not in texts(opened("softmax", text="one two three"))


def test_of_a_single_share_nothing_is_the_most() -> None:
    assert "reads from “Hello”: 100.0 %" in texts(opened("overview", text="Hello"))
    assert "takes from :green[the value of “Hello”]: 100.0 % of it" in texts(
        opened("mixing", text="Hello")
    )
    assert "The strongest colour is 1.00. Heads" in texts(opened("shared-keys", text="Hello"))


def test_one_head_has_no_other_to_be_compared_with() -> None:
    """Nothing is wasted and nothing is split, and one product is one multiplication."""
    app = opened("scores", n_heads=1, d_model=1)
    app.session_state["all heads"] = True
    said = texts(app.run())
    assert "in the one head at once." in said
    assert "= **1 multiplication** for this pair" in said
    assert "with 1 number each" in said
    assert "waste" not in said
    assert "disguise" not in said


def test_what_is_true_in_general_need_not_show_here() -> None:
    """With one token no score matters; a scale of 100 makes scores that float32 tells apart
    near a billion.
    """
    said = texts(
        opened("invariances", inv_topic="constants", inv_change="column_constants", text="a")
    )
    assert (
        "In theory the output **may change**. Measured, the largest difference: of a probability"
        " **0**" in said
    )
    far = texts(opened("mask-workshop", mw_try="how to hide", scaling="custom", scale=100))
    assert "| −10⁹ | 0.0 % | 0.0 % | 0.0 % to 100.0 % | 0.0 % to 100.0 % |" in far
    assert "lie 64 apart, equally, unless a score is beyond ±32." in far
    near = [np.float32(-1e9) + np.float32(score) for score in (-32, 32, 33)]
    assert [one == np.float32(-1e9) for one in near] == [True, True, False]


@pytest.mark.parametrize(
    ("choices", "made"),
    [
        ({}, "the merged heads multiplied by W_O."),
        ({"residual": "true"}, "the merged heads multiplied by W_O, plus the inputs."),
        ({"weights": "trained"}, "the merged heads multiplied by W_O, plus b_O."),
        ({"weights": "weightless", "residual": "true"}, "the merged heads, plus the inputs."),
    ],
)
def test_what_the_tick_of_the_output_is_computed_as(choices: dict[str, Any], made: str) -> None:
    """Biases and the residual are parts of the output; a sum over blocks of W_O is written
    where there is a W_O.
    """
    app = opened("head-worth", **choices)
    assert f"computed as {made} Over all" in texts(app).replace("\\", "")
    assert bool(app.latex) == (choices.get("weights") != "weightless")


def test_heads_share_what_is_there() -> None:
    """Without weights no W_O is kept the same; one head has no others beside it."""
    assert "the same W_Q and W_O go" in texts(opened("shared-keys")).replace("\\", "")
    assert "the same W_Q go" in texts(opened("shared-keys", weights="weightless")).replace("\\", "")
    assert "The entropy of head 0 for each query." in alternatives(
        opened("head-portraits", n_heads=1)
    )


def test_the_output_is_of_no_head() -> None:
    """It mixes all of them; and of one head alone all features are its own."""
    app = opened("break-it", n_heads=1, bi_field="output")
    assert "There is one head alone, so all features are its own." in texts(app)
    assert scenes(app)[0]["description"].startswith("The output in the right layer")
    assert (
        "The merged of head 1 in"
        in scenes(opened("break-it", head=1, bi_field="merged"))[0]["description"]
    )


@pytest.mark.parametrize(
    ("notation", "inputs", "memory"), [("ours", "X", "M"), ("note", "X", "X"), ("mql5", "I", "I")]
)
def test_what_keys_are_made_from_is_written_as_in_the_formula(
    notation: str, inputs: str, memory: str
) -> None:
    """A text that knows no memory makes keys from X: then no sentence and no board calls it M."""
    app = opened("projections", notation=notation, which="keys", weights="weightless")
    said = texts(app).replace("\\", "")
    assert f" = {memory}" in app.latex[0].value
    assert f"= the dot product of row 0 of {memory} and column 0" in said
    assert f" = {memory}, and head 0 gets a plain copy" in said
    assert scenes(app)[0]["panels"][0]["title"] == f"{memory} memory"
    said = texts(opened("tokens", notation=notation))
    assert f"is the sentence itself{f', {memory} = {inputs}' if memory != inputs else ''}." in said


def test_an_output_that_is_a_copy_is_told_as_one() -> None:
    """Without W_O a number of the output is one of the merged heads: 0.42 = 0.4239 is no sum,
    and not even true.
    """
    app = opened("output", weights="weightless", feature=5)
    told = f"merged[0, 5] ≈ {number(here(app).trace.output[0, 0, 5], 4)}"
    assert told in texts(app).replace("\\", "")


def test_a_wrong_number_is_another_one() -> None:
    """Of equal tokens more numbers change places than cells hold another number: only these are
    counted.
    """
    app = opened("merge", text="the the the the", n_heads=2, positions="false")
    heads = here(app).trace.head_outputs
    wrong = (heads.reshape(4, 16) != heads[0].swapaxes(0, 1).reshape(4, 16)).sum()
    assert 0 < wrong < 48  # so many numbers change places
    assert f"**{wrong} of 64** cells hold a wrong number" in texts(app)


def test_a_negative_scale_has_a_minus_sign() -> None:
    """As all other numbers of the page have."""
    assert "multiplied by −0.5; no cell" in texts(opened("overview", scaling="custom", scale=-0.5))


def test_axes_are_named_as_the_notation_does_wherever_they_stand() -> None:
    """Above the table of numbers, and beside the board of what heads are worth."""
    for page, axes in (("scores", "n × n"), ("split", "n × d")):
        app = opened(page, notation="note")
        app.session_state["closer"] = ["numbers"]
        assert f"axes {axes}; the CSV" in texts(app.run())
    assert scenes(opened("head-worth", notation="note"))[0]["panels"][0]["badge"] == "dₕ × n"
    assert scenes(opened("head-worth", notation="gml"))[0]["panels"][0]["badge"] == "T × n_heads"


def test_an_axis_is_called_by_the_letter_it_stands_under() -> None:
    """A head of the keys is a head where each has its own, and a feature of the output one of
    the layer.
    """
    words = {
        (page, residual): {letter: axis["word"] for letter, axis in scenes(app)[0]["axes"].items()}
        for page in ("split", "output", "projections")
        for residual in ("false", "true")
        for app in [opened(page, which="keys", residual=residual)]
    }
    assert {words["split", residual]["H"] for residual in ("false", "true")} == {"head"}
    assert {found["D"] for (page, _), found in words.items() if page != "split"} == {
        "model feature"
    }
    wide = OwnMatrices(w_o=np.ones((16, 3))).address()
    assert scenes(opened("output", own=wide))[0]["axes"]["O"]["word"] == "output feature"


def test_the_lengths_of_one_part_add_up() -> None:
    """Where one head alone adds anything, no parts point apart."""
    first = np.zeros((16, 16))
    first[:4] = np.eye(16)[:4]
    alone = OwnMatrices(w_o=first).address()
    said = texts(opened("head-worth", own=alone))
    assert "the norm shares to 1.000.\n" in said
    assert "different directions" not in said
    assert texts(opened("head-worth")).count("different directions") == 2


def test_what_is_counted_of_a_layer_without_the_usual_w_o() -> None:
    """The table of parameters has a line for W_O, which this layer may lack, or have in another
    width.
    """
    wide = {"own": OwnMatrices(w_o=np.ones((16, 3))).address()}
    for choices, said in (
        ({"weights": "weightless"}, "has no W_O;"),
        (wide, "has a W_O of another width;"),
        ({}, ""),
    ):
        for count in ("parameters", "cache"):
            words = texts(opened("shared-keys", shared_count=count, **choices)).replace("\\", "")
            assert ("This layer has" in words) == bool(said and count == "parameters")
            assert said in words or count == "cache"


def test_a_number_that_a_head_has_not_is_no_empty_picture() -> None:
    """One token reads from no previous one: the page says so, and draws the bars of all
    measures alone.
    """
    app = opened("head-portraits", portrait="previous-token mass", text="Hello", n_heads=1)
    assert "**Head 0:** none, for no query has such a key." in texts(app)
    assert len(figures(app)) == 1


def test_a_rank_is_a_whole_number() -> None:
    """It counts comparisons; and a chart's name is a sentence."""
    app = opened("head-portraits", portrait="rank of the scores")
    assert "**Head 0:** 4 of at most min(dₖ, tokens) = 4." in texts(app)
    assert "The cache of MHA, GQA, MQA as n grows (tokens)." in alternatives(opened("shared-keys"))


def test_where_a_number_of_a_head_goes() -> None:
    """The page names the head, the row and the column of the pinned number, and the width where
    it has no such one.
    """
    said = texts(opened("merge", head=1, query=2, feature=3))
    assert (
        "goes from [head, token, feature] = [1, 2, 3] to row 2, column 1 · 4 + 3 = **7**: it stays"
        " with" in said
    )
    assert "has 4 features, so its last one is shown, not 9." in texts(opened("merge", feature=9))
    assert "**Head 1:** number 3 of the" in texts(opened("split", head=1, query=2, feature=3))


def test_the_arithmetic_of_a_share_is_told() -> None:
    """The pinned share is worked out in one line, which begins with its head, query and key."""
    app = opened("softmax", head=1, query=2, key=3)
    assert f"{pair(here(app).trace, here(app).focus)}: 0" in texts(app)
